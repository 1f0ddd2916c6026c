import type { MediaRef, Network } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import type { Trace } from '#kernel/metrics/trace.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, Session } from '#platforms/call.ts';
import type { OAuthClient, PageProfile } from '#platforms/connect.ts';
import type { LinkRequest, OpenedMedia, OutgoingMedia } from '#platforms/media.ts';
import type { ConvertedPicture, PictureSpec } from '#kernel/pictures/picture.ts';
import type { Platform } from '#platforms/platform.ts';
import type { ListedPost } from '#platforms/posts.ts';
import type { Cost } from '#platforms/app/quotas.ts';
import type { PlatformPost } from '#platforms/inbox-types.ts';
import type { PlatformCodes } from './accounts.ts';
import type { Caller } from './caller.ts';

/** The dependencies that nearly every module takes. */
export type Base = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  lists: Lists;
  meter: Meter;
  trace: Trace | undefined;
}>;

export type MediaSource = Readonly<{
  /** The largest item that can be opened. */
  maxBytes: number;
  /** Describes items in order without fetching; media.not_found and media.not_ready name `fieldOf` the item. */
  describe(
    workspaceId: string,
    refs: readonly MediaRef[],
    fieldOf?: (index: number) => string,
  ): Promise<readonly OutgoingMedia[]>;
  /** The same, but with an error in place of each refused item. */
  lookUp(workspaceId: string, refs: readonly MediaRef[]): Promise<readonly (OutgoingMedia | ApiError)[]>;
  /**
   * Converts a picture so that it fits, and keeps it until `forget`. Without a target, only reports what it would
   * become. Undefined if it fits already, or if it is `theirs` and cannot be fetched here: the platform can fetch it.
   */
  fit(
    workspaceId: string,
    ref: string,
    spec: PictureSpec,
    how: Readonly<{ target?: string; theirs?: boolean }>,
  ): Promise<Omit<ConvertedPicture, 'key' | 'source'> | undefined>;
  /** Opens an item until `until` settles. Fetched bytes are kept until `forget`, so that retries find the same ones. */
  open(
    workspaceId: string,
    ref: string,
    hold: Readonly<{ until: Promise<unknown>; target?: string; spec?: PictureSpec | undefined }>,
  ): Promise<OpenedMedia>;
  /** Why the platforms of a network cannot fetch media from this server; undefined if they can. */
  unreachable(network: Network): string | undefined;
  /** A URL at which platforms can fetch an item: its own if it is public and `rehost` is not set, else a signed one. */
  link(
    workspaceId: string,
    ref: string,
    request: LinkRequest & Readonly<{ network: Network; target?: string; spec?: PictureSpec | undefined }>,
  ): Promise<string>;
  forget(target: string): Promise<void>;
}>;

/** Opens a file of a published post by the URL that the platform returned, until `until` settles. */
export type OpenPublished = (
  file: Readonly<{ url: string; network: Network; maxBytes: number; deadlineMs: number; until: Promise<unknown> }>,
) => Promise<OpenedMedia>;

/** A file that was fetched for one call; it can be read repeatedly until it is dropped. */
export type FetchedFile = Readonly<{ source: AsyncIterable<Uint8Array>; drop(): Promise<void> }>;

/** Fetches a file from a caller's URL under the address guard; failures are 400 naming `field`, too large is 413. */
export type FetchFile = (request: Readonly<{ url: string; field: string; maxBytes: number }>) => Promise<FetchedFile>;

/**
 * Makes calls as a connected account. Refreshes the session once if it is refused, and flags the account if that fails.
 */
export type Sessions = Readonly<{
  hosts(platform: Platform, network: Network): Hosts;
  /** Reads the account again unless it was read less than a second ago, at `readAt`. */
  use<T>(account: AccountRow, act: (call: AccountCall) => Promise<T>, readAt?: number): Promise<T>;
}>;

/** Unsubscribes accounts whose access is lost from pushes, if their apps can do so without it; best effort. */
export type EndPushes = (accounts: readonly AccountRow[]) => Promise<void>;

/**
 * Revokes the grants of removed accounts; best effort. Prepared before the removal, which may also remove their apps.
 */
export type ReadyRevoke = (
  accounts: readonly AccountRow[],
) => Promise<(removed: readonly AccountRow[]) => Promise<void>>;

/** Finds an account by our id or its platform's, for operations of a single platform. */
export type AccountFinder = (authority: Authority, on: PlatformCodes, id: string) => Promise<AccountRow>;

/** Which page an operation is about, for accounts that have pages. */
export type PageFinder = Readonly<{
  /** The page named by our id or the platform's, else the default one, else the first active one. */
  resolve(account: AccountRow, named: string | undefined): Promise<PageRow>;
  /** The same for several accounts, looked up at once. */
  among(accounts: readonly AccountRow[]): Promise<PageChoice>;
}>;

export type PageChoice = (account: AccountRow, named: string | undefined) => PageRow;

export type SessionStore = Readonly<{
  /** Stores `fresh`, unless the account's session has changed since `seen` was read or is being changed. */
  put(tx: Tx, account: AccountRow, seen: Session, fresh: Session): Promise<boolean>;
}>;

export type QuotaUser = Readonly<{
  platform: Platform;
  network: Network;
  account: Pick<AccountRow, 'id' | 'platform' | 'network' | 'app_id'> | undefined;
}>;

/** The shortest interval between polls of an account that its quota allows, or when polling may resume. */
export type PollPace = Readonly<{ leastMs: number } | { until: number }>;

export type QuotaCounter = Readonly<{
  /** Throws QuotaSpent if too little is left. */
  spend(user: QuotaUser, cost: Cost): Promise<void>;
  /** What is left in the current window of each quota, as `<name>_remaining`. */
  left(user: QuotaUser): Promise<Readonly<Record<string, number>>>;
  /** Without a cost there is no wait. */
  pace(user: QuotaUser, cost: Cost | undefined): Promise<PollPace>;
}>;

/** What is left of a platform's quota for the account or app that has used most of it. */
export type QuotaLeft = Readonly<{ platform: PlatformSlug; quota: string; left: number }>;

export type ChosenApp = Readonly<{ id: string | null; client: OAuthClient }>;

/** Apps on platforms: the server's own, or customers' for a brand or a whole workspace. */
export type AppFinder = Readonly<{
  /** The brand's, else the workspace's, else the server's. */
  choose(
    platform: Platform,
    place: Readonly<{ network: Network; workspace: string; brand: string | undefined }>,
  ): Promise<ChosenApp | undefined>;
  find(
    platform: Platform,
    account: Readonly<{ network: Network; app_id: string | null }>,
  ): Promise<OAuthClient | undefined>;
}>;

/** The limit of profile units, if the operator counts pages; otherwise nothing here refuses. */
export type UnitLimit = Readonly<{
  /** How many units a workspace may still add; locks others out until the transaction ends. */
  room(tx: Tx, workspaceId: string): Promise<number>;
  /** Refuses additions of the transaction that exceed the plan. */
  check(tx: Tx, workspaceId: string): Promise<void>;
}>;

export type InvitedConnections = Readonly<{
  /** Refuses platforms that cannot be connected here, and brands that do not exist. */
  admit(
    authority: Authority,
    workspace: Workspace,
    request: Readonly<{ platform: string; brandId: string }>,
  ): Promise<PlatformSlug>;
  /** Begins a connection and uses up the invite; returns the address of its page. */
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

/** Stores posts that are not known yet; returns their number. */
export type ImportExternalPosts = (
  tx: Tx,
  account: AccountRow,
  posts: readonly ListedPost[],
  now: number,
) => Promise<number>;

/** Turns active accounts to reconnect_required because their access ended, with an event each. */
export type DisconnectAll = (tx: Tx, accountIds: readonly string[], why: string, now: number) => Promise<void>;

export type { CrashPoint } from './crash-points.ts';

/** The response that a request received. */
export type Answered = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: object;
}>;

/** Identifies a request with an idempotency key. */
export type KeyOf = Readonly<{ caller: Caller; operation: string; key: string }>;

/** A request with a key, from a caller who may make it. */
export type Keyed = KeyOf &
  Readonly<{
    /** Equal for equal requests. */
    hash: string;
    /** Running it again has no further effect. */
    repeatable: boolean;
    /** The id of this request, which may be a repeat. */
    requestId: string;
  }>;

/** Runs a request, or settles what an earlier run recorded. */
export type Run<T> = (recorded: object | undefined) => Promise<T>;

/** Runs a request unless its key was used before. Then it repeats the first response, or settles the first run. */
export type Once = <T extends Answered>(keyed: Keyed, run: Run<T>) => Promise<Answered & { replayed: boolean }>;

export type AccountPages = Readonly<{
  /** Reads and stores the pages of an account, and subscribes to the active ones. */
  refresh(account: AccountRow, platform: Platform): Promise<void>;
  store(tx: Tx, account: AccountRow, pages: readonly PageProfile[]): Promise<void>;
}>;

/** Stores posts of an account in the inbox, without events; false if the account was removed. */
export type RecordPosts = (
  tx: Tx,
  account: AccountRow,
  posts: readonly PlatformPost[],
  now: number,
) => Promise<boolean>;

/** When requests that wait for a person would publish posts of any of these accounts. */
export type HeldTimes = (authority: Authority, accountIds: readonly string[]) => Promise<readonly number[]>;
