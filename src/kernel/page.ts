import { createHmac, generateKeySync, type KeyObject } from 'node:crypto';
import { fail } from './errors.ts';
import { safeEqual } from './sign.ts';

/** Where a list goes on: the sort key and id of the last row seen, bound to the list and its filters. */
export type Position = Readonly<{ at: number; id: string }>;

/** Cursors are signed: what stands in one was read by a schema before and need not be read again. */
let key = generateKeySync('hmac', { length: 256 });

/** Sets the key that cursors are signed with, once at start, so that all processes know each other's. */
export function signCursorsWith(secret: KeyObject): void {
  key = secret;
}

const signatureOf = (body: string) => createHmac('sha256', key).update(body).digest('base64url').slice(0, 22);

type Sealed = readonly [list: string, at: number, id: string, filters: Readonly<Record<string, unknown>>];

/** Makes an opaque cursor that knows its list and filters: docs/contract/requests.md#lists. */
export function encodeCursor(list: string, position: Position, filters: Readonly<Record<string, unknown>>): string {
  const kept = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const body = Buffer.from(JSON.stringify([list, position.at, position.id, kept] satisfies Sealed)).toString(
    'base64url',
  );
  return `${body}.${signatureOf(body)}`;
}

/**
 * Reads a cursor of the same list. Filters that are absent are taken from it; different ones are refused,
 * as is a cursor of another list.
 */
export function decodeCursor<F extends Readonly<Record<string, unknown>>>(
  list: string,
  cursor: string | undefined,
  filters: F,
): { filters: F; from: Position | undefined } {
  if (cursor === undefined || cursor === '') return { filters, from: undefined };
  const sealed = parse(cursor);
  if (sealed === undefined || sealed[0] !== list) refuse();
  const merged: Record<string, unknown> = { ...sealed[3] };
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    if (name in merged ? JSON.stringify(merged[name]) !== JSON.stringify(value) : true) refuse();
  }
  return { filters: merged as F, from: { at: sealed[1], id: sealed[2] } };
}

function parse(cursor: string): Sealed | undefined {
  const [body = '', signature = ''] = cursor.split('.');
  if (!safeEqual(signature, signatureOf(body))) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || value.length !== 4) return undefined;
    const [list, at, id, filters] = value as unknown[];
    const sound =
      typeof list === 'string' &&
      Number.isSafeInteger(at) &&
      typeof id === 'string' &&
      typeof filters === 'object' &&
      filters !== null;
    return sound ? (value as unknown as Sealed) : undefined;
  } catch {
    return undefined;
  }
}

function refuse(): never {
  fail('validation.field_invalid', {
    message: 'This cursor belongs to another list or to other filters.',
    meta: { field: 'cursor' },
  });
}

/** What a caller asks of a list: a page of so many items, behind the cursor that the page before answered. */
export type PageQuery = Readonly<{ limit: number; cursor?: string | undefined }>;
/** The same where the list is one page unless a limit is asked for. */
export type WholeQuery = Readonly<{ limit?: number | undefined; cursor?: string | undefined }>;
/** What is read for a page: `limit` rows and one more if there is one, behind the row `from`. */
export type PageSpan = Readonly<{ limit: number; from: Position | undefined }>;

type Filters = Readonly<Record<string, unknown>>;

/** The position of a row in a list that is sorted by creation. */
export const byCreation = ({ created_at: at, id }: Readonly<{ created_at: number; id: string }>): Position => ({
  at,
  id,
});

/**
 * One page of a stored list. `given` are the filters of the request, with undefined for what it does not name; `read`
 * gets them as the cursor completes them. `extra` is read beside the page and answered with it.
 */
export async function listPage<F extends Filters, R, T, X extends object = object>(
  { limit, cursor }: PageQuery,
  list: Readonly<{
    /** Cursors of one list are refused by the others. */
    name: string;
    given: F;
    read: (filters: F, span: PageSpan) => Promise<readonly R[]>;
    position: (row: R, filters: F) => Position;
    show: (rows: readonly R[]) => readonly T[] | Promise<readonly T[]>;
    extra?: (filters: F) => Promise<X>;
  }>,
) {
  const { name, given, read, position, show, extra } = list;
  const { filters, from } = decodeCursor(name, cursor, given);
  const [rows, more] = await Promise.all([read(filters, { limit, from }), extra?.(filters)]);
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? encodeCursor(name, position(page.at(-1)!, filters), filters) : '';
  return { ...listAnswer(await show(page), limit, next), ...(more as X) };
}

/**
 * A list that is read whole, and one page unless a limit is asked for. It comes newest first, so ids fall: a page goes
 * on below the last id seen, whether or not that row is still there. `rising` lists have their ids the other way round.
 */
export async function listWhole<T extends { id: string }, F extends Filters>(
  { limit, cursor }: WholeQuery,
  {
    name,
    given,
    read,
    rising = false,
  }: Readonly<{ name: string; given: F; read: (filters: F) => Promise<readonly T[]>; rising?: boolean }>,
) {
  const { filters, from } = decodeCursor(name, cursor, given);
  const all = await read(filters);
  const rest = from === undefined ? all : all.filter(({ id }) => (rising ? id > from.id : id < from.id));
  const most = limit ?? Math.max(1, rest.length);
  const page = rest.slice(0, most);
  const next = rest.length > most ? encodeCursor(name, { at: 0, id: page.at(-1)!.id }, filters) : '';
  return { count: all.length, ...listAnswer(page, most, next) };
}

/** A list that is the same as long as the server runs, one page unless a limit is asked for. */
export function listFixed<T>(
  { limit, cursor }: WholeQuery,
  { name, all }: Readonly<{ name: string; all: readonly T[] }>,
) {
  const begin = decodeCursor(name, cursor, {}).from?.at ?? 0;
  const most = limit ?? Math.max(1, all.length - begin);
  const end = begin + most;
  const next = end < all.length ? encodeCursor(name, { at: end, id: '' }, {}) : '';
  return { count: all.length, ...listAnswer(all.slice(begin, end), most, next) };
}

/** The answer of a list, with the next cursor at both places where clients look for it. */
export function listAnswer<T>(data: readonly T[], limit: number, next = '') {
  return { data, pagination: { has_more: next !== '', next_cursor: next, limit }, next_cursor: next };
}
