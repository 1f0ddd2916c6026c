import { listAccounts, type AccountRow } from '#db/access/accounts.ts';
import {
  listUnanswered,
  UNANSWERED_KINDS,
  type UnansweredKind,
  type UnansweredPlace,
  type UnansweredRows,
} from '#db/inbox/unanswered.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { type ErrorCode } from '#kernel/errors.ts';
import type { Lists, PageQuery, PageSpan, Position } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { cut } from '#kernel/text/length.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Person } from '#platforms/inbox-types.ts';
import { participantOf } from '../record/events.ts';
import { interactionId } from '../record/ids.ts';
import { previewOf } from '../record/preview.ts';
import { kindsFor } from './kinds.ts';
import type { Lookup } from './lookup.ts';
import { presentPerson } from './present-inbox.ts';
import { blockOf, lateAnswer, messageBlockOf, type Answer } from './messaging-window.ts';

export type UnansweredFilter = {
  account_id?: string | undefined;
  brand_id?: string | undefined;
  platform?: PlatformSlug | undefined;
  kind?: UnansweredKind | undefined;
  since?: number | undefined;
};

/** How much text of an item is shown: enough to judge how urgent it is. */
const MOST_TEXT = 200;

/** Whether a platform supports replies to each kind of item. */
const CAN_ANSWER: Readonly<Record<UnansweredKind, (platform: Platform) => boolean>> = Object.freeze({
  conversation: ({ messages }) => messages !== undefined,
  comment: ({ comments }) => comments?.reply !== undefined,
  review: ({ reviews }) => reviews !== undefined,
  mention: ({ mentions }) => mentions?.reply !== undefined,
});

type Found = { [K in UnansweredKind]: Readonly<{ kind: K; row: UnansweredRows[K] }> }[UnansweredKind] &
  ConnectedAccount;

type ConnectedAccount = Readonly<{ account: AccountRow; platform: Platform }>;

/** An item's text and author, and the call that answers it or the reason why it cannot be answered. */
type Item = Readonly<{
  id: string;
  author: Person;
  text: string;
  more: Readonly<Record<string, string | number>>;
  answer?: Answer | undefined;
  blocked?: ErrorCode | undefined;
}>;

type UnansweredDeps = Readonly<{ store: Store; clock: Clock; lists: Lists; lookup: Lookup }>;

/** Lists everything that has not been answered, of all kinds together. */
export function makeUnanswered({ store, clock, lists, lookup }: UnansweredDeps) {
  async function connectedAccounts(
    authority: Authority,
    filter: UnansweredFilter,
  ): Promise<readonly ConnectedAccount[]> {
    await lookup.checkFilter(authority, filter);
    const { account_id: accountId, brand_id: brandId, platform: slug } = filter;
    const accounts = await listAccounts(store.db, authority, { accountId, brandId, platform: slug });
    return accounts.flatMap((account) => {
      const platform = lookup.findConnector(account);
      return platform === undefined ? [] : { account, platform };
    });
  }

  async function read(
    authority: Authority,
    filter: UnansweredFilter,
    { limit, from }: PageSpan,
  ): Promise<readonly Found[]> {
    const accounts = await connectedAccounts(authority, filter);
    const kinds = kindsOf(authority, filter).map(async (kind) => {
      const able = new Map(
        accounts.filter(({ platform }) => CAN_ANSWER[kind](platform)).map((one) => [one.account.id, one]),
      );
      if (able.size === 0) return [];
      const span = { accounts: [...able.keys()], since: filter.since ?? -1, from: placeOf(kind, from), limit };
      const rows = await listUnanswered(store, authority, kind, span);
      return rows.map((row) => ({ kind, row, ...able.get(row.account_id)! }) as Found);
    });
    const found = (await Promise.all(kinds)).flat();
    return found.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, limit + 1);
  }

  return Object.freeze({
    list: (authority: Authority, given: UnansweredFilter, query: PageQuery) =>
      lists.page(query, {
        name: 'unanswered',
        given,
        read: (filters, span) => read(authority, filters, span),
        position: (found) => ({
          at: timeOf(found),
          id: JSON.stringify([found.kind, found.row.account_id, keyOf(found)]),
        }),
        show: (rows) => rows.map((found) => presentItem(found, clock.now())),
        extra: async (filters) => ({ kinds: kindsOf(authority, filters) }),
      }),
  });
}

const kindsOf = (authority: Authority, { kind: named }: UnansweredFilter) =>
  kindsFor(authority, { all: UNANSWERED_KINDS, direct: 'conversation', named });

/** Where a kind continues after the last item; items of the same time are ordered by kind. */
function placeOf(kind: UnansweredKind, from: Position | undefined): UnansweredPlace {
  if (from === undefined) return { at: NEVER, accountId: '', id: '' };
  const [last, accountId, id] = JSON.parse(from.id) as [UnansweredKind, string, string];
  if (kind === last) return { at: from.at, accountId, id };
  const isLater = UNANSWERED_KINDS.indexOf(kind) > UNANSWERED_KINDS.indexOf(last);
  return { at: isLater ? from.at + 1 : from.at, accountId: '', id: '' };
}

const timeOf = ({ kind, row }: Found): number => (kind === 'conversation' ? row.last_message_at : row.created_at);

const keyOf = ({ kind, row }: Found): string => (kind === 'conversation' ? row.id : row.platform_id);

function presentItem(found: Found, now: number) {
  const { kind, account } = found;
  const { id, author, text, more, answer, blocked = blockOf(account.status) } = itemOf(found, now);
  return {
    kind,
    id,
    account_id: account.id,
    brand_id: account.brand_id,
    platform: account.platform,
    author: presentPerson(author),
    text: cut(text, MOST_TEXT),
    created_at: isoTime(timeOf(found)),
    ...more,
    ...(blocked === undefined ? answer && { answer } : { blocked }),
  };
}

function itemOf({ kind, row, account, platform }: Found, now: number): Item {
  const account_id = account.id;
  const ours = (type: 'comment' | 'review' | 'mention', platformId: string) =>
    interactionId(type, account.platform, platformId);
  switch (kind) {
    case 'conversation': {
      const blocked = messageBlockOf(row, platform, account.status, now);
      const late =
        blocked === undefined || blockOf(account.status) ? undefined : lateAnswer(row, platform.messages!.parts, now);
      return {
        id: row.id,
        author: participantOf(row),
        text: row.last_message,
        more: { unread_count: row.unread_count },
        answer: late ?? { tool: 'send_dm', arguments: { conversation_id: row.id } },
        blocked: late === undefined ? blocked : undefined,
      };
    }
    case 'comment': {
      const [id, post_id] = [ours(kind, row.platform_id), row.platform_post_id];
      const tool = row.capabilities.can_reply ? 'reply_to_comment' : 'private_reply_to_comment';
      const answer = { tool, arguments: { account_id, post_id, comment_id: id } };
      return {
        id,
        author: row.author,
        text: previewOf(row.text, row.media),
        more: { platform_post_id: post_id },
        answer,
      };
    }
    case 'review': {
      const id = ours(kind, row.platform_id);
      const answer = { tool: 'reply_to_review', arguments: { account_id, review_id: id } };
      return { id, author: row.author, text: previewOf(row.text, row.media), more: { rating: row.rating }, answer };
    }
    case 'mention': {
      const id = ours(kind, row.platform_id);
      const answer = { tool: 'reply_to_mention', arguments: { account_id, mention_id: id } };
      const more = { platform_post_id: row.platform_post_id };
      return { id, author: row.author, text: previewOf(row.text, row.media), more, answer };
    }
  }
}
