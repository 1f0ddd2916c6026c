import { HOUR } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { MediaRef } from '#db/schema/database.ts';
import { onTestFinished, test } from 'vitest';
import { productStore } from '#db/outbox/outbox.ts';
import { listTargets } from '#db/posts/targets.ts';
import { loadPost } from '#db/posts/posts.ts';
import type { MediaSource, Sessions } from '#call/ports.ts';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import { makeJobs } from '#engine/jobs/index.ts';
import { makePageFinder } from '#engine/accounts/page-finder.ts';
import { ApiError, fail, orRefusal } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makePlannedPlatforms, type PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { OpenedMedia, OutgoingMedia } from '#platforms/media.ts';
import { fakeClock } from '../clock.ts';
import type { Stores } from '../stores/stores.ts';
import { fakePlatform } from '../platforms/fake.ts';
import { makePostNetwork, publishingPlatform, type Verdict } from '../platforms/publishing.ts';
import type { Draft } from '#engine/publishing/create/accept.ts';
import type { Changes } from '#engine/publishing/content/changes.ts';
import { makePublishing, type PublishingDeps } from '#engine/publishing/index.ts';
import { addAccount, addBrand, addWorkspace, eventsIn, usedIn } from './rows.ts';
import { opened as openedOf } from '../opened.ts';
import { makeSealer } from '#kernel/seal.ts';
import { lists } from '../lists.ts';

export type World = Awaited<ReturnType<typeof makeWorld>>;
type Ask = Partial<Draft> & { text?: string };

/** A store with one workspace, fake platforms, and the publishing module over them. */
export async function makeWorld(
  stores: Stores,
  { plan = 'enterprise', ...overrides }: Partial<PublishingDeps> & { plan?: PlanTier } = {},
) {
  const clock = fakeClock();
  const place = await stores.place();
  const bare = await stores.open(place);
  const store = productStore(bare, clock);
  const net = makePostNetwork();
  const workspace = await addWorkspace(store, clock.now(), plan);
  const authority: Authority = authorityOver(workspace.id);
  const log: string[] = [];
  const hosts = () => ({ web: 'https://social.test' });
  const opened: (OpenedMedia | Error)[] = [];

  const sessions: Sessions = {
    hosts,
    async use(account, act) {
      const row = await store.db.selectFrom('accounts').selectAll().where('id', '=', account.id).executeTakeFirst();
      if (!row) fail('account.not_found', { meta: { resource: 'account', id: account.id } });
      if (row.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
      const http = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
      return act({ hosts: hosts(), settings: {}, now: clock.now, http, session: { account: account.id } });
    },
  };
  const describe = ({ source, type }: MediaRef): OutgoingMedia => {
    if (source === 'missing') fail('media.not_found', { meta: { resource: 'media', id: source } });
    if (source === 'pending') fail('media.not_ready', { meta: { id: source } });
    return { ref: source, kind: type ?? 'image' };
  };
  const media: MediaSource = {
    maxBytes: 1_000_000,
    unreachable: () => undefined,
    link: (_workspace, ref) => Promise.resolve(`https://media.test/${ref}`),
    describe: async (_workspace, refs) => refs.map(describe),
    lookUp: async (_workspace, refs) => refs.map((ref) => orRefusal(() => describe(ref))),
    async open() {
      const next = opened.shift() ?? openedOf(new Uint8Array([1]), 'image/png');
      if (next instanceof Error) throw next;
      return next;
    },
    fit: async () => undefined,
    forget: async () => {},
  };
  const deps: PublishingDeps = {
    store,
    lists,
    sessions,
    media,
    networkOf: () => 'sandbox',
    sealer: makeSealer(['11'.repeat(32)]),
    fetchFile: async () => fail('validation.field_invalid'),
    pages: makePageFinder({ store }),
    quotas: { pace: async () => ({ leastMs: 0 }) },
    clock,
    platforms: new Map(
      [
        publishingPlatform(net, 'bluesky', {}),
        publishingPlatform(net, 'pinterest', { removable: false }),
        publishingPlatform(net, 'facebook', { visible: true }),
        fakePlatform('telegram'),
      ].map((platform) => [platform.slug, platform]),
    ),
    log: makeLog({ level: 'debug' }, { write: (line) => void log.push(line) }),
    crash: () => {},
    plannedPlatforms: makePlannedPlatforms({}),
    maxLatenessMs: 6 * HOUR,
    waitMs: 20_000,
    ...overrides,
  };
  const posts = makePublishing(deps);
  const jobs = jobsOf(posts);
  let people = 0;

  function jobsOf(room: typeof posts) {
    const handlers = {
      take_down: ({ key }: { key: string }) => room.takeDownDeleted(key),
      follow_up_post: ({ key }: { key: string }) => room.followUp(key),
    };
    return makeJobs({ store, clock, log: deps.log, meter: makeMeter(), handlers });
  }

  async function settle(room = posts, queue = jobs): Promise<void> {
    for (let quiet = 0; quiet < 2;) {
      // Writes wait for a turn of the event loop, for others to share their commit.
      await turn();
      const started = (await room.worker.tick()) + (await queue.tick());
      await room.worker.idle();
      await queue.idle();
      quiet = started === 0 ? quiet + 1 : 0;
    }
  }
  const setStatus = async (accountId: string, status: 'active' | 'reconnect_required'): Promise<void> => {
    await store.write(({ db }) => db.updateTable('accounts').set({ status }).where('id', '=', accountId).execute());
  };
  onTestFinished(async () => {
    net.release();
    await posts.worker.idle();
  });

  const world = {
    clock,
    place,
    store,
    net,
    deps,
    posts,
    jobs,
    authority,
    workspace,
    log,
    opened,
    settle,
    /** Connects an account in a brand of its own, or in the one named. */
    async account(platform: PlatformSlug, brand?: string) {
      people += 1;
      const now = clock.now();
      return store.write(async ({ db }) => {
        const brand_id = brand ?? (await addBrand(db, workspace.id, `Brand ${people}`, now));
        const id = await addAccount(
          db,
          now,
          { workspace_id: workspace.id, brand_id, platform },
          {
            platform_user_id: `person-${people}`,
            name: `Person ${people}`,
            username: `person${people}`,
            profile_url: `https://social.test/person${people}`,
          },
        );
        return { id, brand_id };
      });
    },
    /** Connects an account on bluesky, and one on another platform. */
    async pair(other: PlatformSlug = 'pinterest') {
      return [await world.account('bluesky'), await world.account(other)] as const;
    },
    /** Targets on two platforms, the second one with a time of its own. */
    async apart(ms: number, other?: PlatformSlug) {
      const [first, second] = await world.pair(other);
      return [{ account_id: first.id }, { account_id: second.id, scheduled_at: clock.now() + ms }];
    },
    kill: (accountId: string) => setStatus(accountId, 'reconnect_required'),
    revive: (accountId: string) => setStatus(accountId, 'active'),
    async disconnect(accountId: string): Promise<void> {
      await store.write(({ db }) => db.deleteFrom('accounts').where('id', '=', accountId).execute());
    },
    async block(blocked_at: number | null): Promise<void> {
      await store.write(({ db }) =>
        db.updateTable('workspaces').set({ blocked_at }).where('id', '=', workspace.id).execute(),
      );
    },
    /** Makes a post; one that could not be published is no error here. Answers its id. */
    async make(accounts: readonly { id: string }[], draft: Ask = {}): Promise<string> {
      const { text = `Text ${newId('post', clock.now())}`, ...rest } = draft;
      const whole = draftFor(accounts, { content: contentOf(text), ...rest });
      try {
        return (await posts.create(authority, workspace, whole)).id;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'post.publish_failed') throw error;
        return error.detail.meta!['id'] as string;
      }
    },
    /** Makes a post that is published in an hour. */
    schedule: (accounts: readonly { id: string }[], draft: Ask = {}): Promise<string> =>
      world.make(accounts, { scheduledAt: clock.now() + HOUR, ...draft }),
    /** Publishes a post now on an account of its own, whose next calls of a step meet the verdicts. */
    async publishInto(step: string, verdicts: readonly Verdict[], draft: Ask = {}, platform: PlatformSlug = 'bluesky') {
      const account = await world.account(platform);
      net.script(account, step, ...verdicts);
      return { account, id: await world.make([account], { publishNow: true, ...draft }) };
    },
    publish: (id: string) => posts.publish({ authority, workspace }, id),
    edit: (id: string, changes: Partial<Changes>) =>
      posts.update({ authority, workspace, permit: () => {} }, id, { ...NOTHING, ...changes }),
    unpublish: (id: string, accounts?: string[]) => posts.unpublish({ authority }, id, accounts),
    remove: (id: string, platform?: PlatformSlug) => posts.remove({ authority }, id, platform),
    /** Retries a post and waits for what comes of it; `looked` says that somebody saw that it is not public. */
    async retry(id: string, looked = false) {
      const answer = await posts.retry({ authority, workspace }, id, looked);
      await settle();
      return answer;
    },
    row: (id: string) => loadPost(store.db, id),
    targets: (id: string) => listTargets(store.db, [id]),
    /** The first target of a post. */
    target: async (id: string) => (await listTargets(store.db, [id]))[0]!,
    async status(id: string): Promise<string> {
      const post = await loadPost(store.db, id);
      return post === undefined || post.deleted_at !== null ? 'removed' : post.status;
    },
    events: () => eventsIn(store),
    async eventNames(): Promise<readonly string[]> {
      return (await world.events()).map(({ name }) => name);
    },
    /** The publishing log, oldest first, as `action/status`. */
    async logged(): Promise<readonly string[]> {
      const rows = await store.db.selectFrom('publish_log').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(({ action, status }) => `${action}/${status}`);
    },
    /** Post credits used in the running period. */
    used: async () => (await usedIn(store, workspace, clock.now())).posts,
    /** Moves the clock and lets everything that became due happen. */
    async pass(ms: number): Promise<void> {
      clock.move(ms);
      await settle();
    },
    /** Another process on the same store (in memory: another room on it). */
    async second(more: Partial<PublishingDeps> = {}) {
      const other = stores.kind === 'memory' ? store : productStore(await stores.open(place), clock);
      const room = makePublishing({ ...deps, store: other, ...more });
      return { posts: room, settle: () => settle(room, jobsOf(room)) };
    },
  };
  return world;
}

/** A test that has a world of its own when it names one, and an account in it, or two on different platforms. */
export const itIn = (stores: Stores, options?: Parameters<typeof makeWorld>[1]) =>
  test
    .extend('world', () => makeWorld(stores, options))
    .extend('account', ({ world }) => world.account('bluesky'))
    .extend('pair', ({ world }) => world.pair());

/** The content of a post that is a text alone, or a thread that goes on with the segments. */
export function contentOf(text: string | undefined, ...segments: readonly string[]): Draft['content'] {
  const others = segments.map((segment) => ({ text: segment }));
  return { text, media: [], visibility: 'public', platform_data: {}, segments: others };
}

/** A post of a content for accounts, which waits unless more is said. */
export const draftFor = (
  accounts: readonly { id: string }[],
  said: Partial<Draft> & Pick<Draft, 'content'>,
): Draft => ({
  targets: accounts.map(({ id }) => ({ account_id: id })),
  scheduledAt: undefined,
  publishNow: false,
  skipDuplicateCheck: false,
  skipValidation: false,
  ...said,
});

/** No changes: what an edit does not name. */
export const NOTHING = Object.freeze({
  content: {},
  targets: undefined,
  scheduledAt: undefined,
  hidden: undefined,
  skipValidation: false,
});
