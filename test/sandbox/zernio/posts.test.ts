import { HOUR } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openZernioWorld, type ZernioWorld } from '../../harness/worlds/twins/zernio.ts';
import type { Json } from '../../harness/world.ts';

let world: ZernioWorld;
/** The accounts of the first day, by their usernames. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => void (world = await openZernioWorld()));
beforeEach(async () => {
  await world.reset();
  ids = Object.fromEntries((await world.list('accounts')).map(({ username, id }) => [username, id]));
});
afterAll(() => world.close());

const olivia = () => ({ platform: 'twitter', accountId: ids['@olivia']! });
const alice = () => ({ platform: 'bluesky', accountId: ids['alice.sandbox.test']! });
const create = (body: object, headers?: Record<string, string>, key?: string) =>
  world.call('POST', 'posts', key, body, headers);
const later = (ms = HOUR) => new Date(world.clock.now() + ms).toISOString();
const stateOf = async (id: string) => (await world.call('GET', `posts/${id}`)).json.post.status;
const refused = ({ status, json }: Json) => [status, json.code, json.param];

it('are drafts, go out at once, or when their time has come', async () => {
  const draft = await create({ content: 'Not yet', _id: 'mine', status: 'published' });
  expect([draft.status, draft.json.post.status, draft.json.post.platforms]).toEqual([201, 'draft', []]);
  expect(draft.json.post._id).toMatch(/^[0-9a-f]{24}$/);
  const now = await create({ content: 'Open', platforms: [olivia()], publishNow: true });
  expect([now.status, now.json.message]).toEqual([201, 'Post published successfully']);
  expect(now.json.post.platforms[0]).toMatchObject({
    accountId: { _id: ids['@olivia'], username: '@olivia', isActive: true },
    status: 'published',
    platformPostUrl: expect.stringMatching(/^https:\/\/x\.com\/olivia\/posts\/\d+$/),
  });
  const { json } = await create({ content: 'Later', platforms: [olivia()], scheduledFor: later() });
  expect([json.post.status, json.post.scheduledFor]).toEqual(['scheduled', later()]);
  world.clock.move(HOUR - 1);
  expect(await stateOf(json.post._id)).toBe('scheduled');
  world.clock.move(1);
  expect(await world.list('posts')).toContainEqual(
    expect.objectContaining({ id: json.post._id, targets: [expect.objectContaining({ status: 'published' })] }),
  );
});

it('go out once by an id of their request, and not twice to an account within a day', async () => {
  const body = { content: 'Once', platforms: [olivia()], publishNow: true };
  const first = await create(body, { 'x-request-id': 'r1' });
  const again = await create(body, { 'x-request-id': 'r1' });
  expect([again.status, again.json.post._id]).toEqual([200, first.json.post._id]);
  const twin = await create(body);
  expect([twin.status, twin.json.details]).toEqual([
    409,
    { accountId: ids['@olivia'], platform: 'twitter', existingPostId: first.json.post._id },
  ]);
  world.clock.move(24 * HOUR);
  expect((await create(body)).status).toBe(201);
});

it('say what is wrong with them', async () => {
  const content = 'A post';
  for (const [body, answer] of [
    [{ content, publishNow: true }, [400, 'missing_required_field', 'platforms']],
    [{ platforms: [olivia()], publishNow: true }, [400, 'missing_required_field', 'content']],
    [{ content, platforms: [{ platform: 'twitter' }] }, [400, 'missing_required_field', 'platforms[0].accountId']],
    [{ content, dryRun: true }, [400, 'invalid_field_value', 'dryRun']],
    [{ content: 7 }, [400, 'invalid_field_value', 'content']],
    [{ content, isDraft: false, platforms: [olivia()] }, [400, 'missing_required_field', 'scheduledFor']],
    [{ content, scheduledFor: 'soon' }, [400, 'invalid_field_value', 'scheduledFor']],
    [{ content, scheduledFor: '2026-12-01T09:00', timezone: 'Mars' }, [400, 'invalid_field_value', 'timezone']],
    [{ content, platforms: [{ ...alice(), platform: 'threads' }] }, [400, 'invalid_field_value', 'platforms']],
    [{ content, platforms: [{ ...alice(), accountId: 'x' }] }, [403, 'forbidden', undefined]],
  ] as const)
    expect([body, refused(await create(body))]).toEqual([body, answer]);
  const local = { content, scheduledFor: '2026-12-01T09:00:00', timezone: 'Europe/Madrid', platforms: [olivia()] };
  expect((await create(local)).json.post.scheduledFor).toBe('2026-12-01T08:00:00.000Z');
  await world.act('change_account', { account: ids['@olivia']!, state: 'inactive' });
  expect((await create({ content, platforms: [olivia()] })).json.code).toBe('ACCOUNT_DISCONNECTED');
});

it('fail on one platform or on all, and are tried again', async () => {
  const long = { content: 'x'.repeat(281), platforms: [olivia(), alice()], publishNow: true };
  const partial = await create(long);
  expect([partial.status, partial.json.post.status, partial.json.error]).toEqual([207, 'partial', undefined]);
  expect(partial.json.platformResults).toMatchObject([
    { platform: 'twitter', status: 'failed', error: 'Post text exceeds the 280 character limit for X.' },
    { platform: 'bluesky', status: 'published', error: null },
  ]);
  await world.act('settings', { failing_platforms: 'bluesky, twitter' });
  const failed = await create({ content: 'Short', platforms: [alice()], publishNow: true });
  expect([failed.status, failed.json.error]).toEqual([207, 'All platforms failed']);
  expect(failed.json.post.platforms[0]).toMatchObject({ errorCategory: 'platform_error', errorSource: 'platform' });
  const retry = `posts/${failed.json.post._id}/retry`;
  expect((await world.call('POST', retry)).status).toBe(207);
  await world.act('settings', { failing_platforms: 'none' });
  expect((await world.call('POST', retry)).json.post.status).toBe('published');
  const path = `posts/${partial.json.post._id}`;
  const [, sent] = partial.json.post.platforms;
  const mended = { content: 'Shorter', publishNow: true, platforms: [olivia(), alice()] };
  const { post } = (await world.call('PUT', path, undefined, mended)).json;
  expect([post.status, post.platforms[1].platformPostId]).toEqual(['published', sent.platformPostId]);
});

it('are changed, taken back and removed as far as their state lets them be', async () => {
  const { json } = await create({ content: 'Later', platforms: [olivia()], scheduledFor: later() });
  const path = `posts/${json.post._id}`;
  const moved = await world.call('PUT', path, undefined, { content: 'Even later', scheduledFor: later(2 * HOUR) });
  expect(moved.json.post).toMatchObject({ content: 'Even later', status: 'scheduled', scheduledFor: later(2 * HOUR) });
  world.clock.move(HOUR);
  expect(await stateOf(json.post._id)).toBe('scheduled');
  expect((await world.call('PUT', path, undefined, { publishNow: true })).json.post.status).toBe('published');
  expect(refused(await world.call('PUT', path, undefined, { content: 'No' }))[0]).toBe(400);
  expect((await world.call('DELETE', path)).status).toBe(400);
  expect((await world.call('POST', `${path}/unpublish`, undefined, { platform: 'threads' })).status).toBe(400);
  expect((await world.call('POST', `${path}/unpublish`, undefined, { platform: 'twitter' })).json.success).toBe(true);
  expect(await stateOf(json.post._id)).toBe('cancelled');
  expect((await world.call('DELETE', path)).status).toBe(200);
  expect((await world.call('GET', path)).status).toBe(404);
});

it('are listed by filters and pages, and a misspelled filter is refused', async () => {
  const contents = async (query: string, key?: string) =>
    (await world.call('GET', `posts?${query}`, key)).json.posts.map((post: Json) => post.content);
  await create({ content: 'One', platforms: [olivia()], publishNow: true });
  await create({ content: 'Two', platforms: [alice()], scheduledFor: later(48 * HOUR) });
  await create({ content: 'Three', platforms: [olivia(), alice()], scheduledFor: later() });
  expect(await contents('')).toEqual(['Two', 'Three', 'One']);
  expect(await contents('status=scheduled&sortBy=scheduled-asc')).toEqual(['Three', 'Two']);
  expect(await contents('platform=twitter&search=ONE')).toEqual(['One']);
  const profile = (await world.profiles())['Harbour Bakery']!;
  expect(await contents(`profileId=${profile}`)).toEqual(['Two', 'Three']);
  expect(await contents(`accountId=${ids['@olivia']}&toDate=${later().slice(0, 10)}`)).toEqual(['Three', 'One']);
  expect(await contents('source=external')).toEqual([]);
  const { json } = await world.call('GET', 'posts?limit=2&page=2');
  expect([json.posts.length, json.pagination]).toEqual([1, { page: 2, limit: 2, total: 3, pages: 2 }]);
  expect(refused(await world.call('GET', 'posts?plattform=x'))).toEqual([400, 'unknown_parameter', 'plattform']);
  expect(refused(await world.call('GET', 'posts?limit=501'))).toEqual([400, 'invalid_field_value', 'limit']);
  expect(await contents('', await world.key('full', [profile]))).toEqual(['Two', 'Three']);
});
