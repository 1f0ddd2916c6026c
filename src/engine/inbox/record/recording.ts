import type { AccountRow } from '../../../../db/access/accounts.ts';
import { listPages, type PageRow } from '../../../../db/access/pages.ts';
import type { ConversationRow } from '../../../../db/inbox/conversations.ts';
import type { MentionRow } from '../../../../db/inbox/mentions.ts';
import type { Emitted, Tx } from '../../../../db/store/tx.ts';
import type { Person } from '../../../platforms/records.ts';

/** How facts came to be known. */
export type RecordOptions = Readonly<{
  now: number;
  /** History or a list that was read live: stored without an event, which a push of the same thing still makes. */
  silent: boolean;
  /** Beside `silent`: what is not known yet and happened after this is news all the same. */
  since?: number | undefined;
  /** Beside `silent`: met where news begin. What is no news among it is none to any other reading either. */
  baseline?: boolean;
  /** Mentions not stored before go out together, as one event: for a list that was read live. */
  together?: boolean;
}>;

/** A conversation as it stands while facts about it are recorded. */
export type Thread = {
  readonly row: ConversationRow;
  /** A list tells it, and how many of its messages are unread. */
  readonly isCounted: boolean;
  /** How many messages came that make it unread. */
  unread: number;
  /** Somebody wrote, which brings it back when it is archived. */
  hasIncoming: boolean;
  lastIncoming: number;
  /** It has messages it did not have before. */
  hasNewMessages: boolean;
};

/** One account's facts being recorded in one transaction, which holds the row of the account. */
export type Recording = RecordOptions &
  Readonly<{
    tx: Tx;
    account: AccountRow;
    /** Keeps an event for the end of the recording: it goes out in its place by when that happened. */
    emitLater(event: Emitted, at: number): void;
    threads: Map<string, Thread>;
    /** Posts whose comments a list told. */
    listedPosts: Set<string>;
    /** Mentions a list told that were not stored before. */
    newMentions: MentionRow[];
    findPage(platformPageId: string | null | undefined): Promise<PageRow | undefined>;
  }>;

type Happened = Readonly<{ event: Emitted; at: number }>;

export function makeRecording(
  tx: Tx,
  account: AccountRow,
  how: RecordOptions,
): Recording & { events: readonly Happened[] } {
  const events: Happened[] = [];
  let pages: Promise<PageRow[]> | undefined;
  return {
    ...how,
    tx,
    account,
    events,
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

/** True when an event is to tell of something that happened then, and that was or was not known before. */
export function emitsEvent(
  { silent, since, baseline: first = false }: Recording,
  isKnown: boolean,
  at: number,
): boolean {
  // Later readings pass over what was met where news begin, so it also tells what a live list has stored meanwhile.
  return !silent || (since !== undefined && at > since && (first || !isKnown));
}

/** True when nothing that tells this again may make an event of it. */
export function neverEmits(recording: Recording, at: number): boolean {
  return recording.baseline === true && !emitsEvent(recording, false, at);
}

/** Who we are in a conversation or on a post: the page it belongs to, else the account. */
export function selfOf(account: AccountRow, page: PageRow | undefined): Person {
  if (page === undefined) {
    return {
      id: account.platform_user_id,
      name: account.name,
      username: account.username,
      avatar_url: account.profile_picture_url ?? undefined,
    };
  }
  const profile = JSON.parse(page.facts) as { username?: string; profile_picture_url?: string };
  return {
    id: page.platform_page_id,
    name: page.name,
    username: profile.username,
    avatar_url: profile.profile_picture_url,
  };
}
