/** The simulator of Zernio, driven by the provider's own client as it is: profiles, accounts, posts and refusals. */
import { RateLimitError, Zernio, ZernioApiError } from '@zernio/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openZernioWorld, type ZernioWorld } from '../../harness/worlds/twins/zernio.ts';

let world: ZernioWorld;
let zernio: Zernio;
let twitter: string;
const clientWith = (apiKey: string) => new Zernio({ apiKey, baseURL: world.api });
beforeAll(async () => {
  world = await openZernioWorld();
  zernio = clientWith(await world.key());
  const { data } = await zernio.accounts.listAccounts({ query: { platform: 'twitter' } });
  twitter = data!.accounts[0]!._id;
});
afterAll(() => world.close());

async function expectRefused(call: Promise<unknown>, statusCode: number, code: string): Promise<void> {
  await expect(call).rejects.toBeInstanceOf(ZernioApiError);
  await expect(call).rejects.toMatchObject({ statusCode, code });
}

it('makes, changes, lists and removes profiles', async () => {
  const { data } = await zernio.profiles.createProfile({ body: { name: 'Roastery', color: '#123456' } });
  const path = { profileId: data!.profile!._id! };
  await zernio.profiles.updateProfile({ path, body: { description: 'Beans' } });
  expect((await zernio.profiles.getProfile({ path })).data!.profile).toMatchObject({ description: 'Beans' });
  const { data: page } = await zernio.profiles.listProfiles({ query: { limit: 1, skip: 2 } });
  expect(page).toMatchObject({ total: 3, profiles: [{ name: 'Roastery', color: '#123456' }] });
  await expectRefused(zernio.profiles.createProfile({ body: { name: 'Roastery' } }), 409, 'profile_name_conflict');
  await zernio.profiles.deleteProfile({ path });
  await expectRefused(zernio.profiles.getProfile({ path }), 404, 'not_found');
});

it('lists accounts by pages', async () => {
  const { data } = await zernio.accounts.listAccounts({ query: { page: 1, limit: 3 } });
  expect([data!.accounts.length, data!.pagination]).toEqual([3, { page: 1, limit: 3, total: 7, pages: 3 }]);
});

it('publishes, plans, changes, lists and takes back posts', async () => {
  const platforms = [{ platform: 'twitter', accountId: twitter }];
  const body = { content: 'A cup', platforms, publishNow: true };
  const { data } = await zernio.posts.createPost({ body });
  const post = (data as { post: { _id: string; status: string } }).post;
  expect(post.status).toBe('published');
  await expectRefused(zernio.posts.createPost({ body }), 409, 'duplicate_content');

  const scheduledFor = new Date(world.clock.now() + 60_000).toISOString();
  const { data: planned } = await zernio.posts.createPost({ body: { content: 'Later', platforms, scheduledFor } });
  const path = { postId: (planned as { post: { _id: string } }).post._id };
  await zernio.posts.updatePost({ path, body: { content: 'A minute later' } });
  world.clock.move(60_000);
  const { data: later } = await zernio.posts.getPost({ path });
  expect(later!.post).toMatchObject({ content: 'A minute later', status: 'published' });
  const { data: list } = await zernio.posts.listPosts({ query: { status: 'published', accountId: twitter } });
  expect(list!.pagination).toMatchObject({ total: 2 });
  await expectRefused(zernio.posts.deletePost({ path }), 400, 'invalid_state');
  await zernio.posts.unpublishPost({ path, body: { platform: 'twitter' } });
  await zernio.posts.deletePost({ path });

  await world.act('settings', { failing_platforms: 'twitter' });
  const { data: failed, response } = await zernio.posts.createPost({ body: { ...body, content: 'Another' } });
  expect([response.status, (failed as { error: string }).error]).toEqual([207, 'All platforms failed']);
  await world.act('settings', { failing_platforms: ' ' });
  const { _id: postId } = (failed as { post: { _id: string } }).post;
  expect((await zernio.posts.retryPost({ path: { postId } })).data!.post!.status).toBe('published');
});

it('refuses in a form that the client understands', async () => {
  const restricted = clientWith(await world.key('without accounts'));
  await expectRefused(restricted.accounts.listAccounts(), 403, 'insufficient_permissions');
  await expectRefused(zernio.accounts.listAccounts({ query: { page: 1 } }), 400, 'invalid_field_value');
  await expectRefused(zernio.analytics.getAnalytics({ query: {} }), 404, 'not_found');
  await world.act('misbehave', { how: 'unavailable' });
  await expectRefused(zernio.profiles.listProfiles(), 503, 'temporarily_unavailable');
  await world.act('misbehave', { how: 'no' });
  await world.act('settings', { requests_per_minute: 1 });
  const slow = zernio.profiles.listProfiles();
  await expect(slow).rejects.toBeInstanceOf(RateLimitError);
  await expect(slow).rejects.toMatchObject({ limit: 1, remaining: 0, resetAt: expect.any(Date) });
});
