import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { lost, refused, silent, throttled, times } from '../../harness/platforms/publishing.ts';
import { contentOf, itIn, type World } from '../../harness/worlds/publishing.ts';

/** What is left of a post: its row, and what is public. */
const leftOf = async (world: World, id: string) => [await world.row(id), world.net.texts()];

/** The state of a post, and how many are public. */
const shownOf = async (world: World, id: string) => [await world.status(id), world.net.texts().length];

/** Publishes now, as far as a platform that does not answer; the post is there already. */
async function beginPublishing(world: World, accounts: readonly { id: string }[]) {
  const gate = world.net.hold(accounts[0]!, 'write');
  const making = world.make(accounts, { publishNow: true });
  await gate.met;
  const { id } = await world.store.db.selectFrom('posts').select('id').executeTakeFirstOrThrow();
  return { id, making, open: gate.open };
}

describeStores('deleting a post', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores);

  it('in flight hides it at once, and takes down what comes of it', async ({ world, account }) => {
    const { id, making, open } = await beginPublishing(world, [account]);
    const caught = making.catch((error: unknown) => error);
    const results = [{ outcome: 'deleted', message: expect.any(String) }];
    expect(await world.remove(id)).toMatchObject({ deleted: true, results });
    await expect(world.posts.get(world.authority, id)).rejects.toMatchObject({ code: 'post.not_found' });
    open();
    expect(await caught).toMatchObject({ code: 'post.not_found' });
    await world.settle();
    expect(await leftOf(world, id)).toEqual([undefined, []]);
    expect(await world.eventNames()).toEqual(['post.deleted']);
    expect(await world.logged()).toEqual(['publish/success', 'unpublish/success']);
  });

  it('in flight says what will stay public, where the platform removes nothing', async ({
    world,
    pair: [, unable],
  }) => {
    const { id, making, open } = await beginPublishing(world, [unable]);
    const about = { platform: 'pinterest', account_id: unable.id };
    const caught = making.catch((error: unknown) => error);
    expect(await world.remove(id)).toMatchObject({
      deleted: true,
      results: [{ ...about, outcome: 'not_supported', message: expect.stringContaining('will stay public') }],
      remaining: [about],
    });
    open();
    await caught;
    await world.settle();
    expect([await world.row(id), world.net.texts().length]).toEqual([undefined, 1]);
    expect(await world.logged()).toEqual(['publish/success', 'unpublish/skipped']);
  });

  it('removes the half of a thread that came to be', async ({ world, account }) => {
    world.net.script(account, 'segment.0', refused);
    const id = await world.make([account], { publishNow: true, content: contentOf('First', 'Second') });
    expect(world.net.texts()).toEqual(['First']);
    await world.remove(id);
    expect(await leftOf(world, id)).toEqual([undefined, []]);
  });

  it('removes what nobody knew to be public', async ({ world }) => {
    const { id } = await world.publishInto('write', times(6, lost));
    for (const wait of [5, 30, 120, 600]) await world.pass(wait * SECOND);
    expect(await shownOf(world, id)).toEqual(['failed', 1]);
    await world.remove(id);
    expect(world.net.texts()).toEqual([]);
  });

  it('says that what nobody knew may be public, where it cannot be removed any more', async ({ world }) => {
    const { account, id } = await world.publishInto('write', times(6, lost));
    for (const wait of [5, 30, 120, 600]) await world.pass(wait * SECOND);
    await world.disconnect(account.id);
    const message = 'It may be public: The account is no longer connected; remove the post on the platform.';
    expect(await world.remove(id)).toMatchObject({ results: [{ outcome: 'failed', message }] });
  });

  it('that another process has claimed lets that end', async ({ world }) => {
    const { account, id } = await world.publishInto('write', [throttled(60)]);
    const other = await world.second();
    const gate = world.net.hold(account, 'write');
    world.clock.move(MINUTE);
    await other.posts.worker.tick();
    await gate.met;
    const results = [{ outcome: 'deleted', message: expect.any(String) }];
    expect(await world.remove(id)).toMatchObject({ results });
    gate.open();
    await other.posts.worker.idle();
    await world.settle();
    expect(await leftOf(world, id)).toEqual([undefined, []]);
  });

  it('waiting in the middle of a thread lets it end, and takes it down', async ({ world, account }) => {
    world.net.script(account, 'segment.0', throttled(60));
    const id = await world.make([account], { publishNow: true, content: contentOf('First', 'Second') });
    await world.remove(id);
    expect([await world.status(id), world.net.texts()]).toEqual(['removed', ['First']]);
    await world.pass(MINUTE);
    expect(await leftOf(world, id)).toEqual([undefined, []]);
  });

  it('goes on with the row gone where the platform refuses or cannot', async ({ world, pair: [able, unable] }) => {
    const id = await world.make([able, unable], { publishNow: true });
    world.net.script(able, 'remove', refused);
    const { results } = await world.remove(id);
    expect(results).toMatchObject([
      { account_id: able.id, outcome: 'failed', message: 'Not like this.' },
      { account_id: unable.id, outcome: 'not_supported' },
    ]);
    expect(await world.row(id)).toBeUndefined();
    expect((await world.logged()).slice(2)).toEqual(['unpublish/failed', 'unpublish/skipped']);
  });

  it('is tried again where the platform does not answer, for an hour', async ({ world, account }) => {
    const publish = () => world.make([account], { publishNow: true });
    const [one, two] = [await publish(), await publish()];
    world.net.script(account, 'remove', silent, throttled());
    await world.remove(one);
    expect(await shownOf(world, one)).toEqual(['removed', 2]);
    await world.pass(MINUTE);
    await world.pass(MINUTE);
    expect([await world.row(one), world.net.texts().length]).toEqual([undefined, 1]);
    world.net.script(account, 'remove', ...times(100, silent));
    await world.remove(two);
    for (let minutes = 0; minutes <= 60; minutes += 1) await world.pass(MINUTE);
    expect([await world.row(two), world.net.texts().length]).toEqual([undefined, 1]);
    expect((await world.logged()).slice(2)).toEqual(['unpublish/success', 'unpublish/failed']);
  });

  it('is not tried again where the platform refuses in words that no table lists', async ({ world, account }) => {
    const id = await world.make([account], { publishNow: true });
    const error = new PlatformError('unknown', 'api_error', 'Strange.', { status: 400, unlisted: true });
    world.net.script(account, 'remove', { error });
    await world.remove(id);
    expect([await world.row(id), world.net.texts().length]).toEqual([undefined, 1]);
  });

  it('whose process dies half-way is finished by the next one', async ({ world, account }) => {
    const id = await world.make([account], { publishNow: true });
    world.net.script(account, 'remove', { error: new Error('the process died') });
    await expect(world.remove(id)).rejects.toThrow('the process died');
    expect(await shownOf(world, id)).toEqual(['removed', 1]);
    await world.pass(MINUTE);
    expect(await leftOf(world, id)).toEqual([undefined, []]);
    expect(await world.eventNames()).toEqual(['post.published', 'post.deleted']);
  });

  it('twice at once has one winner', async ({ world }) => {
    const id = await world.make([await world.account('bluesky')], { publishNow: true });
    const outcomes = await Promise.allSettled([1, 2].map(() => world.remove(id)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await world.eventNames()).filter((name) => name === 'post.deleted')).toHaveLength(1);
  });
});

describeStores('taking targets off a post', (stores) => {
  const it = itIn(stores).extend('pair', ({ world }) => world.pair('facebook'));

  it('by platform leaves the others, and emits an event', async ({ world, pair: [one, two] }) => {
    const id = await world.make([one, two], { publishNow: true });
    const results = [{ platform: 'bluesky', outcome: 'deleted' }];
    expect(await world.remove(id, 'bluesky')).toMatchObject({ deleted: false, results });
    expect(await world.status(id)).toBe('published');
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['unpublished', 'published']);
    const [, event] = await world.events();
    expect(event).toMatchObject({ name: 'post.unpublished', data: { account_id: one.id, unpublished_count: 1 } });
    expect(await world.remove(id, 'facebook')).toMatchObject({ deleted: true });
    expect([await world.row(id), (await world.eventNames()).at(-1)]).toEqual([undefined, 'post.deleted']);
  });

  it('cancels what waits, and makes final what does not wait any more', async ({ world }) => {
    const id = await world.schedule([], { targets: await world.apart(2 * HOUR, 'facebook') });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('publishing');
    await world.remove(id, 'facebook');
    expect(await world.status(id)).toBe('published');
    await world.pass(2 * HOUR);
    expect(world.net.texts()).toHaveLength(1);
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.logged()).toEqual(['publish/success', 'cancel/success']);
  });

  it('off a draft takes them out of it', async ({ world, pair: [one, two] }) => {
    const id = await world.make([one, two]);
    await world.remove(id, 'facebook');
    await world.publish(id);
    expect([await world.status(id), world.net.texts(two)]).toEqual(['published', []]);
  });

  it('refuses platforms it does not go to, and targets in flight', async ({ world, pair }) => {
    const { id, making, open } = await beginPublishing(world, pair);
    await expect(world.remove(id, 'pinterest')).rejects.toMatchObject({ code: 'validation.field_invalid' });
    await expect(world.remove(id, 'bluesky')).rejects.toMatchObject({ code: 'post.state_invalid' });
    open();
    await making;
    expect(await world.status(id)).toBe('published');
  });

  it('stays published where the platform refuses, with its error when all do', async ({ world, pair: [one, two] }) => {
    const id = await world.make([one, two], { publishNow: true });
    const unpublish = (ids?: string[]) => world.unpublish(id, ids);
    world.net.script(one, 'remove', refused, refused);
    await expect(unpublish([one.id])).rejects.toMatchObject({ code: 'platform.bluesky.invalid_request' });
    const results = [{ outcome: 'failed' }, { outcome: 'deleted' }];
    expect(await unpublish()).toMatchObject({ unpublished_count: 1, results });
    expect(await world.status(id)).toBe('published');
    expect((await world.events()).at(-1)!.data).toMatchObject({ account_id: two.id, unpublished_count: 1 });
    await expect(unpublish(['acc_unknown'])).rejects.toMatchObject({ code: 'account.not_found' });
    await expect(unpublish([two.id])).rejects.toMatchObject({ code: 'post.state_invalid' });
    await unpublish([one.id]);
    expect([await world.row(id), (await world.events()).at(-1)!.data]).toMatchObject([undefined, { account_id: null }]);
    const outcomes = ['failed', 'failed', 'success', 'success'];
    expect((await world.logged()).slice(2)).toEqual(outcomes.map((outcome) => `unpublish/${outcome}`));
  });

  it('is logged with how long the platform was asked, and what it answered', async ({ world, account }) => {
    const id = await world.make([account], { publishNow: true });
    const gate = world.net.hold(account, 'remove');
    const unpublishing = world.unpublish(id);
    await gate.met;
    world.clock.move(700);
    gate.open();
    await unpublishing;
    const rows = await world.store.db.selectFrom('publish_log').selectAll().where('action', '=', 'unpublish').execute();
    expect(rows).toMatchObject([{ duration_ms: 700, status_code: 200 }]);
  });

  it('is not supported where no asked platform can', async ({ world }) => {
    const [able, unable] = await world.pair('pinterest');
    const id = await world.make([able, unable], { publishNow: true });
    const refusal = { code: 'resource.not_supported', detail: { meta: { platform: 'pinterest' } } };
    await expect(world.unpublish(id, [unable.id])).rejects.toMatchObject(refusal);
    expect(await world.unpublish(id)).toMatchObject({ unpublished_count: 1 });
    expect(await world.status(id)).toBe('published');
  });

  it('needs the account to be connected still', async ({ world, account }) => {
    const id = await world.make([account], { publishNow: true });
    await world.kill(account.id);
    await expect(world.unpublish(id)).rejects.toMatchObject({ code: 'account.reconnection_required' });
    await world.disconnect(account.id);
    await expect(world.unpublish(id)).rejects.toMatchObject({ code: 'account.not_found' });
  });
});
