import type { AccountRow } from '#db/access/accounts.ts';
import { listPages, type PageRow } from '#db/access/pages.ts';
import type { ConversationRow } from '#db/inbox/conversations.ts';
import type { MentionRow } from '#db/inbox/mentions.ts';
import type { Emitted, Tx } from '#db/store/tx.ts';
import type { Person } from '#platforms/inbox-types.ts';
import type { AttachmentAddresses } from '../read/attachment-addresses.ts';

export type RecordOptions = Readonly<{
  now: number;
  /** Backfill or a live list: stored without an event; a later push of the same still emits one. */
  silent: boolean;
  /** How it came, where that is counted. */
  way?: 'push' | 'poll' | 'history';
  /** With `silent`: what happened after this instant and is not stored emits an event nevertheless. */
  since?: number | undefined;
  /** With `silent`: the baseline of a first poll, which never emits events. */
  baseline?: boolean;
  /** New mentions are emitted as one event: for a list that was read live. */
  together?: boolean;
  /** Adds URLs to attachments in events that need a login. */
  addresses?: Pick<AttachmentAddresses, 'shown'> | undefined;
}>;

/** The state of a conversation while events about it are recorded. */
export type Thread = {
  readonly row: ConversationRow;
  /** The list it came from counts unread messages. */
  readonly isCounted: boolean;
  unread: number;
  hasIncoming: boolean;
  lastIncoming: number;
  hasNewMessages: boolean;
};

/** The recording of one account's events in one transaction, under the account's lock. */
export type Recording = RecordOptions &
  Readonly<{
    tx: Tx;
    account: AccountRow;
    /** Queues an event; all are emitted at the end, ordered by `at` (milliseconds). */
    emitLater(event: Emitted, at: number): void;
    threads: Map<string, Thread>;
    /** Current ids by thing and alias. */
    currentIds: Map<string, string>;
    listedPosts: Set<string>;
    /** Listed mentions that were not stored before. */
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

/** Whether something that happened at `at` emits an event. */
export function emitsEvent(
  { silent, since, baseline: first = false }: Recording,
  isKnown: boolean,
  at: number,
): boolean {
  // Later polls skip the baseline, so it also emits what a live list has stored meanwhile.
  return !silent || (since !== undefined && at > since && (first || !isKnown));
}

/** Whether this may never emit an event, however often it is reported. */
export function neverEmits(recording: Recording, at: number): boolean {
  return recording.baseline === true && !emitsEvent(recording, false, at);
}

/** Who we are in a conversation or on a post: its page, else the account. */
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
