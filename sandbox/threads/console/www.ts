/** The public website: people, posts with replies, and the consent page. */
import { drawMedium } from '../../graph/media/medium.ts';
import { makeShowing } from '../../graph/parts.ts';
import { isLive } from '../../graph/authored.ts';
import { html, type Html } from '../../html.ts';
import { drawLink, drawOffers, drawPost, drawContentWithAuthor, likesNote, type Drawing } from '../../kit/drawing.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { makeSite } from '../../kit/site.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Posts } from '../posts.ts';
import { isReply, permalinkOf, type Post, type World } from '../world.ts';

/** Posts as visitors see them. The operator also sees hidden replies and actions. */
function makeDrawing(world: World, posts: Posts) {
  const { people, nodes } = world;
  const nameOf = ({ page_id }: Post) => people.byId(page_id)?.name;

  function drawQuoted(id: string | undefined): Html | false {
    const quoted = id === undefined ? undefined : nodes.get('post', id);
    return quoted !== undefined && html`<blockquote>${nameOf(quoted)}: ${quoted.text}</blockquote>`;
  }

  /** A thread: a post and the replies with which its author continues it. */
  function chainOf(post: Post): readonly Post[] {
    const next = posts.answers(post.id).find(({ page_id }) => page_id === post.page_id);
    return next === undefined ? [post] : [post, ...chainOf(next)];
  }

  function content(post: Post, offer: Offer | undefined, part: string | undefined, below: readonly Html[]): Drawing {
    const { id, text, media, link, quoted, reposted } = post;
    const isVisible = offer !== undefined || !post.is_hidden;
    const pictures = media.map((one) => drawMedium(world, one));
    return {
      author: nameOf(post),
      badges: [part, offer && post.by_app && 'by the app', offer && post.is_hidden && 'hidden', reposted && 'repost'],
      text: isVisible ? text : 'This answer is hidden.',
      media: isVisible && html`${pictures} ${drawQuoted(quoted ?? reposted)} ${drawLink(link)}`,
      at: post.at,
      path: permalinkOf(world, post),
      note: likesNote(post),
      offers: drawOffers(offer, { on: id }, { reply: 'Answer', like: 'Like' }),
      below,
    };
  }

  /** Draws the segments of a thread, each with the replies of other people. */
  return function drawThread(post: Post, offer?: Offer, frame: (of: Drawing) => Html = drawPost): Html {
    const chain = chainOf(post);
    const inChain = new Set(chain.map(({ id }) => id));
    const answersTo = ({ id }: Post) =>
      posts
        .answers(id)
        .filter((one) => !inChain.has(one.id))
        .map((one) => drawThread(one, offer, drawContentWithAuthor));
    const partOf = (at: number) => (chain.length > 1 ? `${at + 1}/${chain.length}` : undefined);
    const rest = chain
      .slice(1)
      .map((one, at) => drawContentWithAuthor({ ...content(one, offer, partOf(at + 1), answersTo(one)), isOwn: true }));
    return frame(content(post, offer, partOf(0), [...rest, ...answersTo(post)]));
  };
}

export function openSite(world: World, posts: Posts, dialog: ConsentDialog) {
  const { nodes, people, store } = world;
  const draw = makeDrawing(world, posts);
  return makeSite<Post>({
    about: ABOUT,
    dialog,
    isDialog: (path) => path === 'oauth/authorize',
    at([first = '', second, shortcode, ...more]) {
      const person = first.startsWith('@') ? people.all().find(({ handle }) => handle === first.slice(1)) : undefined;
      if (more.length > 0 || person === undefined) return undefined;
      if (second === 'post')
        return { post: nodes.list('post', { page: person.id }).find((one) => one.shortcode === shortcode) };
      if (second !== undefined) return undefined;
      return { name: person.name, about: `@${person.handle}`, posts: posts.of(person.id).toReversed() };
    },
    isPublic: isLive,
    nameOf: ({ page_id }) => people.byId(page_id)?.name,
    seen: ({ id }) => store.write(() => posts.view(id)),
    draw,
    posts: () => posts.list().filter((post) => !isReply(post)),
  });
}

export const makeView = (world: World) =>
  makeShowing<Post>(world, {
    of: ({ id }) => world.nodes.list('post', { page: id }),
    isPublic: isLive,
    counts: (post) => !isReply(post),
    textOf: ({ text }) => text,
    permalinkOf: (post) => permalinkOf(world, post),
    partOf({ id, owner }) {
      if (!owner) return html`Answers, likes and mentions.`;
      return html`Can be connected${world.nodes.get('grant', id) !== undefined && ', and uses the app'}.`;
    },
    pathOf: ({ handle }) => `/@${handle}`,
  });
