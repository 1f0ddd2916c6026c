import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32, deflateSync } from 'node:zlib';
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import { html, page, webAddress } from '../html.ts';
import type { Html } from '../html.ts';
import type { Comments } from './comments.ts';
import type { Dialog } from './dialog.ts';
import type { Page, Post } from './docs.ts';
import { permalinkOf } from './post-look.ts';
import { fileUrl } from './world.ts';
import type { World } from './world.ts';

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
  draw(post: Post): Html;
}>;

/** The public side: pages, posts, the log-in dialog, and the files they show. */
export function makeWww(world: World, comments: Comments, dialog: Dialog): Www {
  const { nodes, people, files, clock, store } = world;
  const authorOf = (post: Post) =>
    (post.author === undefined ? people.page(post.page_id) : people.byId(post.author))?.name;

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
  function drawComments(parent: string): Html {
    const rows = comments.list(parent, {}, clock.now());
    return html`${rows.map(
      (one) =>
        html`<article>
          <strong>${one.author === undefined ? people.page(one.page_id)?.name : people.byId(one.author)?.name}</strong>
          <p>${one.is_hidden ? 'This comment is hidden.' : one.message}</p>
          ${one.attachment !== undefined && html`<img src="${fileUrl(world, one.attachment)}" alt="" />`}
          <small><code>${one.id}</code> ${wireTime(one.at)}</small>
          ${drawComments(one.id)}
        </article>`,
    )}`;
  }

  function draw(post: Post): Html {
    const link = webAddress(post.link);
    return html`<article>
      <strong>${authorOf(post)}</strong>
      <p>${post.message}</p>
      ${post.photos.map(drawPhoto)} ${post.video !== undefined && drawVideo(post.video)}
      ${link !== undefined && html`<p><a href="${link}" rel="noopener noreferrer nofollow">${link}</a></p>`}
      <small
        ><a href="${permalinkOf(world, post)}">${wireTime(post.at)}</a>
        <code>${post.id}</code> ${!post.is_published && html`<strong>not published</strong>`}
        ${post.story !== undefined && 'a story'}</small
      >
    </article>`;
  }

  function show(ctx: Context, title: string, body: Html): void {
    const policy = ctx.response.get('Content-Security-Policy');
    ctx.set('Content-Security-Policy', `${policy}; media-src 'self'`);
    ctx.type = 'html';
    ctx.body = page(
      title,
      html`<p class="quiet">Facebook twin</p>
        ${body}`,
    );
  }
  function showPost(ctx: Context, post: Post | undefined): void {
    if (post === undefined || post.deleted_at !== undefined || !post.is_published) return;
    store.write(() => {
      const { views } = nodes.change('post', post.id, { views: post.views + 1 });
      if (post.video !== undefined) nodes.change('video', post.video, { views });
    });
    show(ctx, authorOf(post) ?? 'Post', html`${draw(post)} ${drawComments(post.id)}`);
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
        ${posts.toReversed().map(draw)}`,
    );
  }

  return Object.freeze({
    draw,
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
      const video = first === 'reel' ? nodes.get('video', second) : undefined;
      const photo = first === 'photo' ? nodes.get('photo', String(ctx.query['fbid'] ?? '')) : undefined;
      if (video !== undefined) showPost(ctx, nodes.get('post', video.post_id));
      else if (photo?.post_id !== undefined) showPost(ctx, nodes.get('post', photo.post_id));
      else if (first === 'stories') showPost(ctx, nodes.get('post', `${second}_${third}`));
      else if (second === 'posts') showPost(ctx, nodes.get('post', `${first}_${third}`));
      else if (found !== undefined && second === '') showPage(ctx, found);
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
