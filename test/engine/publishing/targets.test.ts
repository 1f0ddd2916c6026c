import { expect, test } from 'vitest';
import { ApiError } from '../../../src/kernel/errors.ts';
import { OutboundError } from '../../../src/kernel/net/outbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { lost, refused, silent, throttled, times, unsent } from '../../harness/platforms/publishing.ts';
import { contentOf, HOUR, makeWorld, MINUTE, SECOND, type World } from '../../harness/worlds/publishing.ts';

const errorOf = async (world: World, id: string, at = 0) => (await world.targets(id))[at]!.error!;

describeStores('a target (catalogues §3.2)', (stores) => {
  const it = test.extend('world', () => makeWorld(stores)).extend('account', ({ world }) => world.account('bluesky'));

  it('waits as scheduled once its post gets a time, and is pending again when the time is withdrawn', async ({
    world,
  }) => {
    const id = await world.make([await world.account('bluesky')]);
    const state = async () => (await world.target(id)).status;
    const states = [await state()];
    await world.edit(id, { scheduledAt: world.clock.now() + HOUR });
    states.push(await state());
    await world.edit(id, { scheduledAt: null });
    expect([...states, await state()]).toEqual(['pending', 'scheduled', 'pending']);
    await world.pass(2 * HOUR);
    expect(await world.status(id)).toBe('draft');
  });

  it('is published at its time, not before', async ({ world }) => {
    const id = await world.schedule([await world.account('bluesky')]);
    await world.pass(HOUR - 1);
    expect(await world.status(id)).toBe('scheduled');
    await world.pass(1);
    expect(await world.status(id)).toBe('published');
    expect(await world.target(id)).toMatchObject({
      status: 'published',
      attempts: 1,
      lease_token: null,
      unsettled: 0,
      error: null,
    });
    expect((await world.row(id))!.published_at).toBe(world.clock.now());
    expect(await world.logged()).toEqual(['publish/success']);
  });

  it('with a time of its own is waited for: the post is publishing until then', async ({ world }) => {
    const [first, second] = [await world.account('bluesky'), await world.account('pinterest')];
    const now = world.clock.now();
    const targets = [{ account_id: first.id }, { account_id: second.id, scheduled_at: now + 2 * HOUR }];
    const id = await world.make([], { targets, scheduledAt: now + HOUR });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('publishing');
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['published', 'scheduled']);
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.used()).toBe(1);
  });

  it('goes now with the others when a scheduled post is published, whatever its own time', async ({ world }) => {
    const [first, second] = [await world.account('bluesky'), await world.account('pinterest')];
    const now = world.clock.now();
    const targets = [{ account_id: first.id }, { account_id: second.id, scheduled_at: now + 2 * HOUR }];
    const id = await world.make([], { targets, scheduledAt: now + HOUR });
    const post = await world.publish(id);
    expect([post.status, post.scheduled_at]).toEqual(['published', new Date(now + HOUR).toISOString()]);
    await world.pass(3 * HOUR);
    expect(world.net.texts()).toHaveLength(2);
  });

  it('keeps its own later time beside publish_now', async ({ world }) => {
    const [first, second] = [await world.account('bluesky'), await world.account('pinterest')];
    const targets = [{ account_id: first.id }, { account_id: second.id, scheduled_at: world.clock.now() + HOUR }];
    const id = await world.make([], { targets, publishNow: true });
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['published', 'scheduled']);
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
  });

  it.each([
    ['removed', 'publishing.delivery.account_load_failed', 'validation'],
    ['dead', 'account.reconnection_required', 'auth'],
  ])('fails at its time when its account is %s, is skipped, and gives the credit back', async (how, code, category) => {
    const world = await makeWorld(stores, { plan: 'free' });
    const account = await world.account('bluesky');
    const id = await world.schedule([account]);
    await (how === 'removed' ? world.disconnect(account.id) : world.kill(account.id));
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('failed');
    expect(await errorOf(world, id)).toMatchObject({ code, category });
    expect([await world.logged(), await world.used()]).toEqual([['publish/skipped'], 0]);
    expect(world.net.calls).toEqual([]);
    const refusal = { code: 'post.no_retryable_deliveries' };
    await expect(world.retry(id)).rejects.toMatchObject(refusal);
    if (how === 'removed') return;
    await world.revive(account.id);
    await world.retry(id);
    expect(await world.status(id)).toBe('published');
  });

  it('fails with the refusal of its platform, and what the platform said', async ({ world }) => {
    const { id } = await world.publishInto('write', [refused]);
    const event = (await world.events()).at(-1)!;
    const code = 'platform.bluesky.invalid_request';
    const told = { status: 'failed', error_code: code, error: { code, category: 'validation', caused_by: 'user' } };
    expect(event).toMatchObject({ name: 'post.failed', data: { post_id: id, error_code: code, results: [told] } });
    expect(JSON.stringify(event)).not.toContain('tally');
    expect(await world.logged()).toEqual(['publish/failed']);
  });

  it('names one code for a post that failed in different ways', async ({ world }) => {
    const [one, two] = [await world.account('bluesky'), await world.account('pinterest')];
    world.net.script(one, 'write', refused);
    world.net.script(two, 'write', refused);
    await world.make([one, two], { publishNow: true });
    expect((await world.events()).at(-1)!.data).toMatchObject({ error_code: 'publishing.delivery.all_failed' });
  });

  it('waits while it is throttled, five times, and then fails as throttled', async ({ world }) => {
    const { id } = await world.publishInto('write', times(6, throttled(60)));
    for (let n = 0; n < 5; n += 1) {
      expect(await world.status(id)).toBe('publishing');
      await world.pass(59 * SECOND);
      expect(await world.status(id)).toBe('publishing');
      await world.pass(SECOND);
    }
    expect(await world.status(id)).toBe('failed');
    expect((await errorOf(world, id)).code).toBe('platform.bluesky.rate_limit');
  });

  it('fails at once when it would be throttled for more than 15 minutes', async ({ world }) => {
    const { id } = await world.publishInto('write', [throttled(901)]);
    expect(await world.status(id)).toBe('failed');
  });

  it('is tried three times when nothing was sent, with one log entry for each', async ({ world }) => {
    const { id } = await world.publishInto('write', [unsent, unsent, unsent]);
    await world.pass(10 * SECOND);
    await world.pass(MINUTE);
    expect(await world.status(id)).toBe('failed');
    expect((await errorOf(world, id)).code).toBe('publishing.delivery.interrupted');
    expect(await world.logged()).toEqual(['publish/failed', 'publish/failed', 'publish/failed']);
    expect(await world.target(id)).toMatchObject({ attempts: 3, unsettled: 0 });
  });

  it('counts each kind of setback by itself', async ({ world }) => {
    const { id } = await world.publishInto('write', [
      throttled(1),
      throttled(1),
      throttled(1),
      unsent,
      silent,
      throttled(1),
      unsent,
    ]);
    for (const wait of [1, 1, 1, 10, 0, 1, 60]) await world.pass(wait * SECOND);
    expect(await world.status(id)).toBe('published');
  });

  it('repeats an idempotent step whose answer was lost, and publishes once', async ({ world }) => {
    const { id } = await world.publishInto('write', [lost, lost]);
    expect(await world.status(id)).toBe('publishing');
    await world.pass(5 * SECOND);
    expect([await world.status(id), world.net.texts()]).toEqual(['published', [expect.any(String)]]);
  });

  it('fails as unknown when no answer ever comes, says where to look, and settles by a retry', async ({ world }) => {
    const { id } = await world.publishInto('write', times(6, lost), { text: 'Once' });
    for (const wait of [5, 30, 120, 600]) await world.pass(wait * SECOND);
    expect(await world.status(id)).toBe('failed');
    expect(await errorOf(world, id)).toMatchObject({ code: 'publishing.delivery.timeout', category: 'platform' });
    expect((await errorOf(world, id)).message).toContain('https://social.test/person1');
    expect((await world.target(id)).unsettled).toBe(1);
    await world.retry(id);
    expect([await world.status(id), world.net.texts()]).toEqual(['published', ['Once']]);
    expect((await world.target(id)).unsettled).toBe(0);
  });

  it('of a post with half of it public is not edited, only retried or deleted', async ({ world, account }) => {
    world.net.script(account, 'segment.0', refused);
    const id = await world.make([account], { publishNow: true, content: contentOf('First', 'Second') });
    expect([await world.status(id), world.net.texts()]).toEqual(['failed', ['First']]);
    await expect(world.edit(id, { content: { text: 'Other' } })).rejects.toMatchObject({ code: 'post.state_invalid' });
    await world.retry(id);
    expect(await world.status(id)).toBe('published');
    expect(world.net.calls.filter((call) => call.endsWith('write')).length).toBe(1);
  });

  it('that was added to a failed post goes out with the retry', async ({ world }) => {
    const [one, two] = [await world.account('bluesky'), await world.account('pinterest')];
    world.net.script(one, 'write', refused);
    const id = await world.make([one], { publishNow: true });
    const targets = [{ account_id: one.id }, { account_id: two.id }];
    await world.edit(id, { targets });
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['failed', 'pending']);
    expect(await world.retry(id)).toMatchObject({ retried_count: 2, retry_count: 1 });
    expect([await world.status(id), world.net.texts().length]).toEqual(['published', 2]);
  });
});

describeStores('a due post', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('that is more than six hours late is failed, not published', async () => {
    const world = await makeWorld(stores, { plan: 'free' });
    const id = await world.schedule([await world.account('bluesky')]);
    await world.pass(7 * HOUR + 1);
    expect(await world.status(id)).toBe('failed');
    expect((await errorOf(world, id)).code).toBe('publishing.delivery.too_late');
    expect(await world.logged()).toEqual(['publish/skipped']);
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.failed']);
    expect(await world.used()).toBe(0);
  });

  it('that is exactly six hours late goes out', async ({ world }) => {
    const id = await world.schedule([await world.account('bluesky')]);
    await world.pass(7 * HOUR);
    expect(await world.status(id)).toBe('published');
  });

  it('of an unpaid workspace rests, and goes out when it is paid in time', async ({ world }) => {
    const id = await world.schedule([await world.account('bluesky')]);
    await world.block(world.clock.now());
    await world.pass(2 * HOUR);
    expect(await world.status(id)).toBe('scheduled');
    await world.block(null);
    await world.pass(30 * SECOND);
    expect(await world.status(id)).toBe('published');
  });

  it('of a workspace that stays unpaid fails without a post.failed', async () => {
    const world = await makeWorld(stores, { plan: 'free' });
    const id = await world.schedule([await world.account('bluesky')]);
    await world.block(world.clock.now());
    await world.pass(2 * HOUR);
    await world.pass(6 * HOUR);
    expect([await world.status(id), (await errorOf(world, id)).code]).toEqual(['failed', 'billing.past_due']);
    expect(await world.eventNames()).toEqual(['post.scheduled']);
    expect(await world.logged()).toEqual(['publish/skipped']);
    expect(await world.used()).toBe(0);
  });

  it('goes out unchecked when it was accepted unchecked', async ({ world }) => {
    const draft = { text: 'x'.repeat(101), skipValidation: true };
    const account = await world.account('bluesky');
    const id = await world.make([account], { ...draft, scheduledAt: world.clock.now() + HOUR });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
    const other = await world.make([account], {
      ...draft,
      text: 'y'.repeat(101),
      scheduledAt: world.clock.now() + HOUR,
    });
    await world.publish(other);
    expect(await world.status(other)).toBe('published');
  });

  it('waits for those of the same account that are due before it', async ({ world }) => {
    const [account, other] = [await world.account('bluesky'), await world.account('pinterest')];
    const at = world.clock.now() + HOUR;
    const gate = world.net.hold(account, 'write');
    await world.make([account], { text: 'third', scheduledAt: at + 1 });
    await world.make([account], { text: 'first', scheduledAt: at });
    await world.make([account], { text: 'second', scheduledAt: at });
    await world.make([other], { text: 'elsewhere', scheduledAt: at + 1 });
    const second = await world.second();
    world.clock.move(HOUR + 1);
    expect(await world.posts.worker.tick()).toBe(2);
    expect(await world.posts.worker.tick()).toBe(0);
    expect(await second.posts.worker.tick()).toBe(0);
    gate.open();
    await world.settle();
    expect(world.net.texts(account)).toEqual(['first', 'second', 'third']);
    expect(world.net.texts(other)).toEqual(['elsewhere']);
  });
});

describeStores('media at its time', (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  const content = {
    ...contentOf('Look'),
    media: [{ source: 'https://media.test/a.png', source_type: 'url' as const }],
  };
  const unusable = (cause?: Error) =>
    new ApiError('validation.field_invalid', { message: 'media: this address cannot be fetched.', cause });

  it('that cannot be fetched for a moment is fetched again', async ({ world }) => {
    world.opened.push(unusable(new OutboundError('connect', 'media.test')));
    const id = await world.make([await world.account('bluesky')], { publishNow: true, content });
    expect(await world.status(id)).toBe('publishing');
    await world.pass(10 * SECOND);
    expect(await world.status(id)).toBe('published');
  });

  it('that never comes fails the target, certainly unpublished, with the reason', async ({ world }) => {
    world.opened.push(...[1, 2, 3].map(() => unusable(new OutboundError('dns', 'media.test'))));
    const id = await world.make([await world.account('bluesky')], { publishNow: true, content });
    await world.pass(10 * SECOND);
    await world.pass(MINUTE);
    const error = await errorOf(world, id);
    expect(error.code).toBe('publishing.delivery.interrupted');
    expect(error.message).toContain('cannot be fetched');
  });

  it('that is refused for good fails the target at once', async ({ world }) => {
    world.opened.push(unusable(new OutboundError('refused_address', 'media.test')));
    const id = await world.make([await world.account('bluesky')], { publishNow: true, content });
    expect(await world.status(id)).toBe('failed');
    expect(await errorOf(world, id)).toMatchObject({ code: 'validation.field_invalid', category: 'validation' });
  });
});
