import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import type { AccountRow } from '#db/access/accounts.ts';
import { builderOn } from '#db/store/builder.ts';
import { insertPosts } from '#db/posts/posts.ts';
import { NEVER, type Database, type NewRow } from '#db/schema/database.ts';
import { insertTargets } from '#db/posts/targets.ts';
import { newId } from '#kernel/ids.ts';
import { facebook } from '#platforms/facebook/index.ts';
import type { ListedPost } from '#platforms/posts.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { inboxWith, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { DAWN } from '../../harness/platforms/inbound.ts';
import { makeExternalImport } from '#engine/publishing/create/external.ts';

const listed = (platform_post_id: string, more: Partial<ListedPost> = {}): ListedPost => ({
  platform_post_id,
  text: `Post ${platform_post_id}`,
  created_at: DAWN,
  media: [],
  metrics: { likes: 0, comments: 0, shares: 0, saves: 0 },
  ...more,
});

type Sent = Pick<NewRow<'steps'>, 'name' | 'kind' | 'state' | 'sent_at'>;

/** A target of ours as publishing left it, with its steps. */
async function ours(
  world: InboxWorld,
  account: AccountRow,
  facts: Pick<NewRow<'targets'>, 'status'> & Partial<NewRow<'targets'>>,
  steps: readonly Sent[] = [],
): Promise<string> {
  const now = world.clock.now();
  const post = newId('post', now);
  const id = newId('tgt', now);
  const owned = { workspace_id: world.workspace, created_at: DAWN };
  await world.store.write(async ({ db }) => {
    await insertPosts(db, [
      {
        ...owned,
        id: post,
        status: 'publishing',
        text: 'Ours',
        visibility: 'public',
        media: [],
        segments: [],
        platform_data: {},
        sort_at: DAWN,
        search: 'ours',
        hidden: 0,
        retry_count: 0,
        version: 0,
        source: 'api',
        updated_at: DAWN,
      },
    ]);
    const place = { id, post_id: post, account_id: account.id, brand_id: account.brand_id, platform: account.platform };
    const state = { position: 0, due_at: NEVER, round: 0, action: 'publish' as const, attempts: 1, repeats: 0 };
    const content = { overrides: {}, metadata: {}, fingerprint: id, lease_until: 0, unsettled: 0 as const };
    await insertTargets(db, [{ ...owned, ...place, ...state, ...content, started_at: DAWN, ...facts }]);
    const rows = steps.map((step) => ({ target_id: id, ...step }));
    if (rows.length > 0) await db.insertInto('steps').values(rows).execute();
  });
  return id;
}

const sent = (name: string, kind: Sent['kind'], sent_at: number, state: Sent['state'] = 'sent'): Sent => ({
  name,
  kind,
  state,
  sent_at,
});

/** Which of the listed posts a sync makes posts of. */
async function adopted(world: InboxWorld, account: AccountRow): Promise<readonly (string | null)[]> {
  await world.sync(world.authority, account.id, () => {});
  const rows = await world.store.db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select('platform_post_id')
    .where('posts.source', '=', 'synced')
    .orderBy('platform_post_id')
    .execute();
  return rows.map(({ platform_post_id }) => platform_post_id);
}

describeStores('a sync, of posts that', (stores) => {
  it('came to be long after ours was begun, leaves them while it is under way', async () => {
    const posts = [listed('before', { created_at: DAWN - HOUR }), listed('after', { created_at: DAWN + 5 * HOUR })];
    const { world, account } = await inboxWith(stores, { posts });
    await ours(world, account, { status: 'publishing' });
    expect(await adopted(world, account)).toEqual(['before']);
  });

  it('may be ours, counts from when the public step was last sent', async () => {
    const posts = [
      listed('between', { created_at: DAWN + 2 * HOUR }),
      listed('soon', { created_at: DAWN + 5.5 * HOUR }),
      listed('later', { created_at: DAWN + 7 * HOUR }),
    ];
    const { world, account } = await inboxWith(stores, { posts });
    const steps = [sent('draft', 'invisible', DAWN, 'done'), sent('publish', 'idempotent', DAWN + 5 * HOUR)];
    await ours(world, account, { status: 'failed', unsettled: 1 }, steps);
    expect(await adopted(world, account)).toEqual(['later']);
  });

  it('are the first part of ours that failed half-way, leaves them', async () => {
    const posts = [listed('first', { created_at: DAWN + 1000 }), listed('other', { created_at: DAWN + 3 * HOUR })];
    const { world, account } = await inboxWith(stores, { posts });
    await ours(world, account, { status: 'failed' }, [sent('write.0', 'idempotent', DAWN + 1000, 'done')]);
    expect(await adopted(world, account)).toEqual(['other']);
  });

  it('came while ours failed before its public step, brings them', async () => {
    const { world, account } = await inboxWith(stores, { posts: [listed('foreign', { created_at: DAWN + 1000 })] });
    await ours(world, account, { status: 'failed' }, [sent('draft', 'invisible', DAWN, 'done')]);
    expect(await adopted(world, account)).toEqual(['foreign']);
  });

  it('bear the time at which ours was prepared before it is tried again, leaves them', async () => {
    const { world, account } = await inboxWith(stores, { posts: [listed('prepared', { created_at: DAWN })] });
    const composed = sent('compose', 'invisible', DAWN, 'done');
    const steps = [composed, sent('write.0', 'idempotent', DAWN + DAY + MINUTE, 'done')];
    await ours(world, account, { status: 'publishing', round: 1, started_at: DAWN + DAY }, steps);
    expect(await adopted(world, account)).toEqual([]);
  });

  it('have text that a store refuses, cleans them, and leaves out what has no id', async () => {
    const media = [{ type: 'image', url: 'https://told.test/\0a.png' }];
    const permalink = 'https://told.test/\0p1';
    const posts = [listed('p\0x', { text: 'a\0b', media, permalink }), listed('\0'), listed('x'.repeat(3000))];
    const { world, account } = await inboxWith(stores, { posts });
    expect(await adopted(world, account)).toEqual(['px']);
    const post = await world.store.db.selectFrom('posts').selectAll().executeTakeFirstOrThrow();
    expect([post.text, post.media]).toMatchObject(['ab', [{ source: 'https://told.test/a.png' }]]);
    world.clock.move(5 * MINUTE);
    expect(await adopted(world, account)).toEqual(['px']);
  });

  it('bear a time that is yet to come, takes them for those of now', async () => {
    const { world, account } = await inboxWith(stores, { posts: [listed('late', { created_at: 9e15 })] });
    expect(await adopted(world, account)).toEqual(['late']);
    const target = await world.store.db.selectFrom('targets').selectAll().executeTakeFirstOrThrow();
    expect(target.published_at).toBe(world.clock.now());
  });

  it('are known, takes over how they are shown, and the media of those alone that came from there', async () => {
    const posts = ['a', 'b'].map((id) => listed(id, { created_at: DAWN - DAY }));
    const { world, account } = await inboxWith(stores, { posts });
    const own = await ours(world, account, { status: 'published', platform_post_id: 'a' });
    expect(await adopted(world, account)).toEqual(['b']);
    world.clock.move(5 * MINUTE);
    const media = [{ type: 'image', url: 'https://told.test/\ud800.png' }];
    const metrics = { likes: 7, comments: 1, shares: 0, saves: 0 };
    world.telling().posts = posts.map((post) => ({ ...post, media, metrics, permalink: 'https://told.test/\ud800' }));
    await adopted(world, account);
    const rows = await world.store.db
      .selectFrom('targets')
      .innerJoin('posts', 'posts.id', 'targets.post_id')
      .select(['targets.id', 'permalink', 'metrics', 'metrics_synced_at', 'platform_media', 'media'])
      .orderBy('platform_post_id')
      .execute();
    const shown = { permalink: 'https://told.test/\ufffd', metrics_synced_at: world.clock.now() };
    expect(rows).toMatchObject([
      { id: own, media: [], ...shown },
      { media: [{ source: expect.stringContaining('.png') }], ...shown },
    ]);
    expect(rows.map((row) => row.metrics)).toEqual([metrics, metrics]);
    const clean = [{ type: 'image', url: 'https://told.test/\ufffd.png' }];
    expect(rows.map((row) => row.platform_media)).toEqual([clean, clean]);
  });

  it('are those of videos of ours, gives these their ids', async () => {
    const posts = [
      listed('7_100', { permalink: 'https://told.test/7/posts/100' }),
      listed('7_201', { permalink: 'https://told.test/reel/200/' }),
      listed('7_301', { permalink: 'https://told.test/watch?v=300' }),
      listed('7_401', { permalink: 'https://told.test/reel/4000' }),
    ];
    const { world, account } = await inboxWith(stores, { posts, isSame: facebook.posts!.isSame });
    const now = world.clock.now();
    const targets = [];
    const published = { 100: now - DAY, 200: now - DAY, 300: now - 31 * DAY, 400: now - DAY };
    for (const [video, published_at] of Object.entries(published))
      targets.push(await ours(world, account, { status: 'published', platform_post_id: video, published_at }));
    const other = await world.account();
    await ours(world, other, { status: 'published', platform_post_id: '301', published_at: now });
    expect(await adopted(world, account)).toEqual(['7_301', '7_401']);
    const rows = await world.store.db.selectFrom('targets').selectAll().where('id', 'in', targets).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(targets.map((id) => byId.get(id)!.platform_post_id)).toEqual(['7_100', '7_201', '300', '400']);
    const { permalink, metrics } = posts[1]!;
    expect(byId.get(targets[1]!)).toMatchObject({ permalink, metrics });
    world.clock.move(5 * MINUTE);
    expect(await adopted(world, account)).toEqual(['7_301', '7_401']);
  });
});

describeStores('a post of ours', (stores) => {
  it('that ends while a sync looks for it is seen', async () => {
    const { world, account } = await inboxWith(stores, { posts: [] });
    const id = await ours(world, account, { status: 'publishing' });
    let asked = 0;
    const count = await world.store.write((tx) => {
      const db = builderOn<Database>(tx.dialect, async (query) => {
        const answer = await tx.db.executeQuery(query);
        asked += 1;
        if (asked === 1) {
          const ended = { status: 'published', platform_post_id: 'p1' } as const;
          await tx.db.updateTable('targets').set(ended).where('id', '=', id).execute();
        }
        return answer;
      });
      return makeExternalImport({ platforms: new Map() })({ ...tx, db }, account, [listed('p1')], world.clock.now());
    });
    expect([asked > 1, count]).toEqual([true, 0]);
  });
});
