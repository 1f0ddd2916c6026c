import { createSecretKey } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { insertAccount, type AccountRow } from '#db/access/accounts.ts';
import { authorityOver } from '#kernel/authority.ts';
import { NEVER } from '#db/schema/database.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Sessions, SessionStore } from '#call/ports.ts';
import { makePages } from '#engine/accounts/pages.ts';
import { disconnect } from '#engine/accounts/disconnect.ts';
import { makeSync } from '#engine/accounts/sync.ts';
import { makeInbound, type InboundDeps } from '#engine/inbox/inbound.ts';
import { record, recordPosts } from '#engine/inbox/record/record.ts';
import { makeAttachmentAddresses } from '#engine/inbox/read/attachment-addresses.ts';
import { makeJobs } from '#engine/jobs/index.ts';
import { makeUnits } from '#engine/metering/units.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makeSealer } from '#kernel/seal.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PushedEvent } from '#platforms/push.ts';
import { fakeClock } from '../clock.ts';
import {
  makeInboundScript,
  requestOf,
  SECRET,
  inboundPlatform,
  VERIFY_TOKEN,
  type InboundScript,
} from '../platforms/inbound.ts';
import type { Stores } from '../stores/stores.ts';
import { makeExternalImport } from '#engine/publishing/create/external.ts';
import type { Json } from '../world.ts';

/** How many rows one statement inserts. */
const ROWS = 200;

export type InboxWorld = Awaited<ReturnType<typeof makeInboxWorld>>;

/** A store with one workspace, platforms that are played, and what takes in what they tell. */
export async function makeInboxWorld(
  stores: Stores,
  told: Readonly<Partial<Record<PlatformSlug, Partial<InboundScript>>>> = { facebook: {} },
) {
  const clock = fakeClock();
  const place = await stores.place();
  const log: string[] = [];
  const tellings = Object.fromEntries(
    Object.entries(told).map(([slug, telling]) => [slug, { ...makeInboundScript(), ...telling }]),
  ) as Record<PlatformSlug, InboundScript>;
  const platforms = new Map(
    Object.entries(tellings).map(([slug, telling]) => [
      slug as PlatformSlug,
      inboundPlatform(slug as PlatformSlug, telling),
    ]),
  );
  const store = productStore(await stores.open(place), clock);
  const now = clock.now();
  const workspace = newId('ws', now);
  const brand = newId('brd', now);
  await store.write(async ({ db }) => {
    const row = { id: workspace, plan: 'enterprise', created_at: now, brands_count: 1, storage_bytes: 0 } as const;
    await db.insertInto('workspaces').values(row).execute();
    const named = { id: brand, workspace_id: workspace, name: 'Brand', created_at: now, updated_at: now };
    await db.insertInto('brands').values(named).execute();
  });
  let people = 0;
  /** The accounts whose pushes were ended, by id. */
  const endedPushes: string[] = [];
  const http = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
  const bare = () => ({ hosts: {}, settings: {}, now: clock.now, http });

  /** One process: its own connection to the store, its own queues. */
  async function makeProcess(own = store) {
    const sessions: Pick<Sessions, 'use'> & SessionStore = {
      async use(account, act) {
        const row = await own.db.selectFrom('accounts').selectAll().where('id', '=', account.id).executeTakeFirst();
        if (!row) fail('account.not_found', { meta: { resource: 'account', id: account.id } });
        if (row.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
        return act({ ...bare(), session: JSON.parse(row.session) as Record<string, unknown> });
      },
      async put(tx, account, seen, fresh) {
        if (account.session !== JSON.stringify(seen)) return false;
        const session = JSON.stringify(fresh);
        await tx.db.updateTable('accounts').set({ session }).where('id', '=', account.id).execute();
        return true;
      },
    };
    const base = {
      store: own,
      sessions,
      platforms,
      clock,
      log: makeLog({ level: 'debug' }, { write: (line) => void log.push(line) }),
      disconnect,
    };
    const pages = makePages({ ...base, units: makeUnits(false) });
    const sync = makeSync({ ...base, importExternal: makeExternalImport({ platforms }), recordPosts });
    const sealer = makeSealer(['11'.repeat(32)]);
    const deps: InboundDeps = {
      ...base,
      pages,
      endPushes: async (accounts) => void endedPushes.push(...accounts.map(({ id }) => id)),
      quotas: { pace: async () => ({ leastMs: 0 }) },
      bare,
      clientOf: () => ({ clientId: 'app', clientSecret: SECRET }),
      appsOf: () => [{ network: 'real', secrets: [SECRET], verifyToken: VERIFY_TOKEN }],
      sealer,
      verifyJwt: async () => undefined,
      apps: { find: async () => ({ clientId: 'app', clientSecret: SECRET }) },
      isReachable: () => true,
      addresses: makeAttachmentAddresses({ sealer, clock, rootUrl: 'https://here.test' }),
      pushUrl: () => 'https://here.test',
      codeKey: createSecretKey('code key', 'utf8'),
      crash: () => {},
      rootUrl: 'https://here.test',
    };
    const inbound = makeInbound(deps);
    const handlers = {
      ...inbound.pushJobs,
      ...inbound.pollJobs,
      ...inbound.readJobs,
      refresh_pages: ({ key }: { key: string }) => pages.refreshDaily(key),
      purge_account: ({ key }: { key: string }) => inbound.purge(key),
    };
    const jobs = makeJobs({ store: own, clock, log: deps.log, meter: makeMeter(), handlers });
    return { store: own, inbound, pages, sync, jobs };
  }
  const first = await makeProcess();
  onTestFinished(() => first.jobs.idle());

  /** What the platform pushes about an account, as it is accepted; it is taken in by `settle`. */
  const push = (
    account: Pick<AccountRow, 'platform' | 'platform_user_id'>,
    facts: readonly InboundEvent[],
    secret = SECRET,
  ) => {
    const told: readonly PushedEvent[] = facts.map((event) => ({ user: account.platform_user_id, event }));
    return first.inbound.pushes.accept(account.platform, requestOf(told, { secret }));
  };

  async function settle(processes = [first]): Promise<void> {
    for (let quiet = 0; quiet < 2;) {
      const started = await Promise.all(processes.map(({ jobs }) => jobs.tick()));
      await Promise.all(processes.map(({ jobs }) => jobs.idle()));
      quiet = started.every((n) => n === 0) ? quiet + 1 : 0;
    }
  }

  const world = {
    ...first,
    clock,
    endedPushes,
    log,
    workspace,
    brand,
    authority: authorityOver(workspace),
    telling: (slug: PlatformSlug = 'facebook') => tellings[slug],
    /** Another process on the same store. */
    second: async () => {
      const other = await makeProcess(productStore(await stores.open(place), clock));
      onTestFinished(() => other.jobs.idle());
      return other;
    },
    /** A process whose store fails at the writes that `fails` says so of, counted from 1. */
    failing: async (fails: (n: number) => boolean) => {
      let writes = 0;
      const write: typeof store.write = async (body) => {
        writes += 1;
        if (fails(writes)) throw new Error('the store failed');
        return store.write(body);
      };
      const other = await makeProcess({ ...store, write });
      onTestFinished(() => other.jobs.idle());
      return other;
    },
    async account(platform: PlatformSlug = 'facebook', more: Partial<AccountRow> = {}): Promise<AccountRow> {
      people += 1;
      const id = newId('acc', clock.now());
      // A brand holds one account of a platform.
      const brand_id = newId('brd', clock.now());
      const at = { created_at: clock.now(), updated_at: clock.now() };
      const connected_at = clock.now();
      const row: AccountRow = {
        id,
        workspace_id: workspace,
        brand_id,
        platform,
        network: 'real',
        platform_user_id: `user-${people}`,
        name: `Account ${people}`,
        username: `account${people}`,
        bio: null,
        profile_picture_url: null,
        profile_url: null,
        user_email: null,
        status: 'active',
        reconnect_reason: null,
        kind: null,
        by_key: 0,
        grant_id: null,
        app_id: null,
        notice: null,
        metadata: {},
        session: JSON.stringify({ who: `user-${people}` }),
        refresh_at: NEVER,
        lease_token: null,
        lease_until: 0,
        ...at,
        connected_at,
        ...more,
      };
      await store.write(async ({ db }) => {
        await db
          .insertInto('brands')
          .values({ id: brand_id, workspace_id: workspace, name: 'B', ...at })
          .execute();
        await insertAccount(db, row);
      });
      return row;
    },
    push,
    record: (
      account: Pick<AccountRow, 'id'>,
      facts: readonly InboundEvent[],
      how: { silent?: boolean; together?: boolean } = {},
    ) => store.write((tx) => record(tx, account, facts, { now: clock.now(), silent: false, ...how })),
    /** Pushes, and waits until what was pushed is taken in. */
    async pushed(account: Parameters<typeof push>[0], facts: readonly InboundEvent[]): Promise<void> {
      await push(account, facts);
      await settle();
    },
    /** Connects an account as the room of accounts does, with the pages that its platform tells of. */
    connect(account: AccountRow) {
      const { pages } = tellings[account.platform];
      const profile = { platform_user_id: '', username: '', name: '' };
      return store.write((tx) =>
        first.inbound.onConnected(tx, account, { profile, session: {}, ...(pages && { pages }) }),
      );
    },
    settle,
    /** Moves the clock and lets everything that became due happen. */
    async pass(ms: number): Promise<void> {
      clock.move(ms);
      await settle();
    },
    /** The events so far, oldest first. */
    async events(name?: string): Promise<readonly Readonly<{ event: string; data: Json }>[]> {
      const rows = await store.db.selectFrom('events').select(['name', 'body']).orderBy('id').execute();
      const all = rows.filter((row) => name === undefined || row.name === name);
      return all.map(({ body }) => JSON.parse(body) as { event: string; data: Json });
    },
    /** The same by their names, each with the id that the platform has for what it is about. */
    async told(): Promise<readonly string[]> {
      return (await world.events()).map(({ event, data }) => `${event} ${data.platform_id}`);
    },
    /** Stores so many rows more like the last one of a table; `change` tells them apart. */
    async copies(table: 'messages' | 'events' | 'log', count: number, change: (row: Json, n: number) => object) {
      const last = await store.db.selectFrom(table).selectAll().orderBy('created_at', 'desc').executeTakeFirst();
      for (let at = 0; at < count; at += ROWS) {
        const rows = Array.from({ length: Math.min(ROWS, count - at) }, (_, n) => ({
          ...last,
          ...change(last, at + n),
        }));
        await store.write(({ db }) =>
          db
            .insertInto(table)
            .values(rows as never)
            .execute(),
        );
      }
    },
    /** The rows of a table by id, which is in the order of their creation; where they have none, by that of the platform. */
    rows: (
      table: 'comments' | 'messages' | 'mentions' | 'reviews' | 'conversations' | 'inbox_posts' | 'pages' | 'pushes',
    ) => {
      const hasId = ['conversations', 'inbox_posts', 'pages', 'pushes'].includes(table);
      const all = store.db.selectFrom(table as 'conversations').selectAll();
      return all.orderBy(hasId ? 'id' : 'platform_id').execute() as Promise<Json[]>;
    },
  };
  return world;
}

/** Such a world with one platform, and an account on it. */
export async function inboxWith(
  stores: Stores,
  telling: Partial<InboundScript> = {},
  slug: PlatformSlug = 'facebook',
  facts: Partial<AccountRow> = {},
) {
  const world = await makeInboxWorld(stores, { [slug]: telling });
  return { world, account: await world.account(slug, facts) };
}
