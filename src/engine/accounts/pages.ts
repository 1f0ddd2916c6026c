import { accountNamed, holdAccount, loadAccount, noAccount, type AccountRow } from '#db/access/accounts.ts';
import { defaultPage, insertPage, listPages, pageNamed, patchPage, type PageRow } from '#db/access/pages.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { accountData, accountEvent } from '#call/accounts.ts';
import type { Disconnect, Sessions, SessionStore, UnitLimit } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { Session } from '#platforms/call.ts';
import type { PageProfile } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import { hasPages, platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { withJitter, makeRetryPolicy } from '#platforms/retry-policy.ts';
import { sanitize } from '#platforms/sanitize.ts';

/** The least time between two reads of an account's pages. */
const AGAIN_MS = 10 * 60_000;
/** How often to read the pages again if the session has changed in between. */
const READS = 3;

export type PagesDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'> & SessionStore;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  disconnect: Disconnect;
  units: UnitLimit;
}>;

export type PageChange = Readonly<{ is_default?: boolean | undefined; is_active?: boolean | undefined }>;

/** Replaces an account's stored pages by those of the platform; the caller holds the account's lock. */
function makeStorePages({ clock, units, disconnect }: PagesDeps) {
  return async function storePages(tx: Tx, account: AccountRow, reported: readonly PageProfile[]): Promise<void> {
    const now = clock.now();
    const known = await listPages(tx.db, account.id);
    const ids = new Set<string>();
    let active = known.filter(({ is_active }) => is_active === 1).length;
    let room = await units.room(tx, account.workspace_id);
    /** Whether the plan allows one more active page; the first is always allowed. */
    const activates = (): 0 | 1 => {
      if (active > 0 && room <= 0) return 0;
      if (active > 0) room -= 1;
      active += 1;
      return 1;
    };
    for (const { platform_page_id, name, ...rest } of sanitize(reported, now)) {
      if (ids.has(platform_page_id)) continue;
      ids.add(platform_page_id);
      const fresh = { facts: rest, enriched_at: now, updated_at: now };
      const page = known.find((row) => row.platform_page_id === platform_page_id);
      if (page) {
        // A page that was missing becomes active again by itself, unless a person had switched it off.
        const back = page.is_missing === 1 && { is_missing: 0 as const, is_active: activates() };
        await patchPage(tx.db, page.id, { ...fresh, name: name || page.name, ...back });
      } else {
        const place = { id: newId('page', now), account_id: account.id, workspace_id: account.workspace_id };
        const flags = { is_default: 0, is_active: activates(), is_missing: 0, created_at: now } as const;
        await insertPage(tx.db, { ...place, platform_page_id, name, ...fresh, ...flags });
      }
    }
    const lost = known.filter((row) => row.is_active === 1 && !ids.has(row.platform_page_id));
    for (const page of lost) {
      await patchPage(tx.db, page.id, { is_active: 0, is_missing: 1, updated_at: now });
    }
    await settleDefault(tx, account.id);
    for (const page of lost) await tx.emit(removedEvent(account, page));
    if (lost.length > 0 && ids.size === 0) {
      await disconnect(tx, account, 'all_pages_removed', 'The login no longer manages any of its pages.', now);
    }
  };
}

/** Reads the pages of a login, on request and daily. */
function makePageRefresh(
  { store, sessions, platforms, log }: PagesDeps,
  storePages: ReturnType<typeof makeStorePages>,
) {
  const retryPolicy = makeRetryPolicy();

  /** Reads and stores pages; false if the session changed in the meantime. */
  async function readPages(account: AccountRow, pages: NonNullable<Platform['pages']>): Promise<boolean> {
    let seen: Session | undefined;
    const read = await sessions.use(account, async (call) => {
      seen = call.session;
      return pages.read(call).catch((error: unknown) => {
        if (error instanceof PlatformError && error.reason === 'no_pages') return { pages: [], session: call.session };
        throw error;
      });
    });
    return store.write(async (tx) => {
      const held = await holdAccount(tx.db, tx.dialect, account.id);
      // The account is no longer connected, so a retry is pointless.
      if (held?.status !== 'active') return true;
      if (!(await sessions.put(tx, held, seen!, read.session))) return false;
      await storePages(tx, (await loadAccount(tx.db, account.id))!, read.pages);
      return true;
    });
  }

  async function refresh(account: AccountRow, platform: Platform): Promise<void> {
    const { pages } = platform;
    if (pages === undefined) return;
    let tries = READS;
    while (!(await readPages(account, pages))) {
      tries -= 1;
      if (tries === 0) throw new PlatformError('unknown', 'api_error', 'The session changed whenever pages were read.');
    }
    if (pages.subscribe === undefined) return;
    const { subscribe } = pages;
    const failures: unknown[] = [];
    for (const page of await listPages(store.db, account.id)) {
      if (page.is_active === 0) continue;
      try {
        await sessions.use(account, (call) => subscribe(call, page.platform_page_id));
      } catch (error) {
        // A page that the login can no longer access must not stop the others from being subscribed.
        if (error instanceof PlatformError && error.kind === 'refused' && error.reason !== 'auth') continue;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    refresh,

    /** The job `refresh_pages`: checks daily whether the pages still exist. */
    async refreshDaily(accountId: string): Promise<void | { again: number }> {
      const account = await loadAccount(store.db, accountId);
      const platform = account && platformFor(platforms, account);
      if (!platform?.pages || account?.status !== 'active') return retryPolicy.forget(accountId);
      try {
        await refresh(account, platform);
        retryPolicy.forget(accountId);
        return { again: withJitter(DAY) };
      } catch (error) {
        const wait = retryPolicy.after(accountId, error, AGAIN_MS);
        log.info({ account_id: accountId, platform: account.platform, error, wait_ms: wait }, 'pages not refreshed');
        return wait === 'over' ? undefined : { again: withJitter(wait) };
      }
    },
  };
}

export function makePages(deps: PagesDeps) {
  const { store, platforms, clock, units } = deps;
  const storePages = makeStorePages(deps);

  async function accountWithPages(authority: Authority, id: string): Promise<AccountRow> {
    const account = await accountNamed(store.db, authority, id);
    if (!hasPages(platforms, account)) fail('account.pages_not_supported');
    if (account.status !== 'active') fail('account.reconnection_required', { meta: { id } });
    return account;
  }

  return Object.freeze({
    store: storePages,
    ...makePageRefresh(deps, storePages),

    async list(authority: Authority, accountId: string) {
      const account = await accountWithPages(authority, accountId);
      return (await listPages(store.db, account.id)).map(presentPage);
    },

    async update(authority: Authority, accountId: string, named: string, change: PageChange) {
      refuseNothing(change);
      const { id } = await accountWithPages(authority, accountId);
      const pageId = await store.write(async (tx) => {
        if (!(await holdAccount(tx.db, tx.dialect, id))) noAccount(id);
        const pages = await listPages(tx.db, id);
        const page = pageNamed(pages, named) ?? noSuch('page', named);
        const active = change.is_active ?? page.is_active === 1;
        if (change.is_active === true && page.is_missing === 1)
          refuse(page, 'This page no longer exists on the platform.', 'Choose another of list_account_pages.');
        if (change.is_default === true && !active)
          refuse(page, 'An inactive page cannot be the default.', 'Send is_active: true with it.');
        if (change.is_default === true) {
          for (const other of pages) await patchPage(tx.db, other.id, { is_default: other.id === page.id ? 1 : 0 });
        }
        // If a missing page is switched off, it stays off when it comes back.
        const missing = change.is_active === false ? { is_missing: 0 as const } : {};
        await patchPage(tx.db, page.id, { is_active: active ? 1 : 0, updated_at: clock.now(), ...missing });
        if (active && page.is_active === 0) await units.check(tx, page.workspace_id);
        await settleDefault(tx, id);
        // The page has to be subscribed to events again.
        if (active && page.is_active === 0) await tx.enqueue({ kind: 'refresh_pages', key: id, runAt: clock.now() });
        return page.id;
      });
      const page = (await listPages(store.db, id)).find((row) => row.id === pageId);
      return presentPage(page ?? noSuch('page', named));
    },
  });
}

export type Pages = ReturnType<typeof makePages>;

/** Makes sure that exactly one active page is the default, if there are active pages. */
async function settleDefault(tx: Tx, accountId: string): Promise<void> {
  const pages = await listPages(tx.db, accountId);
  const next = defaultPage(pages);
  for (const page of pages) {
    const flag = page.id === next?.id ? 1 : 0;
    if (page.is_default !== flag) await patchPage(tx.db, page.id, { is_default: flag });
  }
}

function refuseNothing({ is_default, is_active }: PageChange): void {
  if (is_default === undefined && is_active === undefined) {
    fail('validation.field_required', { message: 'Send is_default or is_active.', meta: { field: 'is_default' } });
  }
  if (is_default === false && is_active === undefined) {
    fail('validation.field_invalid', {
      message: 'The default page cannot be unset.',
      next: 'Make another page the default with is_default: true.',
      meta: { field: 'is_default' },
    });
  }
}

function refuse(page: PageRow, message: string, next: string): never {
  fail('resource.conflict', { message, next, meta: { resource: 'page', id: page.id } });
}

/** Clients read the platform's id under either of two names. */
function presentPage(row: PageRow) {
  const profile = row.facts;
  return {
    id: row.id,
    account_id: row.account_id,
    platform_page_id: row.platform_page_id,
    platform_id: row.platform_page_id,
    name: row.name,
    is_default: row.is_default === 1,
    is_active: row.is_active === 1,
    username: profile.username ?? null,
    category: profile.category ?? null,
    about: profile.about ?? null,
    link: profile.link ?? null,
    profile_picture_url: profile.profile_picture_url ?? null,
    cover_photo_url: profile.cover_photo_url ?? null,
    followers_count: profile.followers_count ?? null,
    verification_status: profile.verification_status ?? null,
    enriched_at: isoTime(row.enriched_at),
  };
}

function removedEvent(account: AccountRow, page: PageRow) {
  return accountEvent(account, 'page.removed', {
    data: accountData(account, {
      page_id: page.id,
      platform_page_id: page.platform_page_id,
      name: page.name,
      reason: 'page_not_found',
    }),
    resourceId: page.id,
    failed: true,
    summary: `${account.platform} page ${page.name} is gone`,
  });
}
