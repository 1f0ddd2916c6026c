import { loadAccount, type AccountRow } from '#db/access/accounts.ts';
import { loadInboxAccount, patchInboxAccount } from '#db/inbox/accounts.ts';
import type { HistoryProgress, Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { AccountPages, Sessions } from '#call/ports.ts';
import { DAY, within, type Clock } from '#kernel/clock.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { Log } from '#kernel/log.ts';
import type { AppName, PlatformSlug } from '#kernel/platforms.ts';
import { pushAddressOf } from '#platforms/addresses.ts';
import type { UnauthenticatedCall } from '#platforms/call.ts';
import type { Connected, OAuthClient } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { InboundBatch, InboundEvent } from '#platforms/inbound.ts';
import { appOf, platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { isOver, makeRetryPolicy, makeSkipLog } from '#platforms/retry-policy.ts';
import type { AttachmentAddresses } from '../read/attachment-addresses.ts';
import { patchProgress, storeBatch } from './intake.ts';
import type { PushApp } from './push-addresses.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Approximate number of conversations and posts to read. */
const DEPTH = 500;
/** The most batches to read, even if they are small. */
const STRETCHES = 200;
/** How long one run reads, which is well within its lease; the next run continues. */
const RUN_MS = 120_000;
const AT_ONCE_MS = 50;
/** How long connecting an account waits for its pages to be subscribed, and how many are subscribed at once. */
const PUSHING_MS = 5000;
const ABREAST = 8;
/** The least time between two attempts. */
const AGAIN_MS = 30_000;

export type BackfillDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  pages: AccountPages;
  clock: Clock;
  log: Log;
  bare(platform: Platform, network: Network): UnauthenticatedCall;
  clientOf(app: AppName, network: Network): OAuthClient | undefined;
  appsOf(platform: PlatformSlug): readonly PushApp[];
  subscriptions: Pick<Subscriptions, 'follow'>;
  addresses: AttachmentAddresses;
  pushUrl(network: Network): string;
}>;

const BEGIN: HistoryProgress = Object.freeze({ cursor: undefined, read: 0, stretches: 0 });

function advanced(at: HistoryProgress, { cursor, events, skipped = [] }: InboundBatch): HistoryProgress {
  const shown = at.shown || events.length > 0 || skipped.length === 0 ? ({ shown: true } as const) : {};
  return { cursor, read: at.read + sizeOf(events), stretches: at.stretches + 1, ...shown };
}

const isFar = ({ read, stretches }: HistoryProgress): boolean => read >= DEPTH || stretches >= STRETCHES;

/** The job `welcome_account`: subscribes a newly connected account to webhooks and reads its history. */
function makeOnboarding(
  deps: BackfillDeps,
  retryPolicy: ReturnType<typeof makeRetryPolicy>,
  register: (account: AccountRow, platform: Platform) => Promise<void>,
  readHistory: (account: AccountRow, platform: Platform) => Promise<boolean>,
) {
  const { store, platforms, pages, log, clock } = deps;

  return {
    /** Continues where the last run stopped, and retries what failed. */
    async onboard(accountId: string): Promise<void | { again: number }> {
      const account = await loadAccount(store.db, accountId);
      const platform = account && platformFor(platforms, account);
      if (!platform || account?.status !== 'active') {
        retryPolicy.forget(accountId);
        return patchProgress(store, accountId, { sync_state: 'failed' });
      }
      await patchProgress(store, accountId, { sync_state: 'syncing' });
      try {
        await register(account, platform);
        await pages.refresh(account, platform);
        if (!(await readHistory(account, platform))) return { again: AT_ONCE_MS };
      } catch (error) {
        await patchProgress(store, accountId, { sync_state: 'failed' });
        log.info(
          { account_id: accountId, platform: account.platform, error },
          'a connected account could not be prepared',
        );
        if (isFinal(error)) {
          // A retry would be refused again.
          retryPolicy.forget(accountId);
          return patchProgress(store, accountId, { history_done: 1 });
        }
        const wait = retryPolicy.after(accountId, error, AGAIN_MS);
        return wait === 'over' ? undefined : { again: wait };
      }
      retryPolicy.forget(accountId);
      await patchProgress(store, accountId, { sync_state: 'idle', last_synced_at: clock.now() });
      return undefined;
    },
  };
}

/** Subscribes the pages of a login before its account is stored; one refusal does not block the others. */
function makeSubscribeAll({ bare, log }: BackfillDeps) {
  return async (platform: Platform, network: Network, { pages: reported = [], session }: Connected) => {
    const subscribe = platform.pages?.subscribe;
    if (subscribe === undefined) return;
    const call = { ...bare(platform, network), session };
    const orLog = (page: string) =>
      subscribe(call, page).catch((error: unknown) => {
        log.info({ platform: platform.slug, page, error }, 'a page of a new connection does not push yet');
      });
    for (const some of chunksOf(reported, ABREAST))
      await Promise.all(some.map(({ platform_page_id }) => orLog(platform_page_id)));
  };
}

/** What follows a connection: storing its pages, subscribing to webhooks and reading the history. */
export function makeBackfill(deps: BackfillDeps) {
  const { store, sessions, platforms, pages, clock, log } = deps;
  const retryPolicy = makeRetryPolicy();
  const logSkipped = makeSkipLog(log);

  /** Registers our webhook address with the platform; if it refuses, a person has to enter the address there. */
  async function register(account: AccountRow, platform: Platform): Promise<void> {
    const { slug, push } = platform;
    const { network } = account;
    const client = deps.clientOf(appOf(platform), network);
    const verifyToken = deps.appsOf(slug).find((app) => app.network === network)?.verifyToken;
    if (!push?.register || !client || verifyToken === undefined) return;
    const callback = pushAddressOf(deps.pushUrl(network), slug, null);
    try {
      await push.register(deps.bare(platform, network), { ...client, callback, verifyToken });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'refused') throw error;
      log.warn({ platform: slug, callback, error }, 'the platform takes no push address from us; set it there');
    }
  }

  /** Returns true once there is no more history to read. */
  async function readHistory(account: AccountRow, platform: Platform): Promise<boolean> {
    const history = platform.inbox?.history;
    const stored = await loadInboxAccount(store.db, account.id);
    if (history === undefined || stored?.history_done === 1) return true;
    // Events that happened after the first connection and are not stored were missed by webhooks, so they are emitted.
    const since = stored?.begun_at ?? account.connected_at;
    const until = clock.now() + RUN_MS;
    let from = stored?.history_cursor ?? null;
    let at = from ?? BEGIN;
    for (let more = true; more;) {
      if (clock.now() >= until) return false;
      const { cursor } = at;
      const reading = await sessions.use(account, (call) => history(call, cursor));
      const { events, skipped = [] } = reading;
      logSkipped(account, skipped);
      at = advanced(at, reading);
      more = reading.more && !isFar(at);
      // A refused part does not block the others; but if all were refused, nothing has been read.
      if (!more && !at.shown) throw skipped[0]!.error;
      const last = { history_cursor: at, history_done: more ? 0 : 1 } as const;
      const how = { now: clock.now(), silent: true, way: 'history', since, addresses: deps.addresses } as const;
      const taken = await storeBatch(store, account, events, how, { column: 'history_cursor', from, last });
      // Another run has continued from this cursor, or the account was connected again.
      if (taken !== 'kept') return taken === 'gone';
      from = last.history_cursor;
    }
    return true;
  }

  /** Enqueues the recurring jobs of the account. */
  async function follow(tx: Tx, account: AccountRow): Promise<void> {
    const { id } = account;
    const now = clock.now();
    const platform = platformFor(platforms, account);
    await deps.subscriptions.follow(tx, account);
    if (platform?.inbox?.poll) await tx.enqueue({ kind: 'poll_inbox', key: id, runAt: now });
    if (platform?.pages) await tx.enqueue({ kind: 'refresh_pages', key: id, runAt: now + DAY });
  }

  const subscribeAll = makeSubscribeAll(deps);

  return Object.freeze({
    /** Subscribes pages before the account is stored; otherwise events until its first job would be missed. */
    async beforeConnected(platform: Platform, network: Network, connected: Connected): Promise<void> {
      const subscribed = subscribeAll(platform, network, connected).catch((error: unknown) => {
        log.info({ platform: platform.slug, error }, 'pages of a new connection do not push yet');
      });
      await within(clock, PUSHING_MS, subscribed);
    },

    /** Stores pages and enqueues jobs in the transaction of the connection; polling need not wait for the backfill. */
    async onConnected(tx: Tx, account: AccountRow, { pages: reported }: Connected): Promise<void> {
      if (reported) await pages.store(tx, account, reported);
      await patchInboxAccount(tx.db, account, { history_cursor: null, history_done: 0 });
      await tx.enqueue({ kind: 'welcome_account', key: account.id, runAt: clock.now() });
      await follow(tx, account);
    },
    ...makeOnboarding(deps, retryPolicy, register, readHistory),
  });
}

const isFinal = (error: unknown) => error instanceof PlatformError && error.kind === 'refused' && !isOver(error);

function sizeOf(events: readonly InboundEvent[]): number {
  const things = events.flatMap((event) => {
    if (event.kind === 'post') return [`post ${event.post.platform_id}`];
    if (event.kind === 'comment') return [`post ${event.comment.platform_post_id}`];
    if (event.kind === 'message') return [`conversation ${event.conversation.platform_id}`];
    return [];
  });
  return new Set(things).size;
}
