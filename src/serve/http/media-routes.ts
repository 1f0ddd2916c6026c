import type { InboxModule } from '#engine/inbox/index.ts';
import type { Download, Media } from '#engine/media/media.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { bytesOf } from './multipart.ts';

type Range = Readonly<{ from: number; to: number }>;

/** Routes with capability URLs: `/upload/{token}`, `/media/{token}/{filename}` and `/media/inbound/{token}`. */
export function mediaRoutes(
  media: Pick<Media, 'put' | 'read'>,
  attachments: InboxModule['attachments'],
  uploadPage: Pick<Route, 'GET' | 'POST'>,
): readonly Route[] {
  return Object.freeze([
    { path: '/upload/{token}', ...uploadPage, PUT: (ctx, { token }) => receive(ctx, media, token!) },
    {
      path: '/media/{token}/{filename}',
      trailingSlash: false,
      GET: (ctx, { token }) => send(ctx, media, token!),
    },
    { path: '/media/inbound/{token}', HEAD: false, GET: (ctx, { token }) => pass(ctx, attachments, token!) },
  ]);
}

async function receive(ctx: RequestContext, media: Pick<Media, 'put'>, token: string): Promise<void> {
  const headers = { declared: ctx.request.length, named: ctx.get('Content-Type') };
  ctx.body = { success: true, ...(await media.put(token, bytesOf(ctx.req), headers)) };
}

async function send(ctx: RequestContext, media: Pick<Media, 'read'>, token: string): Promise<void> {
  const width = ctx.URL.searchParams.get('width');
  const file = await media.read(token, width === null ? undefined : Number(width));
  describe(ctx, file);
  ctx.set({ 'Cache-Control': 'private, max-age=3600', 'Accept-Ranges': 'bytes' });
  if (file.sha256 !== undefined) ctx.set('ETag', `"${file.sha256}"`);
  ctx.status = 200;
  if (ctx.method === 'GET' && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const range = ctx.method === 'GET' ? rangeOf(ctx, file.size_bytes) : undefined;
  if (range === 'none') {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${file.size_bytes}`);
    ctx.body = '';
    return;
  }
  const { from, to } = range ?? { from: 0, to: file.size_bytes - 1 };
  if (range) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${from}-${to}/${file.size_bytes}`);
  }
  if (ctx.method === 'GET') ctx.body = file.stream(from, to);
  ctx.set('Content-Type', file.content_type);
  ctx.length = to - from + 1;
}

/** Streams an attachment from the platform. */
async function pass(ctx: RequestContext, attachments: InboxModule['attachments'], token: string): Promise<void> {
  const file = await attachments.open(token, ctx.get('Range'));
  ctx.status = file.status;
  ctx.body = file.body;
  describe(ctx, file);
  ctx.set({ ...file.headers, 'Cache-Control': 'no-store' });
}

/** Keeps browsers from guessing the type of untrusted files and from running them. */
function describe(
  ctx: RequestContext,
  { filename, content_type, inline }: Pick<Download, 'filename' | 'content_type' | 'inline'>,
): void {
  ctx.attachment(filename, { type: inline ? 'inline' : 'attachment' });
  ctx.set({
    'Content-Type': content_type,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  });
}

/** The requested range: undefined for the whole file, `none` if it lies outside the file (RFC 9110 § 14). */
function rangeOf(ctx: RequestContext, size: number): Range | 'none' | undefined {
  const range = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(ctx.get('Range').replace(/\s/g, ''));
  const condition = ctx.get('If-Range');
  if (!range || (condition !== '' && condition !== ctx.response.get('ETag'))) return undefined;
  const [first, last] = [range[1]!, range[2]!];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'none' : { from: Math.max(0, size - Number(last)), to: size - 1 };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'none';
  return { from: Number(first), to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
