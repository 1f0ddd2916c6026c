import type { Context } from 'koa';
import { html, webAddress } from '../../html.ts';
import type { Html } from '../../html.ts';
import type { Offer } from '../../twin.ts';
import type { Comments } from '../comments/comments.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { drawOffers, drawPost, drawSaid } from '../../kit/drawing.ts';
import { showPublic } from '../../kit/public.ts';
import { ABOUT } from '../about.ts';
import type { Page, Person } from '../../graph/docs.ts';
import type { Comment, Post } from '../docs.ts';
import { permalinkOf } from '../posts/look.ts';
import { fileUrl } from '../../graph/world.ts';
import type { World } from '../world.ts';

export type Www = Readonly<{
  answer(ctx: Context, segments: readonly string[]): Promise<void>;
  /** A post with its comments. */
  drawThread(post: Post, offer?: Offer): Html;
}>;

/** Posts and comments as the public site shows them. */
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
    return photo === undefined
      ? html``
      : html`<img src="${fileUrl(world, photo.blob)}" alt="${photo.alt ?? photo.caption ?? ''}" loading="lazy" />`;
  }

  function drawReactions(id: string): Html {
    const byType = Map.groupBy(comments.reactions(id), ({ type }) => type.toLowerCase());
    return html`${[...byType].map(([type, all]) => html` · ${type} ${all.length}`)}`;
  }

  const noteOf = (id: string) => html`${drawReactions(id)} <code>${id}</code>`;
  const offersOn = (offer: Offer | undefined, on: string, label: string) =>
    drawOffers(offer, [
      ['comment', { on }, label],
      ['react', { on }, 'React'],
    ]);

  /** The operator sees what is hidden, and is offered what followers do with it. */
  function drawComment(one: Comment, offer?: Offer): Html {
    const isShown = offer !== undefined || !one.is_hidden;
    return drawSaid({
      isOwn: one.author === undefined,
      author: authorOf(one),
      badges: [offer && one.by_app && 'by the app', offer && one.is_hidden && 'hidden'],
      text: isShown ? one.message : 'This comment is hidden.',
      media: isShown && one.attachment !== undefined && html`<img src="${fileUrl(world, one.attachment)}" alt="" />`,
      at: one.at,
      note: noteOf(one.id),
      offers: offersOn(offer, one.id, 'Answer'),
      below: drawComments(one.id, offer),
    });
  }

  const drawComments = (parent: string, offer?: Offer): readonly Html[] =>
    comments.list(parent, {}, clock.now()).map((one) => drawComment(one, offer));

  function draw(post: Post, offer: Offer | undefined, below: readonly Html[]): Html {
    const link = webAddress(post.link);
    return drawPost({
      author: authorOf(post),
      badges: [offer && post.by_app && 'by the app', post.story !== undefined && 'story'],
      text: post.message,
      media: html`${post.photos.map(drawPhoto)} ${post.video !== undefined && drawVideo(post.video)}
      ${link !== undefined && html`<p><a href="${link}" rel="noopener noreferrer nofollow">${link}</a></p>`}`,
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

/** The public side: pages, posts, the log-in dialog, and the files they show. */
export function makeWww(world: World, comments: Comments, dialog: ConsentDialog): Www {
  const { nodes, people, store } = world;

  const { authorOf, drawAlone, drawThread } = makeDrawing(world, comments);

  const show = (ctx: Context, title: string, body: Html) =>
    showPublic(ctx, { slug: ABOUT.slug, network: ABOUT.title }, title, body);

  function showPost(ctx: Context, post: Post | undefined): void {
    if (post === undefined || post.deleted_at !== undefined || !post.is_published) return;
    store.write(() => {
      const { views } = nodes.change('post', post.id, { views: post.views + 1 });
      if (post.video !== undefined) nodes.change('video', post.video, { views });
    });
    const author = authorOf(post) ?? 'Post';
    show(
      ctx,
      author,
      html`<h1>A post of ${author}</h1>
        ${drawThread(post)}`,
    );
  }
  function showPage(ctx: Context, found: Page): void {
    const posts = nodes
      .list('post', { page: found.id })
      .filter((post) => post.is_published && post.deleted_at === undefined && post.mention !== true);
    show(
      ctx,
      found.name,
      html`<h1>${found.name}</h1>
        <p class="quiet">${found.about}</p>
        ${posts.toReversed().map(drawAlone)}`,
    );
  }
  function showPerson(ctx: Context, { id, name }: Person): void {
    const pages = people.rolesOf(id).flatMap(({ page_id }) => people.page(page_id) ?? []);
    show(
      ctx,
      name,
      html`<h1>${name}</h1>
        <ul>
          ${pages.map((one) => html`<li><a href="${world.hosts.www()}/${one.id}">${one.name}</a></li>`)}
        </ul>`,
    );
  }

  return Object.freeze({
    drawThread,
    async answer(ctx: Context, segments: readonly string[]) {
      const path = /^v\d{1,3}\.0$/.test(segments[0] ?? '') ? segments.slice(1) : segments;
      if (path.join('/') === 'dialog/oauth') {
        await dialog.answer(ctx);
        return;
      }
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return;
      const [first = '', second = '', third = '', ...more] = path;
      if (more.length > 0) return;
      const found = people.findPage(first);
      const person = people.byId(first);
      const video = first === 'reel' ? nodes.get('video', second) : undefined;
      const photo = first === 'photo' ? nodes.get('photo', String(ctx.query['fbid'] ?? '')) : undefined;
      if (video !== undefined) showPost(ctx, nodes.get('post', video.post_id));
      else if (photo?.post_id !== undefined) showPost(ctx, nodes.get('post', photo.post_id));
      else if (first === 'stories') showPost(ctx, nodes.get('post', `${second}_${third}`));
      else if (second === 'posts') showPost(ctx, nodes.get('post', `${first}_${third}`));
      else if (found !== undefined && second === '') showPage(ctx, found);
      else if (person !== undefined && second === '') showPerson(ctx, person);
    },
  });
}
