import { createHash } from 'node:crypto';

/** A page of a list, and the token of the next one, which is absent on the last page. */
export type ListPage<T> = Readonly<{ items: readonly T[]; nextPageToken?: string; prevPageToken?: string }>;

const digest = (bound: string) => createHash('sha256').update(bound).digest('base64url').slice(0, 16);

const tokenOf = (at: number, bound: string) => Buffer.from(`${at} ${digest(bound)}`).toString('base64url');

/**
 * Cuts a list into pages. A token is opaque and good for one question alone, `bound`; any other is undefined, which the
 * API refuses in its own words.
 */
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
