import { html, type Html } from '../html.ts';
import { drawLink, drawOffers, drawPost, drawContentWithAuthor, drawVisual } from '../kit/drawing.ts';
import { makeSite, type Presented } from '../kit/site.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Parts } from './api/calls.ts';
import { filesOf } from './api/posts.ts';
import type { Comment, Post } from './docs.ts';
import { readLittleText } from './text.ts';
import { personUrn } from './world.ts';

type Poll = Readonly<{ question: string; options: readonly Readonly<{ text: string }>[] }>;
type Article = Readonly<{ source: string; title: string }>;

export function openSite({ world, names, login, feed }: Parts) {
  const { docs, people } = world;
  const note = (of: Readonly<{ id: string }>) => ` · reactions ${feed.reactionsTo(of).length}`;
  function drawFile(urn: string): Html | false {
    const { kind, blob } = docs.get('asset', urn) ?? {};
    const src = `/sandbox/${ABOUT.slug}/cdn/${blob}`;
    if (blob === undefined) return false;
    return kind === 'document' ? html`<p><a href="${src}">Document</a></p>` : drawVisual(kind === 'video', src);
  }
  function drawContent({ body: { content = {} } }: Post): Html {
    const { poll, article } = content as { poll?: Poll; article?: Article };
    return html`${filesOf(content).map(drawFile)} ${article !== undefined && html`<p>${article.title}</p>`}
    ${drawLink(article?.source)} ${poll !== undefined && html`<p>${poll.question}</p>`}
    ${poll?.options.map(({ text }) => html`<p>${text}</p>`)}`;
  }
  function drawComment(comment: Comment, offer?: Offer): Html {
    const { id, page_id, parent_id, text, at, images } = comment;
    return drawContentWithAuthor({
      isOwn: docs.get('post', parent_id)?.page_id === page_id,
      author: names.of(page_id),
      text,
      media: images.map(drawFile),
      at,
      note: note(comment),
      offers: drawOffers(offer, { comment: id }, { reply: 'Reply', react: 'React', delete_comment: 'Delete comment' }),
      below: feed.answersTo({ post: { id: parent_id }, comment }).map((reply) => drawComment(reply, offer)),
    });
  }
  const isPublic = ({ body, deleted_at }: Post) => body.visibility === 'PUBLIC' && deleted_at === undefined;
  function draw(post: Post, offer?: Offer): Html {
    const { id, page_id, body, at, deleted_at } = post;
    const isGone = deleted_at !== undefined;
    return drawPost({
      author: names.of(page_id),
      badges: [isGone && 'deleted', body.visibility !== 'PUBLIC' && body.visibility.toLowerCase()],
      text: readLittleText(body.commentary).plain,
      media: drawContent(post),
      at,
      ...(!isGone && { path: names.pathOf(post) }),
      note: note(post),
      offers:
        !isGone &&
        drawOffers(offer, { post: id }, { comment: 'Comment', react: 'React', share: 'Share', view: 'View' }),
      below: feed.answersTo({ post }).map((one) => drawComment(one, offer)),
    });
  }
  /** Finds `/feed/update/<urn>`, `/in/<name>` and `/company/<name>`. */
  function at([area, name = '', last = '', ...more]: readonly string[]): Presented<Post> | undefined {
    if (area === 'feed' && name === 'update' && more.length === 0) return { post: names.post(last) };
    const person = area === 'in' ? people.find(`${name}.sandbox.test`) : undefined;
    const found = area === 'company' ? names.organization(name) : person && { ...person, id: personUrn(person.id) };
    return found && last === '' ? { name: found.name, posts: feed.postsOf(found.id).filter(isPublic) } : undefined;
  }

  return makeSite<Post>({
    about: ABOUT,
    dialog: login.consent,
    isDialog: (path) => path === 'oauth/v2/authorization',
    at,
    isPublic,
    nameOf: ({ page_id }) => names.of(page_id),
    draw,
    posts: () => docs.list('post'),
  });
}
