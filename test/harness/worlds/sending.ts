import { onTestFinished } from 'vitest';
import { loadAccount } from '#db/access/accounts.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import type { Sessions } from '#call/ports.ts';
import { makeInbox, type InboxDeps } from '#engine/inbox/index.ts';
import { makeAttachmentAddresses } from '#engine/inbox/read/attachment-addresses.ts';
import { makeAccountFinder } from '#engine/numbers/find.ts';
import { record } from '#engine/inbox/record/record.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { makeSealer } from '#kernel/seal.ts';
import { makeLog } from '#kernel/log.ts';
import type { PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import { makeSocial, socialPlatforms } from '../platforms/social.ts';
import type { Stores } from '../stores/stores.ts';
import { addAccount, addBrand, addWorkspace, eventsIn, usedIn } from './rows.ts';
import { opened } from '../opened.ts';
import { lists } from '../lists.ts';

/** Waits that are a request's own; leases and looks for work are longer. */
const SHORT_MS = 10_000;

/** A clock that knows what it is waited at for. */
function watchedClock() {
  const inner = fakeClock();
  const waits = new Set<number>();
  const clock: FakeClock = {
    ...inner,
    after(ms, fn) {
      const at = inner.now() + ms;
      if (ms < SHORT_MS) waits.add(at);
      const cancel = inner.after(ms, () => {
        waits.delete(at);
        fn();
      });
      return () => {
        waits.delete(at);
        cancel();
      };
    },
  };
  const next = () => (waits.size === 0 ? undefined : Math.min(...waits));
  return { clock, next };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** Turns of the event loop alone would keep the processor busy while PostgreSQL is at work. */
const aMoment = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/** A store with one workspace, a fake network, and the inbox module over them. */
export async function makeWorld(stores: Stores, { plan = 'enterprise' }: { plan?: PlanTier } = {}) {
  const { clock, next } = watchedClock();
  const place = await stores.place();
  const store = productStore(await stores.open(place), clock);
  const net = makeSocial();
  const workspace = await addWorkspace(store, clock.now(), plan);
  const authority: Authority = authorityOver(workspace.id);
  const log: string[] = [];
  const sessions: Pick<Sessions, 'use'> = {
    async use(account, act) {
      const row = await loadAccount(store.db, account.id);
      if (!row) fail('account.not_found', { meta: { resource: 'account', id: account.id } });
      const http = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
      return act({ hosts: {}, settings: {}, now: clock.now, http, session: { account: row.username } });
    },
  };
  const media: InboxDeps['media'] = {
    unreachable: () => undefined,
    link: async (_workspace, ref) => ref,
    describe: async (_workspace, refs) => refs.map(({ source, type }) => ({ ref: source, kind: type ?? 'image' })),
    open: async () => opened(new Uint8Array([1]), 'image/png'),
  };
  let writes = 0;
  const counting = (inner: Store): Store => ({
    ...inner,
    write: (work) => inner.write(work).finally(() => (writes += 1)),
  });
  const deps: InboxDeps = {
    store: counting(store),
    lists,
    sessions: { ...sessions, hosts: () => ({}) },
    media,
    pages: { resolve: async () => fail('account.no_active_page') },
    platforms: socialPlatforms(net),
    clock,
    log: makeLog({ level: 'debug' }, { write: (line) => void log.push(line) }),
    crash: () => {},
    outbound: { send: () => Promise.reject(new Error('not here')) },
    addresses: makeAttachmentAddresses({
      sealer: makeSealer(['11'.repeat(32)]),
      clock,
      rootUrl: 'https://here.test',
    }),
    find: makeAccountFinder({ store }),
  };
  const inbox = makeInbox(deps);
  const rooms = [inbox];
  onTestFinished(async () => {
    net.release();
    await Promise.all(rooms.map((room) => world.drive(room.idle())));
  });

  const world = {
    clock,
    store,
    net,
    inbox,
    authority,
    workspace,
    log,
    /** Connects an account; its username is the token the network knows it by. */
    async account(platform: PlatformSlug, username = 'ours') {
      const now = clock.now();
      const person = { platform_user_id: username, name: username, username };
      const id = await store.write(async ({ db }) => {
        const brand_id = await addBrand(db, workspace.id, username, now);
        return addAccount(db, now, { workspace_id: workspace.id, brand_id, platform }, person);
      });
      return (await loadAccount(store.db, id))!;
    },
    record: (account: { id: string }, facts: readonly InboundEvent[], silent = false) =>
      store.write((tx) => record(tx, account, facts, { silent, now: clock.now() })),
    /** A conversation somebody began; answers its id. */
    async conversation(account: { id: string }, platform_id = 'thread') {
      const participant = { id: 'fan', name: 'Fan' };
      const message = {
        platform_id: `hello-${platform_id}`,
        direction: 'incoming',
        text: 'Hello',
        attachments: [],
        created_at: clock.now() - 60_000,
      } as const;
      await world.record(account, [{ kind: 'message', conversation: { platform_id, participant }, message }], true);
      const row = await store.db
        .selectFrom('conversations')
        .select('id')
        .where('platform_id', '=', platform_id)
        .executeTakeFirstOrThrow();
      return row.id;
    },
    /** Lets short waits end as they come, until the work is done. */
    async drive<T>(work: Promise<T>): Promise<T> {
      let over = false;
      const end = () => void (over = true);
      work.then(end, end);
      while (!over) {
        await aMoment();
        const at = next();
        if (!over && at !== undefined) clock.move(Math.max(0, at - clock.now()));
      }
      return work;
    },
    /** Waits until the rooms have ended so many transactions more; the clock stands still meanwhile. */
    async written(more: number): Promise<void> {
      const until = writes + more;
      while (writes < until) await aMoment();
    },
    /** Sends a text; answers what the caller is told, or the error. */
    async say(conversation: string, text: string, { room = inbox, signal = new AbortController().signal } = {}) {
      return world.drive(world.ask(conversation, text, { room, signal }));
    },
    /** The same, while the clock stands still. */
    ask(conversation: string, text: string, { room = inbox, signal = new AbortController().signal } = {}) {
      const acting = { authority, workspace, signal, progress: () => {} };
      return room.conversations.send(acting, conversation, { text }).catch(asError);
    },
    events: () => eventsIn(store),
    async eventNames(): Promise<readonly string[]> {
      return (await world.events()).map(({ name }) => name);
    },
    sends: () => store.db.selectFrom('sends').selectAll().orderBy('created_at').orderBy('id').execute(),
    used: async () => (await usedIn(store, workspace, clock.now())).interactions,
    /** Another process on the same store (in memory: another room on it). */
    async second() {
      const other = stores.kind === 'memory' ? store : productStore(await stores.open(place), clock);
      const room = makeInbox({ ...deps, store: stores.kind === 'memory' ? deps.store : counting(other) });
      rooms.push(room);
      return room;
    },
  };
  return world;
}

/** An error as a test compares it; what was not meant to be thrown fails the test. */
export function asError(error: unknown) {
  if (!(error instanceof ApiError)) throw error;
  const { code, status, detail } = error;
  return { code, status, meta: detail.meta, next: detail.next, retryAfter: detail.retryAfter };
}
