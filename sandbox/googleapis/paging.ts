import { createHash } from 'node:crypto';
import type { GoogleCall } from './calls.ts';
import { badField } from './errors.ts';

export type ListPage<T> = Readonly<{ items: readonly T[]; nextPageToken?: string; prevPageToken?: string }>;

const digest = (bound: string) => createHash('sha256').update(bound).digest('base64url').slice(0, 16);

const tokenOf = (at: number, bound: string) => Buffer.from(`${at} ${digest(bound)}`).toString('base64url');

/** Cuts a page from a list. A token is opaque and valid only for the query `bound`; undefined if it is not valid. */
export function cutPage<T>(
  all: readonly T[],
  { size, token, bound }: Readonly<{ size: number; token: string | undefined; bound: string }>,
): ListPage<T> | undefined {
  const [, at = '0', question] = /^(\d{1,9}) ([\w-]{16})$/.exec(Buffer.from(token ?? '', 'base64url').toString()) ?? [];
  const isGiven = token !== undefined && token !== '';
  if (isGiven && question !== digest(bound)) return undefined;
  const from = isGiven ? Number(at) : 0;
  return {
    items: all.slice(from, from + size),
    ...(from + size < all.length && { nextPageToken: tokenOf(from + size, bound) }),
    ...(from > 0 && { prevPageToken: tokenOf(Math.max(0, from - size), bound) }),
  };
}

/** The page sizes of an API, and what else besides the path makes two queries different. */
type Sizes = Readonly<{ most: number; normal: number; bound?: string }>;

/** A page of a list in the newer APIs. Like Google, it limits the page size instead of refusing it. */
export function listed<T>(
  { params, path, ctx }: GoogleCall,
  all: readonly T[],
  { most, normal, bound = '' }: Sizes,
): Readonly<{ items: readonly T[]; next: object }> {
  const request = params.text('pageSize') ?? '0';
  if (!/^\d{1,9}$/.test(request)) throw badField('page_size', 'The page size must be a number that is not negative.');
  const size = Number(request) === 0 ? normal : Math.min(Number(request), most);
  const question = `${ctx.method} ${Object.values(path).join('/')} ${bound}`;
  const page = cutPage(all, { size, token: params.text('pageToken'), bound: question });
  if (page === undefined) throw badField('page_token', 'The page token is not valid for this request.');
  const { items, nextPageToken } = page;
  return { items, next: nextPageToken === undefined ? {} : { nextPageToken } };
}
