import type { MediaRef } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, Session } from '#platforms/call.ts';
import type { OAuthClient, PageProfile } from '#platforms/connect.ts';
import type { LinkRequest, OpenedMedia, OutgoingMedia } from '#platforms/media.ts';
import type { Platform } from '#platforms/platform.ts';
import type { ListedPost } from '#platforms/posts.ts';
import type { Cost } from '#platforms/app/quotas.ts';
import type { PlatformPost } from '#platforms/inbox-types.ts';
import type { PlatformCodes } from './accounts.ts';

/** What nearly every module is made with. */
export type Base = Readonly<{ store: Store; clock: Clock; log: Log; lists: Lists }>;

/** What publishing needs of the media module. */
export type MediaSource = Readonly<{
  /** The largest item that can be opened. */
  maxBytes: number;
  /**
   * The facts of the items, in order, without fetching anything; `ref` of each answer is what `open` takes.
   * Refuses media.not_found and media.not_ready; what else it refuses is `fieldOf` the item, `media` by default.
   */
  describe(
    workspaceId: string,
    refs: readonly MediaRef[],
    fieldOf?: (index: number) => string,
  ): Promise<readonly OutgoingMedia[]>;
  /** The same, with the refusal in the place of each item that is refused. */
  lookUp(workspaceId: string, refs: readonly MediaRef[]): Promise<readonly (OutgoingMedia | ApiError)[]>;
  /**
   * Opens an item until `until` settles; a URL is fetched under the address guard and typed by its content. Bytes that
   * are read into memory count as held until then, and who reads more than all may hold waits for others to end. What
   * was fetched for a target is kept until `forget`, so that each try finds the same bytes.
   */
  open(
    workspaceId: string,
    ref: string,
    hold: Readonly<{ until: Promise<unknown>; target?: string }>,
  ): Promise<OpenedMedia>;
  /** Why the platforms of a network cannot fetch media from this server; undefined where they can. */
  unreachable(network: Network): string | undefined;
  /**
   * An address at which the platforms of a network fetch an item: a public one as it is, unless it is to be `rehost`,
   * which takes a target; else a signed one of this server.
   */
  link(
    workspaceId: string,
    ref: string,
    request: LinkRequest & Readonly<{ network: Network; target?: string }>,
  ): Promise<string>;
  /** Removes what was fetched for a target. */
  forget(target: string): Promise<void>;
}>;

/** Opens a file of what a platform published, by the address that it answered with, until `until` settles. */
export type OpenPublished = (
  file: Readonly<{ url: string; network: Network; maxBytes: number; deadlineMs: number; until: Promise<unknown> }>,
) => Promise<OpenedMedia>;

/** A file that was fetched for one call; its bytes can be read as often as wanted until they are dropped. */
export type FetchedFile = Readonly<{ source: AsyncIterable<Uint8Array>; drop(): Promise<void> }>;

/**
 * Fetches a file from an address that a caller gave, under the address guard. What cannot be fetched is a 400 that
 * names `field`, and what is too large a 413.
 */
export type FetchFile = (request: Readonly<{ url: string; field: string; maxBytes: number }>) => Promise<FetchedFile>;

/** Acting for a connected account: its session is fresh, refreshed once when refused, and flagged when dead. */
export type Sessions = Readonly<{
  /** Where a platform is reached on a network. */
  hosts(platform: Platform, network: Network): Hosts;
  use<T>(account: AccountRow, act: (call: AccountCall) => Promise<T>): Promise<T>;
}>;

/** Ends the pushes of accounts whose access is lost, as far as their apps can do that by themselves; best effort. */
export type EndPushes = (accounts: readonly AccountRow[]) => Promise<void>;

/**
 * Ends the grants of removed accounts, each of them once, best effort. It is made ready before they are removed, as the
 * apps they were connected with may go with them.
 */
export type ReadyRevoke = (
  accounts: readonly AccountRow[],
) => Promise<(removed: readonly AccountRow[]) => Promise<void>>;

/**
 * Finds an account by our id, or by the one its platform knows it by, for operations of one platform alone. Refuses
 * account.not_found, and the platform's own code for an id of the platform that is none of an account.
 */
export type AccountFinder = (authority: Authority, on: PlatformCodes, id: string) => Promise<AccountRow>;

/** Which page of an account something is about, where accounts have pages. */
export type PageFinder = Readonly<{
  /**
   * The page named by our id or the platform's, else the default one, else the first that is active. Refuses
   * resource.not_found, account.page_inactive and account.no_active_page.
   */
  resolve(account: AccountRow, named: string | undefined): Promise<PageRow>;
  /** The same for several accounts, whose pages are looked up at once. */
  among(accounts: readonly AccountRow[]): Promise<PageChoice>;
}>;

export type PageChoice = (account: AccountRow, named: string | undefined) => PageRow;

/** Where sessions are kept that a connector made anew out of others. */
export type SessionStore = Readonly<{
  /**
   * Keeps `fresh` for an account that the transaction holds, unless it has another session by now than the one that was
   * `seen`, or is about to get one; false then.
   */
  put(tx: Tx, account: AccountRow, seen: Session, fresh: Session): Promise<boolean>;
}>;

/** Who uses a quota: an account of a platform, or the server before there is one. */
export type QuotaUser = Readonly<{
  platform: Platform;
  network: Network;
  account: Pick<AccountRow, 'id' | 'platform' | 'network' | 'app_id'> | undefined;
}>;

/** How often polls of an account may come, so that its quota lasts; or when polling may go on. */
export type PollPace = Readonly<{ leastMs: number } | { until: number }>;

/** What is used of the quotas of platforms. */
export type QuotaCounter = Readonly<{
  /** Takes what a request costs; throws QuotaSpent where too little is left. */
  spend(user: QuotaUser, cost: Cost): Promise<void>;
  /** What is left in the present window of each quota, as `<name>_remaining`. */
  left(user: QuotaUser): Promise<Readonly<Record<string, number>>>;
  /** Without a cost there is no wait. */
  pace(user: QuotaUser, cost: Cost | undefined): Promise<PollPace>;
}>;

/** The app to connect a new account with; the id is null for the app of the server. */
export type ChosenApp = Readonly<{ id: string | null; client: OAuthClient }>;

/** The apps on platforms: of the server, or of customers for a brand or a whole workspace. */
export type AppFinder = Readonly<{
  /** That of the brand, else of the workspace, else of the server; undefined where there is none. */
  choose(
    platform: Platform,
    place: Readonly<{ network: Network; workspace: string; brand: string | undefined }>,
  ): Promise<ChosenApp | undefined>;
  /** The one an account was connected with; undefined where it is gone. */
  find(
    platform: Platform,
    account: Readonly<{ network: Network; app_id: string | null }>,
  ): Promise<OAuthClient | undefined>;
}>;

/** The limit of profile units, where the operator counts pages; without it, nothing here refuses. */
export type UnitLimit = Readonly<{
  /** How many units a workspace may still add. The transaction keeps others from adding any until it ends. */
  room(tx: Tx, workspaceId: string): Promise<number>;
  /** Refuses what the transaction has added where it is more than the plan allows. */
  check(tx: Tx, workspaceId: string): Promise<void>;
}>;

/** Connections by people who are invited to connect an account to a brand. */
export type InvitedConnections = Readonly<{
  /** Refuses what no invite could lead to: a platform that cannot be connected here, a brand that is none. */
  admit(
    authority: Authority,
    workspace: Workspace,
    request: Readonly<{ platform: string; brandId: string }>,
  ): Promise<PlatformSlug>;
  /** Begins a connection that uses up the invite; answers the address of its page. */
  begin(
    authority: Authority,
    workspace: Workspace,
    request: Readonly<{ platform: PlatformSlug; brandId: string; invite: Readonly<{ id: string; until: number }> }>,
  ): Promise<string>;
}>;

/** Turns an account to reconnect_required, with its event, once. */
export type Disconnect = (
  tx: Tx,
  account: AccountRow,
  reason: 'access_revoked' | 'all_pages_removed',
  why: string,
  now: number,
) => Promise<void>;

/** Makes posts of what a platform lists and we do not know yet; answers how many there were. */
export type ImportExternalPosts = (
  tx: Tx,
  account: AccountRow,
  posts: readonly ListedPost[],
  now: number,
) => Promise<number>;

/** Turns those of some accounts that are active to reconnect_required because their access ended, with an event each. */
export type DisconnectAll = (tx: Tx, accountIds: readonly string[], why: string, now: number) => Promise<void>;

export type { CrashPoint } from './crash-points.ts';

/** What reading a new account needs of its pages, where accounts have pages. */
export type AccountPages = Readonly<{
  /** Reads the pages of an account, stores them, and subscribes to the active ones. */
  refresh(account: AccountRow, platform: Platform): Promise<void>;
  /** Replaces the stored pages of an account that the transaction holds. */
  store(tx: Tx, account: AccountRow, pages: readonly PageProfile[]): Promise<void>;
}>;

/** Stores posts of an account in the inbox, without events; false when the account is gone. */
export type RecordPosts = (
  tx: Tx,
  account: AccountRow,
  posts: readonly PlatformPost[],
  now: number,
) => Promise<boolean>;
