import { createServer } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { loadAction, moveAction } from '#db/leash/actions.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, givePassword, leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, expectRefusal, type Reply } from '../../harness/calls/operations.ts';
import { sessionOf } from '../../harness/calls/browser.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { serveTest } from '../../harness/sockets.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld } from '../../harness/world.ts';
import { publish, reconnect } from '../../harness/worlds/post-stage.ts';

afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const source = 'https://files.example/p.png';
const media = [{ source, source_type: 'url' }];

/** A key that has to ask, a draft of it, and the person who decides. */
describeStores('what a person agrees to', (stores) => {
  async function scene() {
    const world = await makeWorld({ store: await stores.place() });
    const account = await world.connect();
    const key = await leashedKey(world, 'ask');
    const owner = { key: await dashboardToken(world) };
    const does = (name: string, input: object, as: object = { key }): Promise<Reply> =>
      callThrough(world, 'rest', name, { ...input }, as);
    const draftWith = async (more: object = {}): Promise<string> =>
      (await does('create_post', { text: 'Look', account_ids: [account.id], ...more })).body.id;
    const soon = new Date(world.clock.now() + HOUR).toISOString();
    const actions = async () => (await does('list_actions', {}, owner)).body.data as Reply['body'][];
    const states = async () => (await actions()).map(({ state }): string => state).toSorted();
    const approve = async (action_id: string): Promise<Reply> => {
      const { etag } = (await does('get_action', { action_id }, owner)).body;
      return does('approve_action', { action_id, etag }, owner);
    };
    const statusOf = async (post_id: string) => (await does('get_post', { post_id })).body.status;
    /** Leaves an action to be done as a process does that died over it, or that is late. */
    const leave = (id: string, patch: Parameters<typeof moveAction>[3]) =>
      world.product.store.write(async (tx) => {
        await moveAction(tx.db, id, 'held', patch);
        await tx.enqueue({ kind: 'run_action', key: id, runAt: world.clock.now() });
      });
    return { world, account, key, owner, does, draftWith, soon, actions, states, approve, statusOf, leave };
  }

  it.for([
    ['media', { media }],
    ['segments', { segments: [{ text: 'One' }, { text: 'Two', media }] }],
    ['platform_data', { platform_data: { youtube: { thumbnail: { source } } } }],
  ] as const)('are no files of a draft by their addresses (%s)', async ([field, more]) => {
    const { does, draftWith, soon, actions } = await scene();
    const post_id = await draftWith(more);
    const refused = (name: string, input: object) =>
      expectRefusal(does(name, input), 'validation.field_invalid', { field });
    await refused('publish_post', { post_id });
    await refused('update_post', { post_id, scheduled_at: soon });
    await refused('reschedule_posts', { posts: [{ post_id, scheduled_at: soon }] });
    const fine = await draftWith();
    const times = [fine, post_id].map((id) => ({ post_id: id, scheduled_at: soon }));
    await refused('reschedule_posts', { posts: times });
    expect(await actions()).toEqual([]);
  });

  it('are no files of one account of a draft, and say what to do', async () => {
    const { account, does, draftWith } = await scene();
    const post_id = await draftWith({ account_ids: undefined, targets: [{ account_id: account.id, media }] });
    const { body } = await does('publish_post', { post_id });
    expect(body.error).toMatchObject({ meta: { field: 'targets' } });
    expect(body.error.message).toContain('Add it with upload_media, name its media_id with update_post');
  });

  it('is what replaces them, and a draft in which an address came later is not agreed to', async () => {
    const { does, draftWith, soon, approve, states, statusOf } = await scene();
    const first = await draftWith({ media });
    expect((await does('update_post', { post_id: first, media: [], scheduled_at: soon })).status).toBe(202);
    const post_id = await draftWith({ text: 'Another' });
    const { id } = (await does('publish_post', { post_id })).body;
    expect((await does('update_post', { post_id, media })).status).toBe(200);
    await expectRefusal(approve(id), 'validation.field_invalid', { field: 'media' });
    expect(await states()).toEqual(['held', 'held']);
    expect(await statusOf(post_id)).toBe('draft');
  });

  it('are no files in rows of a CSV that would be published, while drafts may have them', async () => {
    const { account, does, soon } = await scene();
    const row = (text: string, at: string) => `${text},${source},${account.id},${at}`;
    const csv = (...rows: string[]) => ['text,media,account_ids,scheduled_at', ...rows].join('\n');
    const refused = does('import_posts', { csv: csv(row('One', ''), row('Two', soon)) });
    await expectRefusal(refused, 'validation.field_invalid', { field: 'media' });
    expect((await does('import_posts', { csv: csv(row('One', ''), `Two,,${account.id},${soon}`) })).status).toBe(202);
  });

  it('is no file that would be fetched and then refused', async () => {
    const { does } = await scene();
    const served: string[] = [];
    const site = createServer(({ url }, res) => {
      served.push(url!);
      res.end('text\nHi');
    });
    const url = `${await serveTest(site)}/posts.csv`;
    await expectRefusal(does('import_posts', { url }), 'validation.field_invalid', { field: 'url' });
    expect(served).toEqual([]);
  });

  it('comes to something: posts that cannot be moved and rows that are refused are not asked about', async () => {
    const { account, does, draftWith, soon, actions } = await scene();
    const posts = (...ids: string[]) => ids.map((post_id) => ({ post_id, scheduled_at: soon }));
    const none = await does('reschedule_posts', { posts: posts('post_a', 'post_b') });
    expect(none.body.error).toMatchObject({ code: 'validation.field_invalid', meta: { code: 'post.not_found' } });
    expect(none.body.error.message).toContain('none of them can be moved');
    const csv = `text,account_ids\nHi,acc_none\nHo,acc_none`;
    await expectRefusal(does('import_posts', { csv }), 'validation.field_invalid', { field: 'csv' });
    await expectRefusal(does('import_posts', { csv: 'text,account_ids' }), 'validation.field_invalid', {
      field: 'csv',
    });
    expect(await actions()).toEqual([]);
    const some = { posts: posts(await draftWith(), 'post_b') };
    expect((await does('reschedule_posts', some)).status).toBe(202);
    const mixed = `text,account_ids,scheduled_at\nHi,${account.id},${soon}\nHo,acc_none,${soon}`;
    expect((await does('import_posts', { csv: mixed })).status).toBe(202);
  });

  it.for(['approved', 'running'] as const)('is done to posts as they were seen (%s)', async (state) => {
    const { world, account, owner, does, draftWith, soon, statusOf, leave } = await scene();
    const draftOf = (name: string) => draftWith({ text: name });
    const failedOf = async (name: string): Promise<string> => {
      upset(world, 'revoked');
      const { id } = await publish(world, account, name);
      await reconnect(world, account);
      return id;
    };
    const publishedOf = async (name: string): Promise<string> => (await publish(world, account, name)).id;
    const { id: page } = await facebookOf(world).connect();
    const sharedOf = (name: string) => draftWith({ text: name, account_ids: [account.id, page] });
    const asks = [
      ['reschedule_posts', (post_id: string) => ({ posts: [{ post_id, scheduled_at: soon }] })],
      ['update_post', (post_id: string) => ({ post_id, scheduled_at: soon })],
      ['publish_post', (post_id: string) => ({ post_id })],
      ['delete_post', (post_id: string) => ({ post_id })],
      ['retry_post', (post_id: string) => ({ post_id }), failedOf],
      ['unpublish_post', (post_id: string) => ({ post_id }), publishedOf],
      ['delete_post', (post_id: string) => ({ post_id, platform: 'facebook' }), sharedOf],
    ] as const;
    for (const [name, inputOf, make = draftOf] of asks) {
      const post_id = await make(name);
      const before = await statusOf(post_id);
      const { id } = (await does(name, inputOf(post_id))).body;
      const seen = (await loadAction(world.product.store.db, id))!;
      world.clock.move(1000);
      const change = make === publishedOf ? { hidden: true } : { text: 'Buy now' };
      expect((await does('update_post', { post_id, ...change }, {})).status).toBe(200);
      const started = state === 'running' ? { started_at: world.clock.now() } : {};
      await leave(id, { state, bound_version: seen.bound_version, ...started });
      await world.settle();
      const action = (await does('get_action', { action_id: id }, owner)).body;
      const rows = name === 'reschedule_posts' && state === 'running';
      expect([name, action.state]).toEqual([name, rows ? 'done' : 'failed']);
      if (rows)
        expect(action.outcome).toMatchObject({ rescheduled: 0, results: [{ error: { code: 'resource.conflict' } }] });
      expect([name, await statusOf(post_id)]).toEqual([name, before]);
      if (make === sharedOf) expect((await does('get_post', { post_id })).body.targets).toHaveLength(2);
    }
  });

  it('is not done to a post that is as it was to be already, whoever died over it', async () => {
    const { world, owner, does, draftWith, soon, statusOf, leave } = await scene();
    const post_id = await draftWith();
    const { id } = (await does('update_post', { post_id, scheduled_at: soon })).body;
    const seen = (await loadAction(world.product.store.db, id))!;
    await does('update_post', { post_id, scheduled_at: soon }, {});
    await leave(id, { state: 'running', bound_version: seen.bound_version, started_at: world.clock.now() });
    await world.settle();
    expect((await does('get_action', { action_id: id }, owner)).body.state).toBe('done');
    expect(await statusOf(post_id)).toBe('scheduled');
  });

  it('is done where an earlier try took down all that was to be taken down, which changed the post', async () => {
    const { world, account, owner, does, leave } = await scene();
    const { id: page } = await facebookOf(world).connect();
    const { id: post_id } = await publish(world, account, 'Both', { account_ids: [account.id, page] });
    const { id } = (await does('delete_post', { post_id, platform: 'facebook' })).body;
    const seen = (await loadAction(world.product.store.db, id))!;
    world.clock.move(1000);
    expect((await does('delete_post', { post_id, platform: 'facebook' }, {})).ok).toBe(true);
    await leave(id, { state: 'running', bound_version: seen.bound_version, started_at: world.clock.now() });
    await world.settle();
    expect((await does('get_action', { action_id: id }, owner)).body.state).toBe('done');
  });

  it('waits no longer once everything is allowed, and that is not allowed while some of it is being done', async () => {
    const { world, account, key, owner, does, states } = await scene();
    const ask = (text: string) => does('create_post', { text, account_ids: [account.id], publish_now: true });
    const { id } = (await ask('One')).body;
    await ask('Two');
    const connection_id = await connectionOf(world, key);
    const browser = await sessionOf(world, world.userId);
    const { words } = await browser.open(`/dashboard/assistants/${connection_id}`);
    expect(words).toContain('2 requests of it wait for you. They are withdrawn if you allow everything in all brands.');
    const password = await givePassword(world);
    const widen = (more: object = {}) =>
      does('set_leash', { connection_id, preset: 'full', password, ...more }, { key: owner.key });
    await world.product.store.write((tx) => moveAction(tx.db, id, 'held', { state: 'approved' }));
    await expectRefusal(widen(), 'resource.conflict', { id: connection_id });
    expect(await states()).toEqual(['approved', 'held']);
    expect((await widen({ brand_ids: [world.brandId] })).ok).toBe(true);
    expect(await states()).toEqual(['approved', 'held']);
    await world.product.store.write((tx) => moveAction(tx.db, id, 'approved', { state: 'held' }));
    expect((await widen()).ok).toBe(true);
    expect(await states()).toEqual(['withdrawn', 'withdrawn']);
    expect((await ask('Two')).status).toBe(201);
    const { data } = (await does('list_posts', {})).body;
    expect(data.map(({ text }: { text: string }) => text)).toEqual(['Two']);
  });
});
