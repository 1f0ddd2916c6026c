/** Small copies of pictures for the sandbox's pages, made on first use and then stored. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from 'koa';
import { sha256 } from '#kernel/sign.ts';
import type { Store } from '../store.ts';

/** Makes a small WebP; undefined if the picture cannot be converted. */
export type MakeSmall = (bytes: Uint8Array, type: string) => Promise<Uint8Array | undefined>;

const MARK = 'sandbox-small';
/** Smaller files need no copy; larger ones would need too much memory. */
const [LEAST_BYTES, MOST_BYTES] = [65_536, 104_857_600];

/** The URL of a small copy of a picture. */
export const smallOf = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}${MARK}`;

/** Serves URLs with the mark: a small copy, or the picture itself if it is small or cannot be converted. */
export function makeSmallPictures({ db, write }: Store, make: MakeSmall | undefined) {
  db.exec('create table if not exists small_picture (sha256 text primary key, bytes blob not null) strict');
  const find = db.prepare('select bytes from small_picture where sha256 = ?');
  const insert = db.prepare('insert into small_picture (sha256, bytes) values (?, ?) on conflict do nothing');

  async function smallFrom(bytes: Buffer, type: string): Promise<Uint8Array | undefined> {
    const hash = sha256(bytes);
    const known = find.get(hash) as { bytes: Buffer } | undefined;
    if (known !== undefined) return known.bytes;
    const made = await make?.(bytes, type);
    if (made !== undefined) write(() => insert.run(hash, made));
    return made;
  }

  async function shrink(ctx: Context): Promise<void> {
    const { length, type, status } = ctx.response;
    const isInRange = length >= LEAST_BYTES && length <= MOST_BYTES;
    if (status !== 200 || !type.startsWith('image/') || !isInRange) return;
    const body = ctx.body as Buffer | Readable;
    const bytes = Buffer.isBuffer(body) ? body : await buffer(body);
    const small = await smallFrom(bytes, type);
    ctx.body = small ?? bytes;
    if (small !== undefined) ctx.type = 'image/webp';
    else ctx.type = type;
  }

  return Object.freeze({
    async answer(ctx: Context, route: () => Promise<void>): Promise<void> {
      const isSmall = ctx.method === 'GET' && ctx.URL.searchParams.has(MARK);
      if (!isSmall) return route();
      const rest = new URLSearchParams(ctx.querystring);
      rest.delete(MARK);
      ctx.querystring = rest.toString();
      await route();
      await shrink(ctx);
    },
    reset: () => void db.exec('delete from small_picture'),
  });
}
