import { describe, expect, onTestFinished } from 'vitest';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { isListed } from '#serve/mcp/catalogue.ts';
import { checkStep } from '../harness/calls/next-step.ts';
import { forFile } from '../harness/fixtures.ts';
import { byToken } from '../harness/platforms/fake.ts';
import { refusedAs, type Verdict } from '../harness/platforms/network.ts';
import { makePostNetwork, publishingPlatform } from '../harness/platforms/publishing.ts';
import { TOOLS } from '../harness/calls/operations.ts';
import { listPosts } from '#tools/posts/list-posts.ts';
import { it as test, makeWorld, type World } from '../harness/world.ts';
import { costOf, LARGEST } from './cost.ts';

const PLATFORMS: readonly PlatformSlug[] = ['facebook', 'instagram', 'linkedin', 'pinterest', 'threads'];
const TEXT = 'Fresh bread, and "what else"? '.repeat(3);

/** What each platform says to a third of the posts: the same as the others, something of its own, or nothing by some. */
const REFUSALS = (['permission_denied', 'duplicate', 'publish_limit', 'blocked', 'invalid_request'] as const).map(
  (reason, at): readonly Verdict[] => [
    refusedAs('permission_denied', 'No.'),
    refusedAs(reason, 'No.'),
    at < 2 ? {} : refusedAs('permission_denied', 'No.'),
  ],
);

/** A workspace with a page of posts on five platforms, each of them public, or refused in several ways. */
async function furnish(atEnd: (end: () => Promise<void>) => void, { fails = false } = {}) {
  const net = makePostNetwork();
  if (fails) {
    PLATFORMS.forEach((slug, at) =>
      net.script(slug, 'write', ...Array.from({ length: 9 }, () => REFUSALS[at]!).flat()),
    );
  }
  const platforms = PLATFORMS.map(
    (slug) => [slug, { ...publishingPlatform(net, slug, { offline: true }), connect: byToken }] as const,
  );
  const world = await makeWorld({ surroundings: { platforms: new Map(platforms) } }, atEnd);
  const account_ids: string[] = [];
  for (const platform of PLATFORMS) {
    const { body } = await world.rest('POST /v1/accounts/connect', { platform, metadata: { token: platform } });
    account_ids.push(body.account_id);
  }
  const ids: string[] = [];
  for (let count = 0; count < 25; count += 1) {
    const text = `${count}: ${TEXT}`;
    const { status, body } = await world.rest('POST /v1/posts', { text, account_ids, publish_now: true });
    if (!fails) expect([status, body.status]).toEqual([201, 'published']);
    ids.push(body.id);
  }
  return { world, account_ids, ids };
}

const it = test.extend('furnished', { scope: 'file' }, forFile(furnish));

/** What an assistant is answered, as text. */
async function answered(world: World, name: string, input: object = {}): Promise<string> {
  const { isError, body } = await world.mcp(name, input);
  expect([name, isError, body.error]).toEqual([name, false, undefined]);
  return JSON.stringify(body);
}

describe('what assistants are answered', () => {
  it('is a page of 25 posts on five platforms in 8,000 characters', async ({ furnished: { world, ids } }) => {
    const text = await answered(world, 'list_posts', { sort: 'created_asc' });
    expect(text.length).toBeLessThanOrEqual(8_000);
    const { data } = JSON.parse(text) as { data: readonly Record<string, any>[] };
    expect(data.map(({ id }) => id as string)).toEqual(ids);
    expect(Object.keys(data[0]!)).toEqual(['id', 'status', 'published_at', 'text', 'targets']);
    expect(data[0]!['text']).toMatch(/^0: Fresh bread, .*…$/);
    expect(data[0]!['targets']).toEqual([`${PLATFORMS.join(', ')}: published`]);
  });

  it('names the account and the error code of what failed', () => {
    const target = {
      platform: 'facebook',
      account_id: 'acc_1',
      status: 'failed',
      error: { code: 'platform.rate_limited' },
    };
    const other = { ...target, account_id: 'acc_2', status: 'published', error: null };
    const targetsOf = (...targets: object[]) =>
      (listPosts.brief!.of({ data: [{ text: 'x', targets }] }) as any).data[0].targets;
    expect(targetsOf(target)).toEqual(['facebook: failed (platform.rate_limited)']);
    const elsewhere = { ...target, platform: 'threads', account_id: 'acc_3' };
    expect(targetsOf(target, other, elsewhere)).toEqual([
      'facebook acc_1, threads: failed (platform.rate_limited)',
      'facebook acc_2: published',
    ]);
    expect(targetsOf(target, other)).toEqual([
      'facebook acc_1: failed (platform.rate_limited)',
      'facebook acc_2: published',
    ]);
  });

  it('is a page of 25 posts that failed on five platforms in 8,000 characters, equal failures together', async () => {
    const { world, ids } = await furnish((end) => onTestFinished(end), { fails: true });
    const text = await answered(world, 'list_posts', { sort: 'created_asc' });
    expect(text.length).toBeLessThanOrEqual(8_000);
    const { data } = JSON.parse(text) as { data: readonly Record<string, any>[] };
    expect(data.map(({ id }) => id as string)).toEqual(ids);
    expect(data.slice(0, 3).map(({ status, targets }) => [status, targets])).toEqual([
      ['failed', [`${PLATFORMS.join(', ')}: failed (platform.*.permission_denied)`]],
      [
        'failed',
        [
          'facebook: failed (platform.facebook.permission_denied)',
          'instagram: failed (platform.instagram.duplicate)',
          'linkedin: failed (platform.linkedin.publish_limit)',
          'pinterest: failed (platform.pinterest.blocked)',
          'threads: failed (platform.threads.invalid_request)',
        ],
      ],
      [
        'partial',
        ['facebook, instagram: published', 'linkedin, pinterest, threads: failed (platform.*.permission_denied)'],
      ],
    ]);
  });

  it('every read as it comes, 25 posts there', async ({ world, furnished, task }) => {
    const reads = TOOLS.filter((tool) => isListed(tool) && tool.effect === 'read');
    const sizes = new Map<string, number>();
    for (const one of [furnished.world, world]) {
      for (const { name, input } of reads) {
        const post = 'post_id' in input.shape ? { post_id: furnished.ids[0] } : {};
        if (!input.safeParse(post).success) continue;
        const { isError, body } = await one.mcp(name, post);
        if (!isError) sizes.set(name, Math.max(sizes.get(name) ?? 0, JSON.stringify(body).length));
      }
    }
    for (const name of ['get_post', 'list_events', 'get_constraints']) expect([...sizes.keys()]).toContain(name);
    task.meta.cost = costOf([...sizes.values()]);
    expect([...sizes].filter(([, size]) => size > LARGEST)).toEqual([]);
  });

  it('says what to do wherever it is a refusal of arguments', async ({ furnished: { world } }) => {
    for (const { name, input } of TOOLS.filter(isListed)) {
      const sent = input.safeParse({}).success ? { no_such_argument: 1 } : {};
      const { isError, body } = await world.mcp(name, sent);
      expect([name, sent, isError]).toEqual([name, sent, true]);
      checkStep(body.error.message);
    }
  });

  it('has nothing twice, no null and no empty list', async ({ furnished: { world, ids } }) => {
    const asked: readonly (readonly [tool: string, input: object])[] = [
      ['get_post', { post_id: ids[0] }],
      ['list_posts', { detail: 'full' }],
      ['list_events', { detail: 'full' }],
      ['list_post_logs', {}],
      ['get_post_metrics', { post_id: ids[0], detail: 'full' }],
    ];
    for (const [name, input] of asked) {
      const text = await answered(world, name, input);
      expect([name, text.match(/"(?:results|error_code)":|:null|:\[\]|:\{\}/g)]).toEqual([name, null]);
    }
    expect((await world.mcp('get_post', { post_id: ids[0] })).body).not.toHaveProperty('post_id');
    expect((await world.mcp('list_events')).body).not.toHaveProperty('data');
  });

  it('leaves out of metrics all but the metrics, unless everything is asked for', async ({
    furnished: { world, ids },
  }) => {
    const { data } = (await world.mcp('get_post_metrics', { post_id: ids[0] })).body;
    expect(Object.keys(data.targets[0])).toEqual(['account_id', 'platform', 'permalink', 'metrics']);
    const full = (await world.mcp('get_post_metrics', { post_id: ids[0], detail: 'full' })).body;
    expect(full.data.targets[0]).toMatchObject({ status: 'published', platform_post_id: expect.any(String) });
  });

  it('is refused where it is asked for in no such detail', async ({ furnished: { world } }) => {
    const { isError, body } = await world.mcp('list_posts', { detail: 'some' });
    expect([isError, body.error.meta]).toEqual([true, { field: 'detail' }]);
  });
});
