import { makeShowing } from '../../graph/parts.ts';
import { html, type Html } from '../../html.ts';
import type { Offer } from '../../twin.ts';
import type { Comments } from '../comments/comments.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { drawLink, drawOffers, drawPicture, drawPost, drawContentWithAuthor } from '../../kit/drawing.ts';
import { makeSite } from '../../kit/site.ts';
import { ABOUT } from '../about.ts';
import type { Page, Person } from '../../graph/docs.ts';
import type { Comment, Post } from '../docs.ts';
import { permalinkOf } from '../posts/post-node.ts';
import { fileUrl } from '../../graph/world.ts';
import type { World } from '../world.ts';

function makeDrawing(world: World, comments: Comments) {
  const { people, nodes, clock } = world;

  const authorOf = ({ author, page_id }: Post | Comment) =>
    (author === undefined ? people.page(page_id) : people.byId(author))?.name;

  function drawVideo(id: string): Html {
    const video = nodes.get('video', id);
    return html`<p>
      <video controls src="${fileUrl(world, video?.blob ?? '')}"></video> <strong>${video?.title}</strong>
    </p>`;
  }

  function drawPhoto(id: string): Html {
    const photo = nodes.get('photo', id);
    return photo === undefined ? html`` : drawPicture(fileUrl(world, photo.blob), photo.alt ?? photo.caption);
  }

  function drawReactions(id: string): Html {
    const byType = Map.groupBy(comments.reactions(id), ({ type }) => type.toLowerCase());
    return html`${[...byType].map(([type, all]) => html` · ${type} ${all.length}`)}`;
  }

  const noteOf = (id: string) => html`${drawReactions(id)} <code>${id}</code>`;
  const offersOn = (offer: Offer | undefined, on: string, label: string) =>
    drawOffers(offer, { on }, { comment: label, react: 'React' });

  /** The operator also sees hidden comments and the followers' actions. */
  function drawComment(one: Comment, offer?: Offer): Html {
    const isVisible = offer !== undefined || !one.is_hidden;
    return drawContentWithAuthor({
      isOwn: one.author === undefined,
      author: authorOf(one),
      badges: [offer && one.by_app && 'by the app', offer && one.is_hidden && 'hidden'],
      text: isVisible ? one.message : 'This comment is hidden.',
      media: isVisible && one.attachment !== undefined && drawPicture(fileUrl(world, one.attachment)),
      at: one.at,
      note: noteOf(one.id),
      offers: offersOn(offer, one.id, 'Answer'),
      below: drawComments(one.id, offer),
    });
  }

  const drawComments = (parent: string, offer?: Offer): readonly Html[] =>
    comments.list(parent, {}, clock.now()).map((one) => drawComment(one, offer));

  function draw(post: Post, offer: Offer | undefined, below: readonly Html[]): Html {
    return drawPost({
      author: authorOf(post),
      badges: [offer && post.by_app && 'by the app', post.story !== undefined && 'story'],
      text: post.message,
      media: html`${post.photos.map(drawPhoto)} ${post.video !== undefined && drawVideo(post.video)}
      ${drawLink(post.link)}`,
      at: post.at,
      path: permalinkOf(world, post),
      note: noteOf(post.id),
      offers: offersOn(offer, post.id, 'Comment'),
      below,
    });
  }

  return Object.freeze({
    authorOf,
    drawAlone: (post: Post) => draw(post, undefined, []),
    drawThread: (post: Post, offer?: Offer) => draw(post, offer, drawComments(post.id, offer)),
  });
}

const isPublic = ({ is_published, deleted_at }: Post) => is_published && deleted_at === undefined;

/** The public website: Pages, posts, people and the login dialog. */
export function openSite(world: World, comments: Comments, dialog: ConsentDialog) {
  const { nodes, people, store, hosts } = world;
  const { authorOf, drawAlone, drawThread } = makeDrawing(world, comments);

  function pageBody({ id }: Page): readonly Html[] {
    const posts = nodes.list('post', { page: id }).filter((post) => isPublic(post) && post.mention !== true);
    return posts.toReversed().map(drawAlone);
  }
  function personBody({ id }: Person): Html {
    const pages = people.rolesOf(id).flatMap(({ page_id }) => people.page(page_id) ?? []);
    return html`<ul>
      ${pages.map((one) => html`<li><a href="${`${hosts.www()}/${one.id}`}">${one.name}</a></li>`)}
    </ul>`;
  }
  const post = (id: string | undefined) => ({ post: nodes.get('post', id ?? '') });

  return makeSite<Post>({
    about: ABOUT,
    dialog,
    isDialog: (path) => /^(?:v\d{1,3}\.0\/)?dialog\/oauth$/.test(path),
    at([first = '', second = '', third = '', ...more], query) {
      if (more.length > 0) return undefined;
      const found = people.findPage(first);
      const person = people.byId(first);
      if (first === 'reel') return post(nodes.get('video', second)?.post_id);
      if (first === 'photo') return post(nodes.get('photo', query.get('fbid') ?? '')?.post_id);
      if (first === 'stories') return post(`${second}_${third}`);
      if (second === 'posts') return post(`${first}_${third}`);
      if (second !== '') return undefined;
      if (found !== undefined) return { name: found.name, about: found.about, body: pageBody(found) };
      return person && { name: person.name, body: personBody(person) };
    },
    isPublic,
    nameOf: authorOf,
    seen: ({ id, views: before, video }) =>
      store.write(() => {
        const { views } = nodes.change('post', id, { views: before + 1 });
        if (video !== undefined) nodes.change('video', video, { views });
      }),
    draw: drawThread,
    posts: () =>
      nodes
        .list('post')
        .filter(isPublic)
        .toSorted((a, b) => a.at - b.at),
  });
}

export function makeView(world: World) {
  const { nodes, people, hosts } = world;
  function drawPages({ id }: Person): Html {
    const pages = people.rolesOf(id).flatMap(({ page_id }) => people.page(page_id) ?? []);
    return pages.length === 0
      ? html`Can be connected, but has no Page.`
      : html`Owner of
        ${pages.map((page, at) => html`${at > 0 && ', '}<a href="${`${hosts.www()}/${page.id}`}">${page.name}</a>${page.subscription !== undefined && html` <span class="badge">pushes to the app</span>`}`)}.`;
  }
  return makeShowing<Post>(world, {
    of: ({ id }) => people.rolesOf(id).flatMap(({ page_id }) => nodes.list('post', { page: page_id })),
    isPublic,
    textOf: ({ message }) => message,
    permalinkOf: (post) => permalinkOf(world, post),
    partOf: (person) => (person.owner ? drawPages(person) : html`Follower: comments, reacts and writes.`),
    pathOf: () => undefined,
  });
}
