import type { CompiledQuery } from 'kysely';
import { type Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountsToRefresh, idsOfApps, leasedAccounts } from '../../db/access/accounts.ts';
import { sweepApps } from '../../db/access/apps.ts';
import { sweepQuotas } from '../../db/access/quotas.ts';
import { authorityOver } from '../../src/kernel/authority.ts';
import { builderOn } from '../../db/store/builder.ts';
import { sweepIdempotency } from '../../db/access/idempotency.ts';
import { soonestDelivery } from '../../db/delivery/due.ts';
import { deleteStalePending } from '../../db/posts/media.ts';
import { listPosts, ownPost } from '../../db/posts/posts.ts';
import type { Database } from '../../db/schema/database.ts';
import { bindings, openImage, type Handle } from '../../db/store/sqlite-handle.ts';
import { claimTargets, nextTargetAt, soonestTarget } from '../../db/posts/target-queue.ts';
import { listTargets, targetsOf } from '../../db/posts/targets.ts';
import { soonestJobs } from '../../db/store/jobs.ts';
import { migratedImage } from '../harness/stores/images.ts';

let handle: Handle;
beforeAll(async () => void (handle = openImage(await migratedImage())));
afterAll(() => handle.close());

/** How SQLite would run the first statement of a query function. */
async function planOf(ask: (db: Kysely<Database>) => Promise<unknown>): Promise<readonly string[]> {
  const asked: CompiledQuery[] = [];
  await ask(
    builderOn<Database>('sqlite', async (query) => {
      asked.push(query);
      return { rows: [] };
    }),
  );
  const { sql, parameters } = asked[0]!;
  const steps = handle.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(bindings(parameters));
  return steps.map(({ detail }) => detail);
}

const authority = authorityOver('ws_1');
const from = { at: 1, id: 'post_1' };
const QUERIES: Readonly<Record<string, (db: Kysely<Database>) => Promise<unknown>>> = {
  'targets that are due': (db) => claimTargets(db, 'sqlite', { now: 5, most: 10, lease: { token: 't', until: 9 } }),
  'when the first target is due': (db) => soonestTarget(db).execute(),
  'when the first jobs of two kinds are due': (db) => soonestJobs(db, ['take_push', 'poll_inbox']).execute(),
  'when the first delivery is due': (db) => soonestDelivery(db).execute(),
  'when the next target is due': (db) => nextTargetAt(db, 5),
  'accounts of a grant': (db) => leasedAccounts(db, { id: 'acc', grant_id: 'g', network: 'real' }, 't'),
  'accounts of an app': (db) => idsOfApps(db, ['app']),
  'apps to forget': (db) => sweepApps(db, 5),
  'quotas to forget': (db) => sweepQuotas(db, 5),
  'sessions to refresh': (db) => accountsToRefresh(db, 5, 10),
  'answers to forget': (db) => sweepIdempotency(db, 5, 10),
  'uploads nobody finished': (db) => deleteStalePending(db, 5, 10),
  'one post': (db) => ownPost(db, { workspace: 'ws_1', id: 'post_1' }).execute(),
  'its targets': (db) => targetsOf(db, { postId: 'post_1' }).execute(),
  'the targets of a page': (db) => listTargets(db, ['post_1', 'post_2']),
  'a page of posts by time': (db) =>
    listPosts(db, authority, { hidden: false }, { sort: 'scheduled_asc', limit: 25, from }),
  'a page of posts by age': (db) =>
    listPosts(db, authority, { hidden: false }, { sort: 'created_desc', limit: 25, from }),
};

it.each(Object.entries(QUERIES))('%s: the table is neither read nor sorted', async (_, ask) => {
  const plan = await planOf(ask);
  expect(plan.some((step) => step.startsWith('SEARCH'))).toBe(true);
  expect(plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
});
