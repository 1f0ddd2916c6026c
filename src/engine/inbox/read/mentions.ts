import type { AccountRow } from '#db/access/accounts.ts';
import { listPages, pageNamed, type PageRow } from '#db/access/pages.ts';
import { listMentions } from '#db/inbox/lists.ts';
import type { MentionRow } from '#db/inbox/mentions.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Lists, PageQuery, Position } from '#kernel/pagination.ts';
import type { SkippedPage } from '#platforms/inbound.ts';
import { warningsOf } from '#platforms/retry-policy.ts';
import { mentionRecord } from '../record/events.ts';
import type { Lookup } from './lookup.ts';
import {
  floorOf,
  freshPageCursors,
  makeMentionLists,
  openCursor,
  sealCursor,
  type PageCursor,
} from './mention-lists.ts';
import { nameOf } from './present-inbox.ts';

/** How often the platform's lists are read for one page of our list, at most. */
const MOST_READS = 5;

type MentionDeps = Readonly<{ store: Store; clock: Clock; lists: Lists; lookup: Lookup }>;

/** Stops at a full page; after the first read any mention is enough, and after the last read also none. */
function isEnough(found: number, limit: number, reads: number): boolean {
  return found > limit || (found > 0 && reads > 0) || reads === MOST_READS;
}

export function makeMentions({ store, clock, lists, lookup }: MentionDeps) {
  const readOn = makeMentionLists({ store, clock, lookup });

  const mentionsOf = (account: AccountRow, resource: string) =>
    lookup.capabilityOf(account, resource, (connector) => connector.mentions);

  async function readPage(
    account: AccountRow,
    { since, limit }: Readonly<{ since: number | undefined; limit: number }>,
    from: Position | undefined,
  ) {
    const { list } = mentionsOf(account, 'mentions.list');
    const pages = await listPages(store.db, account.id);
    const fresh = list === undefined ? [] : freshPageCursors(pages, lookup.findConnector(account)?.pages !== undefined);
    const opened = from && openCursor(from, fresh);
    let pageCursors = opened?.pageCursors ?? fresh;
    const again: PageCursor[] = [];
    const skipped: SkippedPage[] = [];
    let refused = 0;
    for (let reads = 0; ; reads += 1) {
      const span = { from: opened?.at, after: since, notBefore: floorOf(pageCursors) };
      const found = await listMentions(store.db, account.id, span, limit);
      if (!isEnough(found.length, limit, reads) && list !== undefined && pageCursors.length > 0) {
        const read = await readOn(account, list, pageCursors, { limit, since });
        pageCursors = read.left;
        again.push(...read.again);
        skipped.push(...read.skipped);
        refused += read.refusals.length;
        // Fails only if every list was refused; otherwise the others are returned.
        if (refused === fresh.length) throw read.refusals[0]!;
        continue;
      }
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      const at = last === undefined ? opened?.at : { at: last.created_at, id: last.platform_id };
      const more = found.length > limit || pageCursors.length > 0;
      const warnings = warningsOf(skipped, pages);
      return {
        items: rows.map((row) => presentMention(account, row, pages)),
        next: more ? sealCursor(at, [...pageCursors, ...again]) : undefined,
        extra: { count: rows.length, ...(warnings.length > 0 && { warnings }) },
      };
    }
  }

  return Object.freeze({
    list: (authority: Authority, accountId: string, since: number | undefined, query: PageQuery) =>
      lists.live(query, {
        name: 'mentions',
        given: { account_id: accountId, since },
        async read(filters, from) {
          const account = await lookup.accountOf(authority, accountId);
          return readPage(account, { since: filters.since, limit: query.limit }, from);
        },
      }),
  });
}

/** A mention in the API's format. */
export function presentMention(account: AccountRow, row: MentionRow, pages: readonly PageRow[]) {
  const page = row.page_id === null ? undefined : pageNamed(pages, row.page_id);
  const record = mentionRecord(account, row, page?.id ?? row.page_id ?? undefined);
  const { name, username, id } = record.author;
  return {
    ...record,
    platform_post_id: row.platform_post_id,
    author: { ...record.author, name: nameOf(name, username, id) },
    answered: row.is_answered !== 0,
  };
}
