import { listAccounts, type AccountRow } from '#db/access/accounts.ts';
import {
  addEarlierWords,
  findWords,
  FOUND_KINDS,
  lacksWords,
  loadFound,
  type FoundKind,
  type Hit,
  type Written,
} from '#db/inbox/words.ts';
import type { Row } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Lists, PageQuery, PageSpan } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { snippetOf, wantedOf, type Wanted } from '#kernel/search/words.ts';
import type { Person } from '#platforms/inbox-types.ts';
import { interactionId } from '../record/ids.ts';
import { kindsFor } from './kinds.ts';
import type { Lookup } from './lookup.ts';
import { presentPerson } from './present-inbox.ts';

export type SearchFilter = {
  q?: string | undefined;
  account_id?: string | undefined;
  brand_id?: string | undefined;
  platform?: PlatformSlug | undefined;
  kind?: FoundKind | undefined;
};

const tableOf = (kind: FoundKind): Written => `${kind}s`;
const MOST_TEXT = 200;
const STEP = 500;

type SearchDeps = Readonly<{ store: Store; lists: Lists; lookup: Lookup }>;

type Found = Readonly<{ hit: Hit; account: AccountRow; wanted: Wanted; row: Words | undefined }>;
/** What the results show of a row. */
type Words = Readonly<{ author: Person; text: string; thread: string; is_ours?: boolean }>;

/** Searches what people wrote and what was replied. */
export function makeSearch({ store, lists, lookup }: SearchDeps) {
  async function read(authority: Authority, filter: SearchFilter, span: PageSpan): Promise<readonly Found[]> {
    const { q, account_id: accountId, brand_id: brandId, platform } = filter;
    const wanted = wantedOf(
      q ?? fail('validation.field_required', { message: 'q is required.', meta: { field: 'q' } }),
    );
    await lookup.checkFilter(authority, filter);
    const kinds = kindsOf(authority, filter).map(tableOf);
    const accounts = await listAccounts(store.db, authority, { accountId, brandId, platform });
    const byId = new Map(accounts.map((account) => [account.id, account]));
    if (wanted === undefined || byId.size === 0) return [];
    const hits = await findWords(store, authority, { wanted, kinds, accounts: [...byId.keys()] }, span);
    const rows = await rowsOf(hits);
    return hits.map((hit) => ({ hit, account: byId.get(hit.account_id)!, wanted, row: rows.get(keyOf(hit)) }));
  }

  async function rowsOf(hits: readonly Hit[]): Promise<ReadonlyMap<string, Words>> {
    const [messages, comments, mentions, reviews] = await Promise.all([
      loadFound(store, 'messages', hits),
      loadFound(store, 'comments', hits),
      loadFound(store, 'mentions', hits),
      loadFound(store, 'reviews', hits),
    ]);
    const named = <R extends Readonly<{ account_id: string; platform_id: string }>>(
      kind: Written,
      all: readonly R[],
      words: (row: R) => Words,
    ) => all.map((row) => [keyOf({ ...row, kind, item: row.platform_id }), words(row)] as const);
    return new Map([
      ...named('messages', messages, ofMessage),
      ...named('comments', comments, ({ author, text, platform_id: thread }) => ({ author, text, thread })),
      ...named('mentions', mentions, ({ author, text, platform_id: thread }) => ({ author, text, thread })),
      ...named('reviews', reviews, ofReview),
    ]);
  }

  return Object.freeze({
    find: (authority: Authority, given: SearchFilter, query: PageQuery) =>
      lists.page(query, {
        name: 'search',
        given,
        read: (filters, span) => read(authority, filters, span),
        position: ({ hit }) => ({ at: hit.at, id: String(hit.nth) }),
        show: (found) => found.flatMap(present),
        extra: async (filters) => ({
          kinds: kindsOf(authority, filters),
          is_complete: !(await lacksWords(store.db)),
        }),
      }),
  });
}

/** Adds some rows of a table to the search index; false when none are left. */
export const readWords = (store: Store, table: string): Promise<boolean> =>
  store.write(({ db }) => addEarlierWords(db, table as Written, STEP));

const keyOf = ({ kind, account_id, item }: Readonly<{ kind: Written; account_id: string; item: string }>): string =>
  JSON.stringify([kind, account_id, item]);

function ofMessage({ sender_id: id, sender_name: name, text, conversation_id, direction }: Row<'messages'>): Words {
  return { author: { id, name }, text, thread: conversation_id, is_ours: direction === 'outgoing' };
}

function ofReview({ author, text, reply_text, platform_id: thread }: Row<'reviews'>): Words {
  return { author, text: reply_text === null ? text : `${text}\n${reply_text}`, thread };
}

const kindsOf = (authority: Authority, { kind: named }: SearchFilter) =>
  kindsFor(authority, { all: FOUND_KINDS, direct: 'message', named });

/** Returns nothing if the row was deleted since it was found. */
function present({ hit, account, wanted, row }: Found) {
  if (row === undefined) return [];
  const kind = FOUND_KINDS.find((one) => tableOf(one) === hit.kind)!;
  const id = interactionId(kind === 'message' ? 'dm' : kind, account.platform, hit.item);
  const { text, marks } = snippetOf(row.text, wanted, MOST_TEXT);
  return [
    {
      kind,
      id,
      account_id: account.id,
      brand_id: account.brand_id,
      platform: account.platform,
      author: presentPerson(row.author),
      is_ours: row.is_ours ?? false,
      text,
      marks: marks.map(([from, to]) => ({ from, to })),
      created_at: isoTime(hit.at),
      thread: kind === 'message' ? { kind: 'conversation' as const, id: row.thread } : { kind, id },
    },
  ];
}
