import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import { versionOf } from '#db/posts/posts.ts';
import { ApiError, orRefusalLater, StoreUnavailable } from '#kernel/errors.ts';
import type { Comments } from '#platforms/interactions.ts';
import type { Publish } from '#platforms/posts.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { CrashPointName } from '#call/crash-points.ts';
import { LeaseLost } from '#engine/jobs/lease.ts';
import { COLUMNS, draftOf } from '#tools/posts/import-row.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import {
  lost,
  pending,
  refused,
  revoked,
  silent,
  throttled,
  times,
  unsent,
} from '../../harness/platforms/publishing.ts';
import { contentOf, draftFor, itIn, type World } from '../../harness/worlds/publishing.ts';

const LEASE = 90 * SECOND;

/** Ends a run at the nth passing of a point, as a dying process does: nothing is written any more. */
function dyingAt(point: CrashPointName, nth = 1) {
  let left = nth;
  return (at: CrashPointName) => {
    if (at === point && (left -= 1) === 0) throw new LeaseLost();
  };
}

type Death = readonly [point: CrashPointName, nth: number];

/** A post for in an hour that another process publishes, and dies of; what that process left is settled by nobody yet. */
async function dieOf(
  world: World,
  [point, nth]: Death,
  draft: Parameters<World['schedule']>[1] = { text: 'Once' },
  platform: PlatformSlug = 'bluesky',
) {
  const dying = await world.second({ crash: dyingAt(point, nth) });
  const account = await world.account(platform);
  const id = await world.schedule([account], draft);
  world.clock.move((await world.row(id))!.scheduled_at! - world.clock.now());
  await dying.settle();
  return { account, id };
}

/** The state of a post, and what is public. */
const outcomeOf = async (world: World, id: string) => [await world.status(id), world.net.texts()];

const sendsOf = ({ net }: World) => net.calls.filter((call) => call.endsWith('send')).length;

const DEATHS: readonly Death[] = [
  ['publish.claimed', 1],
  ['publish.step.sent', 1],
  ['publish.step.sent', 2],
  ['publish.request.answered', 1],
  ['publish.request.answered', 2],
  ['publish.step.answered', 1],
  ['publish.step.answered', 2],
  ['publish.step.committed', 1],
  ['publish.step.committed', 2],
  ['publish.concluded', 1],
];

describeStores('a publish whose process dies', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores, { plan: 'free' });

  it.for(DEATHS)('at %s, the %dth time, is published once by another', async (death, { world }) => {
    const { id } = await dieOf(world, death);
    await world.pass(LEASE);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect([await world.logged(), await world.used()]).toEqual([['publish/success'], 1]);
  });

  it('after a visible step was sent is looked up, never sent again', async ({ world }) => {
    const { id } = await dieOf(world, ['publish.step.answered', 2], { text: 'Once' }, 'facebook');
    await world.pass(LEASE);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
    expect(sendsOf(world)).toBe(1);
  });

  it('before a visible step took effect sends it again, once the look-up can be trusted', async ({ world }) => {
    const { id } = await dieOf(world, ['publish.step.sent', 2], { text: 'Once' }, 'facebook');
    await world.pass(LEASE);
    expect(await outcomeOf(world, id)).toEqual(['publishing', []]);
    await world.pass(2 * MINUTE);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
  });

  it.for([
    ['publish.claimed', 1, 'failed'],
    ['publish.step.answered', 1, 'failed'],
    ['publish.step.committed', 1, 'published'],
    ['publish.step.sent', 2, 'published'],
  ] as const)('at %s, the %dth time, and stays dead for a day, is %s then', async ([point, nth, status], { world }) => {
    const { id } = await dieOf(world, [point, nth]);
    await world.pass(24 * HOUR);
    const credits = status === 'published' ? 1 : 0;
    expect([await world.status(id), world.net.texts().length, await world.used()]).toEqual([status, credits, credits]);
    const error = status === 'failed' ? { code: 'publishing.delivery.too_late' } : null;
    expect(await world.target(id)).toMatchObject({ error });
  });

  it('with its media gone by then stays doubtful', async ({ world }) => {
    const content = { ...contentOf('Once'), media: [{ source: 'https://media.test/a', source_type: 'url' as const }] };
    const { id } = await dieOf(world, ['publish.step.answered', 2], { content });
    vi.spyOn(world.deps.media, 'describe').mockRejectedValue(new ApiError('media.not_found'));
    await world.pass(LEASE);
    const message = expect.stringContaining('There is no such media item.');
    const error = { code: 'publishing.delivery.timeout', message };
    expect(await world.target(id)).toMatchObject({ status: 'failed', unsettled: 1, error });
    await world.remove(id);
    expect(world.net.texts()).toEqual([]);
  });

  it.for([
    ['bluesky', 'its grant ended', 'must be connected again'],
    ['facebook', 'its grant ended', 'must be connected again'],
    ['bluesky', 'its account removed', 'was removed'],
    ['facebook', 'its account removed', 'was removed'],
    ['bluesky', 'a refusal of what is sent again', 'Not like this.'],
    ['bluesky', 'a grant that ends while it is sent again', 'Connect again.'],
    ['bluesky', 'a platform that holds back for ever', 'Slow down.'],
    ['bluesky', 'no connection any more', 'No connection.'],
  ] as const)('on %s, with %s by then, says that it may be public', async ([platform, fate, words], { world }) => {
    const { account, id } = await dieOf(world, ['publish.step.answered', 2], { text: 'Once' }, platform);
    if (fate === 'its grant ended') await world.kill(account.id);
    if (fate === 'its account removed') await world.disconnect(account.id);
    if (fate.startsWith('a refusal')) world.net.script(account, 'write', refused);
    if (fate.startsWith('a grant')) world.net.script(account, 'write', revoked);
    if (fate.startsWith('a platform')) world.net.script(account, 'write', throttled(HOUR / SECOND));
    if (fate.startsWith('no connection')) world.net.script(account, 'write', unsent, unsent, unsent);
    for (const wait of [LEASE, 10 * SECOND, MINUTE]) await world.pass(wait);
    const target = await world.target(id);
    const error = {
      code: 'publishing.delivery.timeout',
      category: 'platform',
      message: expect.stringContaining(words),
    };
    expect(target).toMatchObject({ status: 'failed', unsettled: 1, error });
    expect(target.error!.message).toMatch(/^It may be public: /);
    expect((await world.logged()).at(-1)).toBe('publish/failed');
    // What may be public has cost its credit.
    expect([world.net.texts(), await world.used()]).toEqual([['Once'], 1]);
  });

  /** A post that may be public, scheduled so long ago; what is refused as its repeat, and how. */
  async function doubtful(world: World, wait: number) {
    const scheduledAt = world.clock.now() + wait;
    const { account, id } = await dieOf(world, ['publish.step.answered', 2], { text: 'Once', scheduledAt });
    await world.kill(account.id);
    await world.pass(LEASE);
    await world.revive(account.id);
    const at = new Date(world.clock.now() + HOUR).toISOString();
    const csv = `text,account_ids,scheduled_at\nOnce,${account.id},${at}`;
    const input = { csv, dryRun: false, columns: COLUMNS, needed: 'text', draftOf };
    return {
      id,
      again: () => world.make([account], { publishNow: true, text: 'Once' }),
      imported: () => world.posts.importPosts({ authority: world.authority, workspace: world.workspace }, input),
      refusal: { code: 'resource.conflict', detail: { meta: { resource: 'post', id } } },
    };
  }

  it.for([
    ['an hour', HOUR],
    ['two days', 48 * HOUR],
  ] as const)('%s after it was made keeps the same content from being sent again', async ([, wait], { world }) => {
    const { again, imported, refusal } = await doubtful(world, wait);
    await expect(again()).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('may have gone to bluesky'),
      detail: { ...refusal.detail, next: expect.stringContaining('retry_post') },
    });
    const errors = [{ message: expect.stringContaining('may have gone') }];
    expect(await imported()).toMatchObject({ created: 0, errors });
  });

  it('is settled by a retry, and keeps the same content from being sent again as what is public', async ({ world }) => {
    const { id, again, refusal } = await doubtful(world, HOUR);
    await world.retry(id);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
    await expect(again()).rejects.toMatchObject(refusal);
  });

  it('and that surely made nothing before it was refused is refused, not doubtful', async ({ world }) => {
    const { account, id } = await dieOf(world, ['publish.step.sent', 2], { text: 'Never' }, 'facebook');
    world.net.script(account, 'settle', { settled: 'absent' });
    world.net.script(account, 'send', refused);
    await world.pass(LEASE + 2 * MINUTE);
    const error = { code: 'platform.facebook.invalid_request' };
    expect(await world.target(id)).toMatchObject({ status: 'failed', unsettled: 0, error });
  });
});

describeStores('a lease', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores, { waitMs: HOUR });

  it('is renewed while an answer takes long, so that nobody else begins', async ({ world, account }) => {
    const other = await world.second();
    const gate = world.net.hold(account, 'write');
    const making = world.make([account], { publishNow: true, text: 'Once' });
    await gate.met;
    const leaseOf = async () =>
      (await world.store.db.selectFrom('targets').select('lease_until').executeTakeFirstOrThrow()).lease_until;
    for (let n = 0; n < 10; n += 1) {
      const before = await leaseOf();
      world.clock.move(20 * SECOND);
      for (let tries = 0; (await leaseOf()) === before && tries < 2000; tries += 1) await turn();
      expect(await other.posts.worker.tick()).toBe(0);
    }
    gate.open();
    expect(await world.target(await making)).toMatchObject({ status: 'published', attempts: 1 });
    expect(world.net.texts()).toEqual(['Once']);
  });

  it('that is lost takes the pen away: a late answer changes nothing', async ({ world, account }) => {
    const gate = world.net.hold(account, 'write');
    const id = await world.schedule([account], { text: 'Once' });
    world.clock.move(HOUR);
    await world.posts.worker.tick();
    await gate.met;
    // A frozen process: its lease ended without its noticing, and another one took over.
    await world.store.write(({ db }) => db.updateTable('targets').set({ lease_until: 0, due_at: 0 }).execute());
    await (await world.second()).settle();
    const [settled] = await world.targets(id);
    expect(settled).toMatchObject({ status: 'published', attempts: 2 });
    gate.open();
    await world.settle();
    expect(await world.targets(id)).toEqual([settled]);
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.logged()).toEqual(['publish/success']);
    expect(world.net.texts()).toEqual(['Once']);
  });

  it('that is lost before a post is failed as too late leaves it as the other process ended it', async ({
    world,
    account,
  }) => {
    const id = await world.schedule([account]);
    world.clock.move(8 * HOUR);
    let writes = 0;
    const write: Store['write'] = async (...asked) => {
      writes += 1;
      if (writes === 2) {
        // Frozen after the claim: another process takes over, and fails the post.
        await world.store.write(({ db }) => db.updateTable('targets').set({ lease_until: 0, due_at: 0 }).execute());
        await world.settle();
      }
      return world.store.write(...asked);
    };
    await (await world.second({ store: { ...world.store, write } })).settle();
    expect([writes, await world.status(id), await world.logged()]).toEqual([2, 'failed', ['publish/skipped']]);
  });

  it('is claimed by one of two processes', async ({ world }) => {
    const other = await world.second();
    const at = world.clock.now() + HOUR;
    const texts = Array.from({ length: 12 }, (_, n) => `Post ${n}`);
    for (const text of texts) await world.make([await world.account('bluesky')], { text, scheduledAt: at });
    world.clock.move(HOUR);
    await Promise.all([world.settle(), other.settle()]);
    await world.settle();
    expect(world.net.texts().toSorted()).toEqual(texts.toSorted());
    expect(world.net.calls.filter((call) => call.endsWith('write'))).toHaveLength(12);
    expect((await world.eventNames()).filter((name) => name === 'post.published')).toHaveLength(12);
  });
});

describeStores('a visible step whose answer was lost', (stores) => {
  const it = itIn(stores);

  async function doubtful(world: World, settled: 'unknown' | 'absent') {
    const doubt = await world.publishInto('send', [silent], { text: 'Once' }, 'facebook');
    world.net.script(doubt.account, 'settle', ...times(5, { settled }));
    return doubt;
  }

  /** Lets the time of every look-up that there is pass. */
  async function passLookUps(world: World) {
    for (const wait of [2, 2, 5, 10]) await world.pass(wait * MINUTE);
  }

  it('is looked up after two minutes, and found', async ({ world }) => {
    const { id } = await world.publishInto('send', [lost], { text: 'Once' }, 'facebook');
    await world.pass(2 * MINUTE - 1);
    expect(await world.status(id)).toBe('publishing');
    await world.pass(1);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
  });

  it('is sent again when it surely made nothing', async ({ world }) => {
    const { id } = await doubtful(world, 'absent');
    await world.pass(2 * MINUTE);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
  });

  it('fails as unknown when nobody can tell, and a failing look-up refuses nothing', async ({ world }) => {
    const { account, id } = await world.publishInto('send', [silent], {}, 'facebook');
    world.net.script(account, 'settle', refused, throttled(), revoked, { settled: 'unknown' });
    await passLookUps(world);
    const error = { code: 'publishing.delivery.timeout' };
    expect(await world.target(id)).toMatchObject({ status: 'failed', unsettled: 1, error });
    expect(sendsOf(world)).toBe(1);
  });

  it.for([
    ['found', 0],
    ['absent', 1],
  ] as const)('is settled by a retry: %s', async ([settled, sends], { world }) => {
    const { account, id } = await doubtful(world, 'unknown');
    await passLookUps(world);
    expect(await world.status(id)).toBe('failed');
    if (settled === 'found') world.net.public.set('theirs', { account: account.id, text: 'Once' });
    const detail = { next: expect.stringContaining('confirm_not_published') };
    await expect(world.retry(id)).rejects.toMatchObject({ code: 'post.state_invalid', detail });
    const before = sendsOf(world);
    if (settled === 'absent') world.net.script(account, 'settle', { settled: 'absent' });
    await world.retry(id);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
    expect(sendsOf(world) - before).toBe(sends);
  });

  it('is not sent as somebody has changed it while a retry looked, where a person agreed to what it was', async ({
    world,
  }) => {
    const { account, id } = await doubtful(world, 'unknown');
    await passLookUps(world);
    await expect(world.retry(id)).rejects.toMatchObject({ code: 'post.state_invalid' });
    const { authority, workspace, net, posts } = world;
    const seen = new Map([[id, versionOf((await world.row(id))!)]]);
    const gate = net.hold(account, 'settle', { settled: 'absent' });
    const retrying = orRefusalLater(() => posts.retry({ authority, workspace, seen }, id, true));
    await gate.met;
    net.script(account, 'settle', { settled: 'absent' });
    net.script(account, 'send', refused);
    await world.retry(id);
    await world.edit(id, { content: { text: 'Buy now' } });
    gate.open();
    expect(await retrying).toMatchObject({ code: 'resource.conflict' });
    await world.settle();
    expect(await outcomeOf(world, id)).toEqual(['failed', []]);
  });

  it('is sent again when a person has looked', async ({ world }) => {
    const { account, id } = await doubtful(world, 'unknown');
    await passLookUps(world);
    world.net.script(account, 'settle', { settled: 'unknown' }, { settled: 'unknown' });
    await world.retry(id, true);
    expect(await outcomeOf(world, id)).toEqual(['published', ['Once']]);
  });

  it('is not taken for sent when it was only held back', async ({ world }) => {
    const { id } = await world.publishInto('send', [throttled(10)], {}, 'facebook');
    await world.pass(10 * SECOND);
    expect(await world.status(id)).toBe('published');
    expect(world.net.calls.some((call) => call.endsWith('settle'))).toBe(false);
  });
});

describeStores('a step that the platform still works on', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores);

  it('is waited for without an attempt, a log entry or an error, and lets other posts pass', async ({ world }) => {
    const { account, id } = await world.publishInto('prepare', times(11, pending()), { text: 'Slow' });
    const due_at = world.clock.now() + 2 * SECOND;
    const waiting = { status: 'publishing', attempts: 1, repeats: 0, lease_token: null, due_at };
    expect(await world.target(id)).toMatchObject(waiting);
    expect(await world.store.db.selectFrom('steps').selectAll().execute()).toEqual([]);
    expect((await world.posts.get(world.authority, id)).targets[0]).toMatchObject({ error: null, error_code: null });
    for (let tries = 0; tries < 10; tries += 1) await world.pass(MINUTE);
    await world.make([account], { publishNow: true, text: 'Fast' });
    expect(world.net.texts()).toEqual(['Fast']);
    world.net.script(account, 'prepare', ...times(9, pending()));
    const other = await world.second();
    for (let tries = 0; tries < 10; tries += 1) {
      world.clock.move(MINUTE);
      await other.settle();
    }
    expect(await world.target(id)).toMatchObject({ status: 'published', attempts: 1, error: null });
    expect(world.net.texts()).toEqual(['Fast', 'Slow']);
    expect(await world.logged()).toEqual(['publish/success', 'publish/success']);
  });

  it.for([
    ['prepare', 'publishing.delivery.interrupted', 0, 30],
    ['write', 'publishing.delivery.timeout', 1, 10],
  ] as const)('fails when %s takes too long: %s', async ([step, code, unsettled, minutes], { world }) => {
    const { id } = await world.publishInto(step, times(100, pending()));
    for (let minute = 0; minute < minutes; minute += 1) {
      expect(await world.status(id)).toBe('publishing');
      await world.pass(MINUTE);
    }
    expect(await world.target(id)).toMatchObject({ status: 'failed', unsettled, attempts: 1, error: { code } });
  });

  it('is counted as a try once it fails otherwise', async ({ world }) => {
    const { id } = await world.publishInto('prepare', [pending(7), unsent, pending()]);
    for (const wait of [7, 10, 5]) {
      expect(await world.status(id)).toBe('publishing');
      await world.pass(wait * SECOND);
    }
    expect(await world.target(id)).toMatchObject({ status: 'published', attempts: 2 });
  });
});

/** What makes a post with a first comment. */
const COMMENTED = { content: { ...contentOf('Main'), first_comment: 'And more' }, skipValidation: true };

describeStores('a step that the post stands without', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores);

  it.for([
    ['is refused', [refused]],
    ['never gets an answer', times(12, silent)],
    ['is held back for ever', times(12, throttled(60))],
  ] as const)('fails nothing when it %s', async ([, verdicts], { world, account }) => {
    world.net.script(account, 'comment', ...verdicts);
    const made = world.make([account], { ...COMMENTED, publishNow: true });
    // The minutes begin when it is public.
    await expect.poll(() => world.net.texts()).toEqual(['Main']);
    for (let minute = 0; minute < 60; minute++) await world.pass(MINUTE);
    expect(await world.posts.get(world.authority, await made)).toMatchObject({
      status: 'published',
      targets: [{ error: null, metadata: { first_comment_status: 'failed', first_comment_error: expect.any(String) } }],
    });
    expect(world.net.texts()).toEqual(['Main']);
    expect([await world.eventNames(), await world.logged()]).toEqual([['post.published'], ['publish/success']]);
  });

  /** A post with a first comment, of which nobody knows whether it came to be. */
  async function commented(world: World) {
    const { account, id } = await world.publishInto('comment', [silent, silent], COMMENTED);
    const metadata = async () => (await world.posts.get(world.authority, id)).targets[0]!.metadata;
    return { account, id, metadata };
  }

  it('does not keep the post from being published, with its event, while nobody knows of it', async ({ world }) => {
    const { id, metadata } = await commented(world);
    const target = { status: 'published', error: null, permalink: expect.stringMatching(/^https:/) };
    expect(await world.posts.get(world.authority, id)).toMatchObject({ status: 'published', targets: [target] });
    expect(await metadata()).toEqual({ sandbox: true, first_comment_status: 'pending' });
    const [event] = await world.events();
    expect(event).toMatchObject({ name: 'post.published', data: { results: [{ status: 'published' }] } });
    expect(await world.logged()).toEqual(['publish/success']);
    await world.pass(5 * SECOND);
    expect(await metadata()).toEqual({ sandbox: true, first_comment_status: 'published' });
    expect([world.net.texts(), await world.eventNames()]).toEqual([['Main', 'Main'], ['post.published']]);
    expect(await world.target(id)).toMatchObject({ lease_token: null, due_at: NEVER, repeats: 0 });
  });

  it.for<Death>([
    ['publish.concluded', 1],
    ['publish.step.sent', 3],
    ['publish.request.answered', 3],
    ['publish.step.answered', 3],
    ['publish.step.committed', 3],
  ])('is done once by another process when the first one dies at %s, the %dth time', async (death, { world }) => {
    const { id } = await dieOf(world, death, COMMENTED);
    expect(await world.status(id)).toBe('published');
    await world.pass(LEASE);
    expect(world.net.texts()).toEqual(['Main', 'Main']);
    expect((await world.target(id)).metadata).toMatchObject({ first_comment_status: 'published' });
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.logged()).toEqual(['publish/success']);
  });

  it('leaves one event and one log entry when the answer to the commit that publishes is lost', async ({ world }) => {
    let lost = false;
    const store: Store = {
      ...world.store,
      async write(...args) {
        const answer = await world.store.write(...args);
        const published = world.store.db.selectFrom('targets').select('id').where('status', '=', 'published');
        if (lost || (await published.executeTakeFirst()) === undefined) return answer;
        lost = true;
        void turn().then(() => world.clock.move(SECOND));
        throw new StoreUnavailable(new Error('the connection ended'));
      },
    };
    const other = await world.second({ store });
    const id = await world.schedule([await world.account('bluesky')], COMMENTED);
    world.clock.move(HOUR);
    const published = { published_at: world.clock.now(), metadata: { first_comment_status: 'published' } };
    await other.settle();
    expect([await world.target(id), world.net.texts()]).toMatchObject([published, ['Main', 'Main']]);
    expect(await world.eventNames()).toEqual(['post.scheduled', 'post.published']);
    expect(await world.logged()).toEqual(['publish/success']);
  });

  it('that finds the final id of the post has it known by that one from then on, in the inbox too', async ({
    world,
    account,
  }) => {
    const plain = world.deps.platforms.get('bluesky')!;
    const { publish } = plain.posts!;
    let asked = 0;
    const naming: Publish = {
      ...publish,
      steps: (post) => [...publish.steps(post), { name: 'name', kind: 'idempotent', optional: 'address' }],
      async run(call, step) {
        if (step !== 'name') return publish.run(call, step);
        if ((asked += 1) < 3) throw silent.error!;
        return { id: 'final' };
      },
      finish(done, at) {
        const { id } = (done['name'] ?? {}) as { id?: string };
        return { ...publish.finish(done, at), ...(id !== undefined && { platform_post_id: id }) };
      },
    };
    const platform = { ...plain, comments: {} as Comments, posts: { ...plain.posts!, publish: naming } };
    const { posts, settle } = await world.second({ platforms: new Map([['bluesky', platform]]) });
    const draft = draftFor([account], { content: contentOf('Main'), publishNow: true });
    const made = await posts.create(world.authority, world.workspace, draft);
    const inbox = async () =>
      (await world.store.db.selectFrom('inbox_posts').select('platform_id').execute()).map((row) => row.platform_id);
    expect(made).toMatchObject({ status: 'published', targets: [{ platform_post_id: 'made-1' }] });
    expect(await inbox()).toEqual(['made-1']);
    world.clock.move(5 * SECOND);
    await settle();
    expect(await world.target(made.id)).toMatchObject({ platform_post_id: 'final', due_at: NEVER });
    expect([await inbox(), await world.eventNames()]).toEqual([['final'], ['post.published']]);
  });

  it('is left when the post is taken down or deleted meanwhile', async ({ world }) => {
    const { posts, authority } = world;
    const remove = (id: string) => posts.remove({ authority }, id, undefined);
    for (const end of [(id: string) => posts.unpublish({ authority }, id, undefined), remove]) {
      const { id, account } = await commented(world);
      await end(id);
      await world.pass(HOUR);
      expect(world.net.texts(account)).toEqual([]);
      expect(world.net.calls.filter((call) => call === `${account.id} comment`)).toHaveLength(2);
    }
  });

  it('goes on when the post could not be taken down', async ({ world }) => {
    const { id, account, metadata } = await commented(world);
    world.net.script(account, 'remove', refused);
    await expect(world.unpublish(id)).rejects.toThrow('Not like this.');
    await world.settle();
    expect(await metadata()).toEqual({ sandbox: true, first_comment_status: 'published' });
    expect(world.net.texts()).toEqual(['Main', 'Main']);
  });

  /** The room of a process that dies after so many writes. */
  async function dyingAfter(world: World, writes: number) {
    let left = writes;
    const write: Store['write'] = (...args) =>
      (left -= 1) < 0 ? Promise.reject(new Error('the process is dead')) : world.store.write(...args);
    return (await world.second({ store: { ...world.store, write } })).posts;
  }

  it('goes on by itself when the process dies before it reports that the post was not taken down', async ({
    world,
  }) => {
    const { id, account, metadata } = await commented(world);
    world.net.script(account, 'remove', refused);
    const dying = await dyingAfter(world, 1);
    await expect(dying.unpublish(world, id, undefined)).rejects.toThrow('the process is dead');
    await world.pass(LEASE - SECOND);
    expect([await metadata(), world.net.texts()]).toMatchObject([{ first_comment_status: 'pending' }, ['Main']]);
    await world.pass(SECOND);
    expect(await metadata()).toEqual({ sandbox: true, first_comment_status: 'published' });
    expect(world.net.texts()).toEqual(['Main', 'Main']);
    expect(await world.target(id)).toMatchObject({ lease_token: null, due_at: NEVER });
  });

  it('is left when the process dies that has just deleted the post', async ({ world }) => {
    const { id, account } = await commented(world);
    const dying = await dyingAfter(world, 1);
    await expect(dying.remove({ authority: world.authority }, id, undefined)).rejects.toThrow('the process is dead');
    await world.pass(5 * SECOND);
    await world.pass(MINUTE);
    expect([await world.row(id), world.net.texts()]).toEqual([undefined, []]);
    expect(world.net.calls.filter((call) => call === `${account.id} comment`)).toHaveLength(2);
  });

  it.for([
    ['grant ended', /must be connected again/],
    ['account was removed', /was removed/],
  ] as const)('has failed, and may be there all the same, when the %s', async ([fate, words], { world }) => {
    const { id, account, metadata } = await commented(world);
    if (fate === 'grant ended') await world.kill(account.id);
    else await world.disconnect(account.id);
    await world.pass(HOUR);
    const said = await metadata();
    expect(said).toMatchObject({ first_comment_status: 'failed', first_comment_error: expect.stringMatching(words) });
    expect(said['first_comment_error']).toMatch(/^It may be public/);
    expect([await world.status(id), await world.logged()]).toEqual(['published', ['publish/success']]);
  });
});

describeStores('a request that publishes', (stores) => {
  const it = itIn(stores);

  it('waits no longer than it may; what is under way goes on by itself', async ({ world, account }) => {
    const gate = world.net.hold(account, 'write');
    const making = world.make([account], { publishNow: true });
    await gate.met;
    world.clock.move(20 * SECOND);
    const id = await making;
    expect(await world.status(id)).toBe('publishing');
    gate.open();
    await world.settle();
    expect(await world.status(id)).toBe('published');
  });

  it('meets a bug of ours as something that may pass', async ({ world }) => {
    const { id } = await world.publishInto('prepare', [{ error: new TypeError('undefined is not a function') }]);
    expect(await world.status(id)).toBe('published');
    expect(world.log.some((line) => line.includes('publishing step broke'))).toBe(true);
  });
});
