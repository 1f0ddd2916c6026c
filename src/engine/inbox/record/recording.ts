import type { AccountRow } from '#db/access/accounts.ts';
import { listPages, type PageRow } from '#db/access/pages.ts';
import type { ConversationRow } from '#db/inbox/conversations.ts';
import type { MentionRow } from '#db/inbox/mentions.ts';
import type { Emitted, Tx } from '#db/store/tx.ts';
import type { Person } from '#platforms/inbox-types.ts';
import type { AttachmentAddresses } from '../read/attachment-addresses.ts';

export type RecordOptions = Readonly<{
  now: number;
  /** For the backfill and for lists: emits no event. If a webhook reports the same later, that emits one. */
  silent: boolean;
  /** How the events arrived, if that is to be counted. */
  way?: 'push' | 'poll' | 'history';
  /** With `silent`: emits events all the same for things after this time that are not stored yet. */
  since?: number | undefined;
  /** With `silent`: these are the items that a first poll found, which later polls skip. */
  baseline?: boolean;
  /** For lists: all new mentions together emit one event. */
  together?: boolean;
  /** Adds URLs in events to attachments that need a login. */
  addresses?: Pick<AttachmentAddresses, 'shown'> | undefined;
}>;

/** A conversation's changes while events about it are recorded. */
export type Thread = {
  readonly row: ConversationRow;
  /** Whether the list with the conversation gave its number of unread messages. */
  readonly isCounted: boolean;
  unread: number;
  hasIncoming: boolean;
  lastIncoming: number;
  hasNewMessages: boolean;
};

/** State shared while an account's events are recorded in one transaction, under the account's lock. */
export type Recording = RecordOptions &
  Readonly<{
    tx: Tx;
    account: AccountRow;
    /** Queues an event; all are emitted at the end, ordered by `at` (milliseconds). */
    emitLater(event: Emitted, at: number): void;
    threads: Map<string, Thread>;
    /** The current id for each kind of thing and alias. */
    currentIds: Map<string, string>;
    listedPosts: Set<string>;
    /** Mentions in a list that were not stored before. */
    newMentions: MentionRow[];
    findPage(platformPageId: string | null | undefined): Promise<PageRow | undefined>;
  }>;

type Happened = Readonly<{ event: Emitted; at: number }>;

export function makeRecording(
  tx: Tx,
  account: AccountRow,
  how: RecordOptions,
  currentIds: Map<string, string>,
): Recording & { events: readonly Happened[] } {
  const events: Happened[] = [];
  let pages: Promise<PageRow[]> | undefined;
  return {
    ...how,
    tx,
    account,
    events,
    currentIds,
    emitLater: (event, at) => void events.push({ event, at }),
    threads: new Map(),
    listedPosts: new Set(),
    newMentions: [],
    async findPage(id) {
      if (id === null || id === undefined) return undefined;
      return (await (pages ??= listPages(tx.db, account.id))).find(({ platform_page_id }) => platform_page_id === id);
    },
  };
}

/** Whether to emit an event for something that happened at `at`. */
export function emitsEvent(
  { silent, since, baseline: first = false }: Recording,
  isKnown: boolean,
  at: number,
): boolean {
  // Later polls skip what the first one found, so it also emits what a list has stored in between.
  return !silent || (since !== undefined && at > since && (first || !isKnown));
}

/** Whether this will not emit an event even if it is reported again. */
export function neverEmits(recording: Recording, at: number): boolean {
  return recording.baseline === true && !emitsEvent(recording, false, at);
}

/** The account's identity in a conversation or on a post: its page if there is one. */
export function selfOf(account: AccountRow, page: PageRow | undefined): Person {
  if (page === undefined) {
    return {
      id: account.platform_user_id,
      name: account.name,
      username: account.username,
      avatar_url: account.profile_picture_url ?? undefined,
    };
  }
  const profile = page.facts;
  return {
    id: page.platform_page_id,
    name: page.name,
    username: profile.username,
    avatar_url: profile.profile_picture_url,
  };
}
