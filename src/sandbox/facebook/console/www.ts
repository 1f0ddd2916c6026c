import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32, deflateSync } from 'node:zlib';
import type { Context } from 'koa';
import { wireTime } from '../../../kernel/clock.ts';
import { drawTime, HOME, html, page, navLinkOf, webAddress } from '../../html.ts';
import type { Html } from '../../html.ts';
import type { Offer } from '../../twin.ts';
import type { Comments } from '../comments/comments.ts';
import type { Dialog } from '../../graph/dialog.ts';
import type { Comment, Page, Person, Post } from '../docs.ts';
import { permalinkOf } from '../posts/look.ts';
import { fileUrl } from '../world.ts';
import type { World } from '../world.ts';

/** What a browser may be shown in place; everything else is a download. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|bmp)|video\/(?:mp4|webm|quicktime)|audio\/(?:mpeg|mp4|aac|wav|x-m4a))$/;
const SIDE = 64;
const YEAR = 'public, max-age=31536000, immutable';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** A plain square in a colour of its own, the profile picture of whoever has the id. */
export function portrait(id: string): Buffer {
  const colour = createHash('sha256').update(id).digest().subarray(0, 3);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  head.set([8, 2], 8);
  const line = Buffer.concat([Buffer.of(0), ...Array.from({ length: SIDE }, () => colour)]);
  const lines = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => line)));
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))]);
}

export type Www = Readonly<{
  answer(ctx: Context, segments: readonly string[]): Promise<void>;
  /** Files and profile pictures. */
  cdn(ctx: Context, segments: readonly string[]): void;
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

  /** The operator sees what is hidden, and is offered what followers do with it. */
  function drawComment(one: Comment, offer?: Offer): Html {
    const isShown = offer !== undefined || !one.is_hidden;
    return html`<div class="${one.author === undefined ? 'said own' : 'said'}">
      <strong>${authorOf(one)}</strong>
      ${offer && one.by_app && html`<span class="badge">by the app</span>`}
      ${offer && one.is_hidden && html`<span class="badge">hidden</span>`}
      <p>${isShown ? one.message : 'This comment is hidden.'}</p>
      ${isShown && one.attachment !== undefined && html`<img src="${fileUrl(world, one.attachment)}" alt="" />`}
      <small>${drawTime(wireTime(one.at))}${drawReactions(one.id)} <code>${one.id}</code></small>
      ${offer && html`<div class="offers">${offer('comment', { on: one.id }, 'Answer')} ${offer('react', { on: one.id }, 'React')}</div>`}
      ${drawComments(one.id, offer)}
    </div>`;
  }

  const drawComments = (parent: string, offer?: Offer): readonly Html[] =>
    comments.list(parent, {}, clock.now()).map((one) => drawComment(one, offer));

  function drawPost(post: Post, offer?: Offer): Html {
    const link = webAddress(post.link);
    return html`<strong>${authorOf(post)}</strong>
      ${offer && post.by_app && html`<span class="badge">by the app</span>`}
      ${post.story !== undefined && html`<span class="badge">story</span>`}
      <p>${post.message}</p>
      ${post.photos.map(drawPhoto)} ${post.video !== undefined && drawVideo(post.video)}
      ${link !== undefined && html`<p><a href="${link}" rel="noopener noreferrer nofollow">${link}</a></p>`}
      <small
        ><a href="${permalinkOf(world, post)}">${drawTime(wireTime(post.at))}</a>${drawReactions(post.id)}
        <code>${post.id}</code></small
      >
      ${offer && html`<div class="offers">${offer('comment', { on: post.id }, 'Comment')} ${offer('react', { on: post.id }, 'React')}</div>`}`;
  }

  const drawThread = (post: Post, offer?: Offer): Html =>
    html`<article>${drawPost(post, offer)} ${drawComments(post.id, offer)}</article>`;

  return Object.freeze({ authorOf, drawPost, drawThread });
}

/** The public side: pages, posts, the log-in dialog, and the files they show. */
export function makeWww(world: World, comments: Comments, dialog: Dialog): Www {
  const { nodes, people, files, store } = world;

  const { authorOf, drawPost, drawThread } = makeDrawing(world, comments);

  function show(ctx: Context, title: string, body: Html): void {
    const policy = ctx.response.get('Content-Security-Policy');
    ctx.set('Content-Security-Policy', `${policy}; media-src 'self'`);
    ctx.type = 'html';
    ctx.body = page(
      title,
      html`<p class="quiet">As visitors of the stand-in for Facebook see it</p>
        ${body}`,
      [HOME, navLinkOf('facebook', 'Facebook')],
    );
  }
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
        ${posts.toReversed().map((post) => html`<article>${drawPost(post)}</article>`)}`,
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
    cdn(ctx: Context, [first = '', second, ...more]: readonly string[]) {
      if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || more.length > 0) return;
      const portraitOf = first === 'picture' ? /^(\d{1,30})\.png$/.exec(second ?? '')?.[1] : undefined;
      const blob = second === undefined ? nodes.get('blob', first) : undefined;
      if (portraitOf !== undefined) {
        ctx.type = 'png';
        ctx.body = portrait(portraitOf);
      } else if (blob !== undefined) {
        ctx.type = SHOWN.test(blob.mime) ? blob.mime : 'application/octet-stream';
        if (!SHOWN.test(blob.mime)) ctx.attachment(blob.name);
        ctx.length = blob.size;
        ctx.body = Readable.from(files.pieces(blob.id));
      } else return;
      ctx.set('Cache-Control', YEAR);
    },
  });
}
