import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32, deflateSync } from 'node:zlib';
import type { Context } from 'koa';
import { HOME, html, navLinkOf, page, type Html } from '../html.ts';
import type { Blob, Files } from './files.ts';

/** Types that browsers may display; files of other types are downloaded. */
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

/** Draws a profile picture: a square in a colour derived from the id. */
function portrait(id: string): Buffer {
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

/** Shows a public page that links to the console. */
export function showPublic(
  ctx: Context,
  { slug, network }: Readonly<{ slug: string; network: string }>,
  title: string,
  body: Html,
): void {
  ctx.set('Content-Security-Policy', `${ctx.response.get('Content-Security-Policy')}; media-src 'self'`);
  ctx.type = 'html';
  ctx.body = page(
    title,
    html`<p class="quiet">What visitors of the simulated ${network} see</p>
      ${body}`,
    [HOME, navLinkOf(slug, network)],
  );
}

/** Serves `/<file>` and `/picture/<id>.png`, and ignores other paths. */
export const fileHost =
  (files: Pick<Files, 'pieces' | 'find'>, find: (id: string) => Blob | undefined = files.find) =>
  (ctx: Context, [first = '', second, ...more]: readonly string[]): void => {
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || more.length > 0) return;
    const portraitOf = first === 'picture' ? /^(\d{1,30})\.png$/.exec(second ?? '')?.[1] : undefined;
    const blob = second === undefined ? find(first) : undefined;
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
  };
