import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { ApiError } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { lost, refused, silent, throttled, times, unsent } from '../../harness/platforms/publishing.ts';
import { contentOf, itIn, type World } from '../../harness/worlds/publishing.ts';

/** The state of a post, and its first target. */
const endOf = async (world: World, id: string) => ({ post: await world.status(id), target: await world.target(id) });

/** A post whose target has failed with a code. */
const failedAs = (code: string, more: object = {}) => ({ post: 'failed', target: { error: { code, ...more } } });

describeStores('a target', (stores) => {
  const it = itIn(stores);

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
    const target = { status: 'published', attempts: 1, lease_token: null, unsettled: 0, error: null };
    expect(await endOf(world, id)).toMatchObject({ post: 'published', target });
    expect((await world.row(id))!.published_at).toBe(world.clock.now());
    expect(await world.logged()).toEqual(['publish/success']);
  });

  it('with a time of its own is waited for: the post is publishing until then', async ({ world }) => {
    const id = await world.schedule([], { targets: await world.apart(2 * HOUR) });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('publishing');
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['published', 'scheduled']);
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.used()).toBe(1);
  });

  it('goes now with the others when a scheduled post is published, whatever its own time', async ({ world }) => {
    const id = await world.schedule([], { targets: await world.apart(2 * HOUR) });
    const scheduled_at = new Date(world.clock.now() + HOUR).toISOString();
    expect(await world.publish(id)).toMatchObject({ status: 'published', scheduled_at });
    await world.pass(3 * HOUR);
    expect(world.net.texts()).toHaveLength(2);
  });

  it('keeps its own later time beside publish_now', async ({ world }) => {
    const id = await world.make([], { targets: await world.apart(HOUR), publishNow: true });
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['published', 'scheduled']);
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
  });

  it.for([
    ['removed', 'publishing.delivery.account_load_failed', 'validation'],
    ['dead', 'account.reconnection_required', 'auth'],
  ] as const)(
    'fails when its account is %s, is skipped, and gives the credit back',
    async (row, { world, account }) => {
      const [how, code, category] = row;
      const id = await world.schedule([account]);
      await (how === 'removed' ? world.disconnect(account.id) : world.kill(account.id));
      await world.pass(HOUR);
      expect(await endOf(world, id)).toMatchObject(failedAs(code, { category }));
      expect([await world.logged(), await world.used()]).toEqual([['publish/skipped'], 0]);
      expect(world.net.calls).toEqual([]);
      await expect(world.retry(id)).rejects.toMatchObject({ code: 'post.no_retryable_deliveries' });
      if (how === 'removed') return;
      await world.revive(account.id);
      await world.retry(id);
      expect(await world.status(id)).toBe('published');
    },
  );

  it('fails with the refusal of its platform, and what the platform said', async ({ world }) => {
    const { id } = await world.publishInto('write', [refused]);
    const event = (await world.events()).at(-1)!;
    const code = 'platform.bluesky.invalid_request';
    const told = { status: 'failed', error_code: code, error: { code, category: 'validation', caused_by: 'user' } };
    expect(event).toMatchObject({ name: 'post.failed', data: { post_id: id, error_code: code, results: [told] } });
    expect(JSON.stringify(event)).not.toContain('tally');
    expect(await world.logged()).toEqual(['publish/failed']);
  });

  it('names one code for a post that failed in different ways', async ({ world, pair: [one, two] }) => {
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
    expect(await endOf(world, id)).toMatchObject(failedAs('platform.bluesky.rate_limit'));
  });

  it('fails at once when it would be throttled for more than 15 minutes', async ({ world }) => {
    const { id } = await world.publishInto('write', [throttled(901)]);
    expect(await world.status(id)).toBe('failed');
  });

  it('is tried three times when nothing was sent, with one log entry for each', async ({ world }) => {
    const { id } = await world.publishInto('write', [unsent, unsent, unsent]);
    await world.pass(10 * SECOND);
    await world.pass(MINUTE);
    const target = { attempts: 3, unsettled: 0, error: { code: 'publishing.delivery.interrupted' } };
    expect(await endOf(world, id)).toMatchObject({ post: 'failed', target });
    expect(await world.logged()).toEqual(['publish/failed', 'publish/failed', 'publish/failed']);
  });

  it('counts each kind of setback by itself', async ({ world }) => {
    const setbacks = [...times(3, throttled(1)), unsent, silent, throttled(1), unsent];
    const { id } = await world.publishInto('write', setbacks);
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
    const message = expect.stringContaining('https://social.test/person1');
    const error = { code: 'publishing.delivery.timeout', category: 'platform', message };
    expect(await endOf(world, id)).toMatchObject({ post: 'failed', target: { unsettled: 1, error } });
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

  it('that was added to a failed post goes out with the retry', async ({ world, pair: [one, two] }) => {
    world.net.script(one, 'write', refused);
    const id = await world.make([one], { publishNow: true });
    await world.edit(id, { targets: [{ account_id: one.id }, { account_id: two.id }] });
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['failed', 'pending']);
    expect(await world.retry(id)).toMatchObject({ retried_count: 2, retry_count: 1 });
    expect([await world.status(id), world.net.texts().length]).toEqual(['published', 2]);
  });
});

describeStores('a due post', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores, { plan: 'free' });

  it('that is more than six hours late is failed, not published', async ({ world }) => {
    const id = await world.schedule([await world.account('bluesky')]);
    await world.pass(7 * HOUR + 1);
    expect(await endOf(world, id)).toMatchObject(failedAs('publishing.delivery.too_late'));
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.failed']);
    expect([await world.logged(), await world.used()]).toEqual([['publish/skipped'], 0]);
  });

  it('is publishing while one account was too late and another has a later time', async ({ world }) => {
    const id = await world.schedule([], { targets: await world.apart(10 * HOUR, 'bluesky') });
    await world.pass(8 * HOUR);
    expect([await world.status(id), (await world.targets(id)).map(({ status }) => status)]).toEqual([
      'publishing',
      ['failed', 'scheduled'],
    ]);
    await world.pass(2 * HOUR);
    expect(await world.status(id)).toBe('partial');
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

  it('of a workspace that stays unpaid fails without a post.failed', async ({ world }) => {
    const id = await world.schedule([await world.account('bluesky')]);
    await world.block(world.clock.now());
    await world.pass(2 * HOUR);
    await world.pass(6 * HOUR);
    expect(await endOf(world, id)).toMatchObject(failedAs('billing.past_due'));
    expect(await world.eventNames()).toEqual(['post.scheduled']);
    expect([await world.logged(), await world.used()]).toEqual([['publish/skipped'], 0]);
  });

  it('goes out unchecked when it was accepted unchecked', async ({ world, account }) => {
    const id = await world.schedule([account], { text: 'x'.repeat(101), skipValidation: true });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('published');
    const other = await world.schedule([account], { text: 'y'.repeat(101), skipValidation: true });
    await world.publish(other);
    expect(await world.status(other)).toBe('published');
  });

  it('waits for those of the same account that are due before it', async ({ world, pair: [account, other] }) => {
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
    expect([account, other].map(world.net.texts)).toEqual([['first', 'second', 'third'], ['elsewhere']]);
  });
});

describeStores('media at its time', (stores) => {
  const it = itIn(stores);

  /** A post published now with media that cannot be fetched for these reasons, one time after the other. */
  async function publishWithout(world: World, ...reasons: readonly OutboundError['kind'][]) {
    for (const reason of reasons) {
      const cause = new OutboundError(reason, 'media.test');
      const message = 'media: this address cannot be fetched.';
      world.opened.push(new ApiError('validation.field_invalid', { message, cause }));
    }
    const media = [{ source: 'https://media.test/a.png', source_type: 'url' as const }];
    const content = { ...contentOf('Look'), media };
    return world.make([await world.account('bluesky')], { publishNow: true, content });
  }

  it('that cannot be fetched for a moment is fetched again', async ({ world }) => {
    const id = await publishWithout(world, 'connect');
    expect(await world.status(id)).toBe('publishing');
    await world.pass(10 * SECOND);
    expect(await world.status(id)).toBe('published');
  });

  it('that never comes fails the target, certainly unpublished, with the reason', async ({ world }) => {
    const id = await publishWithout(world, 'dns', 'dns', 'dns');
    await world.pass(10 * SECOND);
    await world.pass(MINUTE);
    const message = expect.stringContaining('cannot be fetched');
    expect((await world.target(id)).error).toMatchObject({ code: 'publishing.delivery.interrupted', message });
  });

  it('that is refused for good fails the target at once', async ({ world }) => {
    const id = await publishWithout(world, 'refused_address');
    expect(await endOf(world, id)).toMatchObject(failedAs('validation.field_invalid', { category: 'validation' }));
  });
});
