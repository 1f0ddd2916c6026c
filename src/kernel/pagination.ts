import { createHmac, type KeyObject } from 'node:crypto';
import { fail } from './errors.ts';
import { safeEqual } from './sign.ts';

/** Where a list continues: the sort key and id of the last row of the previous page. */
export type Position = Readonly<{ at: number; id: string }>;

type Sealed = readonly [list: string, at: number, id: string, filters: Readonly<Record<string, unknown>>];

type Filters = Readonly<Record<string, unknown>>;

/** Makes and reads cursors; they are signed, so their content needs no further validation. */
function makeCursors(key: KeyObject) {
  const signatureOf = (body: string) => createHmac('sha256', key).update(body).digest('base64url').slice(0, 22);

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

  return Object.freeze({
    /** Makes an opaque cursor that is bound to its list and filters: docs/contract/requests.md#lists. */
    encode(list: string, position: Position, filters: Filters): string {
      const kept = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
      const sealed = JSON.stringify([list, position.at, position.id, kept] satisfies Sealed);
      const body = Buffer.from(sealed).toString('base64url');
      return `${body}.${signatureOf(body)}`;
    },

    /** Reads a cursor and takes absent filters from it; throws if the list or a given filter differs. */
    decode<F extends Filters>(
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
        if (!(name in merged) || JSON.stringify(merged[name]) !== JSON.stringify(value)) refuse();
      }
      return { filters: merged as F, from: { at: sealed[1], id: sealed[2] } };
    },
  });
}

function refuse(): never {
  fail('validation.field_invalid', {
    message: 'This cursor belongs to another list or to other filters.',
    meta: { field: 'cursor' },
  });
}

/** Requests a page of `limit` items after the cursor. */
export type PageQuery = Readonly<{ limit: number; cursor?: string | undefined }>;
/** Requests a page of a list that is returned whole unless a limit is given. */
export type WholeQuery = Readonly<{ limit?: number | undefined; cursor?: string | undefined }>;
/** The rows to read: `limit` and one more, after the position `from`. */
export type PageSpan = Readonly<{ limit: number; from: Position | undefined }>;

export const byCreation = ({ created_at: at, id }: Readonly<{ created_at: number; id: string }>): Position => ({
  at,
  id,
});

type StoredList<F extends Filters, R, T, X extends object> = Readonly<{
  /** The name of the list; cursors of other lists are refused. */
  name: string;
  /** The filters of the request; absent filters are undefined. */
  given: F;
  /** Reads rows with the filters of the request and the cursor combined. */
  read: (filters: F, span: PageSpan) => Promise<readonly R[]>;
  position: (row: R, filters: F) => Position;
  show: (rows: readonly R[]) => readonly T[] | Promise<readonly T[]>;
  /** Reads further fields of the response, at the same time as the page. */
  extra?: (filters: F) => Promise<X>;
}>;

/** A list that is read from its source, such as a platform, and not from the store. */
type LiveList<F extends Filters, T, X extends object> = Readonly<{
  name: string;
  given: F;
  /** Reads a page from the position that the previous page returned. */
  read: (filters: F, from: Position | undefined) => Promise<LivePage<F, T, X>>;
}>;

type LivePage<F extends Filters, T, X extends object> = Readonly<{
  items: readonly T[];
  next?: Position | undefined;
  /** Filters that this page determined for the pages after it. */
  found?: Partial<F>;
  extra: X;
}>;

/** Wraps a platform's cursor in a position; undefined if there is none. */
export const atCursor = (id: string | undefined): Position | undefined =>
  id === undefined ? undefined : { at: 0, id };

/** Makes paged lists; all processes must sign cursors with the same key. */
export function makeLists(key: KeyObject) {
  const { encode, decode } = makeCursors(key);

  return Object.freeze({
    encode,

    async page<F extends Filters, R, T, X extends object = object>(
      { limit, cursor }: PageQuery,
      { name, given, read, position, show, extra }: StoredList<F, R, T, X>,
    ) {
      const { filters, from } = decode(name, cursor, given);
      const [rows, more] = await Promise.all([read(filters, { limit, from }), extra?.(filters)]);
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? encode(name, position(page.at(-1)!, filters), filters) : '';
      return { ...listAnswer(await show(page), limit, next), ...(more as X) };
    },

    /** A page of a list that is read whole, newest first (`rising`: oldest first); the cursor is the last id. */
    async whole<T extends { id: string }, F extends Filters>(
      { limit, cursor }: WholeQuery,
      {
        name,
        given,
        read,
        rising = false,
      }: Readonly<{ name: string; given: F; read: (filters: F) => Promise<readonly T[]>; rising?: boolean }>,
    ) {
      const { filters, from } = decode(name, cursor, given);
      const all = await read(filters);
      const rest = from === undefined ? all : all.filter(({ id }) => (rising ? id > from.id : id < from.id));
      const most = limit ?? Math.max(1, rest.length);
      const page = rest.slice(0, most);
      const next = rest.length > most ? encode(name, { at: 0, id: page.at(-1)!.id }, filters) : '';
      return { count: all.length, ...listAnswer(page, most, next) };
    },

    /** A page of a constant list, which is returned whole unless a limit is given. */
    fixed<T>({ limit, cursor }: WholeQuery, { name, all }: Readonly<{ name: string; all: readonly T[] }>) {
      const begin = decode(name, cursor, {}).from?.at ?? 0;
      const most = limit ?? Math.max(1, all.length - begin);
      const end = begin + most;
      const next = end < all.length ? encode(name, { at: end, id: '' }, {}) : '';
      return { count: all.length, ...listAnswer(all.slice(begin, end), most, next) };
    },

    /** A page of a list from another source, whose own cursor is contained in ours. */
    async live<F extends Filters, T, X extends object>(
      { limit, cursor }: PageQuery,
      { name, given, read }: LiveList<F, T, X>,
    ) {
      const { filters, from } = decode(name, cursor, given);
      const { items, next, found, extra } = await read(filters, from);
      const following = next === undefined ? '' : encode(name, next, { ...filters, ...found });
      return { ...listAnswer(items, limit, following), ...extra };
    },
  });
}

export type Lists = ReturnType<typeof makeLists>;

/** The response with a list; the next cursor is in both places where clients look for it. */
function listAnswer<T>(data: readonly T[], limit: number, next = '') {
  return { data, pagination: { has_more: next !== '', next_cursor: next, limit }, next_cursor: next };
}
