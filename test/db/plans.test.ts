import type { CompiledQuery, Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountsToRefresh, leasedAccounts } from '#db/access/accounts.ts';
import { accountsOfApps, sweepApps } from '#db/access/apps.ts';
import { sweepQuotas } from '#db/access/quotas.ts';
import { openPostActions } from '#db/leash/actions.ts';
import { authorityOver } from '#kernel/authority.ts';
import { builderOn } from '#db/store/builder.ts';
import { sweepIdempotency } from '#db/access/idempotency.ts';
import { soonestDelivery } from '#db/delivery/due.ts';
import { deleteStalePending } from '#db/posts/media.ts';
import { countComments } from '#db/inbox/comments.ts';
import { listConversations } from '#db/inbox/lists.ts';
import { moveStatus } from '#db/inbox/messages.ts';
import { eraseTraces } from '#db/inbox/purge.ts';
import { listUnanswered, type UnansweredKind } from '#db/inbox/unanswered.ts';
import { findWords } from '#db/inbox/words.ts';
import { targetsInDoubt } from '#db/posts/doubts.ts';
import { findDuplicates, findRepeats } from '#db/posts/duplicates.ts';
import { plannedTimes } from '#db/posts/posting-times.ts';
import { findPostsByPlatformId, listPosts, ownPost } from '#db/posts/posts.ts';
import type { Database } from '#db/schema/database.ts';
import { bindings, openImage, type Handle } from '#db/store/sqlite/handle.ts';
import { claimTargets, findDueTargets, nextTargetAt, postponeAccount, soonestTarget } from '#db/posts/target-queue.ts';
import { freshnessOf, sumGainsBy, targetsToMeasure } from '#db/posts/daily-metrics.ts';
import {
  countScheduled,
  findPostOf,
  knownTargets,
  listTargets,
  publishedTargets,
  targetsOf,
} from '#db/posts/targets.ts';
import { soonestJobs } from '#db/store/jobs.ts';
import { migratedImage } from '../harness/stores/images.ts';

let handle: Handle;
beforeAll(async () => void (handle = openImage(await migratedImage())));
afterAll(() => handle.close());

type Ask = (db: Kysely<Database>) => Promise<unknown>;

/** How SQLite would run each statement that a query function makes; all of them find the same rows. */
async function plansOf(ask: Ask, rows: readonly object[] = []): Promise<readonly (readonly string[])[]> {
  const asked: CompiledQuery[] = [];
  await ask(
    builderOn<Database>('sqlite', async (query) => {
      asked.push(query);
      // What is JSON in them is read in place.
      return { rows: structuredClone([...rows]) };
    }),
  );
  return asked.map(({ sql, parameters }) => {
    const steps = handle.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(bindings(parameters));
    return steps.map(({ detail }) => detail);
  });
}

/** How rows are searched for by each of them. */
async function searchesOf(ask: Ask): Promise<readonly string[]> {
  const found = [{ n: 0, id: 'log_1', post_id: 'post_1', created_at: 1, metadata: '{"event_id":"evt_1"}' }];
  const plans = await plansOf(ask, found);
  return plans.map((steps) => steps.filter((step) => !/json_each|^LIST SUBQUERY/.test(step)).join('; '));
}

const authority = authorityOver('ws_1');
const from = { at: 1, id: 'post_1' };
const QUERIES: Readonly<Record<string, Ask>> = {
  'targets that are due': (db) => findDueTargets(db, { now: 5, most: 10 }),
  'due targets that are claimed': (db) =>
    claimTargets({ db, dialect: 'sqlite' }, ['tgt_1', 'tgt_2'], { now: 5, lease: { token: 't', until: 9 } }),
  'when the first target is due': (db) => soonestTarget(db).execute(),
  'when the first jobs of two kinds are due': (db) => soonestJobs(db, ['take_push', 'poll_inbox']).execute(),
  'when the first delivery is due': (db) => soonestDelivery(db).execute(),
  'when the next target is due': (db) => nextTargetAt(db, 5),
  'accounts of a grant': (db) => leasedAccounts(db, { id: 'acc', grant_id: 'g', network: 'real' }, 't'),
  'accounts of an app': (db) => accountsOfApps(db, ['app']),
  'apps to forget': (db) => sweepApps(db, 5),
  'quotas to forget': (db) => sweepQuotas(db, 5),
  'sessions to refresh': (db) => accountsToRefresh(db, 5, 10),
  'answers to forget': (db) => sweepIdempotency(db, 5, 10),
  'uploads nobody finished': (db) => deleteStalePending(db, 5, 10),
  'targets to be measured': (db) => targetsToMeasure(db, 'acc_1', 5, 10),
  'one post': (db) => ownPost(db, { workspace: 'ws_1', id: 'post_1' }).execute(),
  'its targets': (db) => targetsOf(db, { postId: 'post_1' }).execute(),
  'the targets of a page': (db) => listTargets(db, ['post_1', 'post_2']),
  'a page of posts by time': (db) =>
    listPosts(db, authority, { hidden: false }, { sort: 'scheduled_asc', limit: 25, from }),
  'a page of conversations that wait': (db) =>
    listConversations(db, authority, { status: 'active', awaitingReply: true }, { limit: 25, from }),
  'a page of conversations of an account that wait': (db) =>
    listConversations(
      db,
      authority,
      { accountId: 'acc_1', status: 'active', awaitingReply: true },
      { limit: 25, from },
    ),
  'a page of posts by age': (db) =>
    listPosts(db, authority, { hidden: false }, { sort: 'created_desc', limit: 25, from }),
};

it.each(Object.entries(QUERIES))('%s: the table is neither read nor sorted', async (_, ask) => {
  const [plan = []] = await plansOf(ask);
  expect(plan.some((step) => step.startsWith('SEARCH'))).toBe(true);
  expect(plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
});

it('what is added up of some days, and how fresh it is, is found by their index', async () => {
  const spans = [{ day: '2026-01-01', since: 1, until: 9 }];
  const period = { from: '2026-01-01', to: '2026-01-31', spans };
  const [plan] = await searchesOf((db) =>
    sumGainsBy({ db, dialect: 'sqlite' }, authority, { filter: {}, period, by: 'post_id' }),
  );
  const [fresh] = await searchesOf((db) => freshnessOf(db, authority, {}, { since: 1, until: 9 }));
  expect(fresh).toMatch(/^SEARCH targets USING INDEX targets_published/);
  expect(plan!.split('; ').filter((step) => step.startsWith('SEARCH'))).toEqual([
    'SEARCH daily_metrics USING INDEX daily_metrics_day (workspace_id=? AND day>? AND day<?)',
    'SEARCH targets USING INDEX targets_published (workspace_id=? AND published_at>? AND published_at<?)',
    'SEARCH daily_metrics USING COVERING INDEX sqlite_autoindex_daily_metrics_1 (target_id=?)',
  ]);
});

const conversation = { id: 'conv_1', account_id: 'acc_1' };
const move = { from: ['sent', 'delivered'], to: 'read', at: 1, ids: ['m1'], until: 9 } as const;

it('a post is found by the id of its platform, and not among all others', async () => {
  const account = { id: 'acc_1', workspace_id: 'ws_1' };
  const asks: readonly Ask[] = [
    (db) => knownTargets(db, account, ['at://1', 'at://2']),
    (db) => findPostOf(db, account, 'at://1'),
    (db) => findPostsByPlatformId(db, authority, 'at://1'),
  ];
  const search = 'SEARCH targets USING INDEX targets_platform_post (workspace_id=? AND platform_post_id=?)';
  for (const ask of asks) expect((await searchesOf(ask))[0]).toContain(search);
});

it('content that an account had before is found by its fingerprint, drafts among the imports of a day', async () => {
  const published = 'SEARCH targets USING INDEX targets_fingerprint (account_id=? AND fingerprint=?)';
  const [duplicates] = await searchesOf((db) => findDuplicates(db, 'sqlite', ['acc_1'], ['print'], 5));
  expect(duplicates).toContain(published);
  const marks = [{ account_id: 'acc_1', fingerprint: 'print' }];
  const [repeats] = await searchesOf((db) => findRepeats({ db, dialect: 'sqlite' }, 'ws_1', marks, 5));
  expect(repeats).toContain(published);
  expect(repeats).toContain('SEARCH posts USING INDEX posts_imported (workspace_id=? AND created_at>?)');
  expect(repeats).toContain('SEARCH targets USING INDEX targets_post (post_id=?)');
});

it('the targets of an account that are no drafts are found, and not among all others', async () => {
  const asks: readonly Ask[] = [
    (db) => publishedTargets(db, 'acc_1', 5),
    (db) => targetsInDoubt(db, 'acc_1'),
    (db) => countScheduled(db, ['acc_1']),
    (db) => postponeAccount(db, 'acc_1', { from: 5, until: 9 }),
  ];
  const search = 'SEARCH targets USING INDEX targets_fingerprint (account_id=?)';
  for (const ask of asks) expect((await searchesOf(ask))[0]).toContain(search);
});

it('what is planned for an account is found, and nothing else is read', async () => {
  const search = 'SEARCH targets USING INDEX targets_planned (account_id=? AND due_at>? AND due_at<?)';
  const [planned] = await searchesOf((db) => plannedTimes(db, authority, ['acc_1'], { from: 5, to: 9 }));
  expect(planned).toContain(search);
  const [open] = await searchesOf((db) => openPostActions(db, authority, 'import_posts'));
  expect(open).toContain('USING INDEX actions_open (workspace_id=?)');
});

it('what is done while an account is held does not grow with its posts and conversations', async () => {
  expect(await searchesOf((db) => moveStatus(db, 'sqlite', conversation, move))).toEqual([
    'SEARCH messages USING INDEX sqlite_autoindex_messages_1 (account_id=? AND platform_id=?)',
    'SEARCH messages USING INDEX messages_unread (conversation_id=? AND status=? AND created_at<?)',
  ]);
  expect(await searchesOf((db) => countComments(db, 'acc_1', 'post-1'))).toEqual([
    'SEARCH comments USING COVERING INDEX comments_post (account_id=? AND platform_post_id=? AND gone_at=?)',
  ]);
});

it('what was reported of an account is found without a look at the rest', async () => {
  const gone = { id: 'acc_1', workspace_id: 'ws_1', told: 'evt_9' };
  const after = { at: 1, id: 'log_1' };
  expect(await searchesOf((db) => eraseTraces(db, 'sqlite', gone, after, 10))).toEqual([
    'SEARCH log USING INDEX log_account (workspace_id=? AND account_id=? AND (created_at,id)>(?,?))',
    'SEARCH events USING COVERING INDEX sqlite_autoindex_events_1 (id=?)',
    'SEARCH log USING COVERING INDEX sqlite_autoindex_log_1 (id=?)',
  ]);
});

const LAST_PAGE = { accounts: ['acc_1'], since: 0, from: { at: 9, accountId: 'acc_1', id: 'x' }, limit: 25 };
const UNANSWERED: readonly (readonly [kind: UnansweredKind, index: string, before: string, time: string])[] = [
  [
    'conversation',
    'COVERING INDEX conversations_by_turn_of_account',
    'account_id=? AND status=? AND last_message_direction=?',
    'last_message_at',
  ],
  ['comment', 'INDEX comments_unanswered', 'account_id=?', 'created_at'],
  ['review', 'INDEX reviews_unanswered', 'account_id=?', 'created_at'],
  ['mention', 'COVERING INDEX mentions_unanswered', 'account_id=?', 'created_at'],
];

it.each(UNANSWERED)(
  'of what waits for an answer no more than a page of an account is read: %s',
  async (kind, ...found) => {
    const [plan = []] = await plansOf((db) => listUnanswered({ db, dialect: 'sqlite' }, authority, kind, LAST_PAGE));
    const [index, before, time] = found;
    const range = `USING ${index} (${before} AND ${time}>? AND ${time}<?)`;
    expect(plan.filter((step) => / (?:near|item) .*>/.test(step))).toEqual([
      `SEARCH near ${range}`,
      `SEARCH item ${range}`,
    ]);
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([expect.stringContaining('json_each'), 'SCAN page']);
  },
);

it('words are looked up in their index, which answers in the order of time', async () => {
  const search = { wanted: { words: ['red'], beginning: 'br' }, kinds: ['messages'], accounts: ['acc_1'] } as const;
  const span = { limit: 25, from: { at: 9, id: '1' } };
  const [plan = []] = await plansOf((db) => findWords({ db, dialect: 'sqlite' }, authority, search, span));
  expect(plan.filter((step) => !/json_each|^LIST SUBQUERY|BLOOM/.test(step))).toEqual([
    expect.stringMatching(/^SCAN inbox_word_index VIRTUAL TABLE INDEX \d+:.*M/),
    'SEARCH inbox_words USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});
