/**
 * The simulator of Zernio, driven by the provider's own client as it is: keys, profiles, accounts, posts and
 * refusals.
 */
import { RateLimitError, Zernio, ZernioApiError } from '@zernio/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { png } from '../../harness/media-samples.ts';
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

it('says who a key is of, and makes keys', async () => {
  expect((await zernio.apiKeys.verifyCredential()).data).toMatchObject({ valid: true, authType: 'api_key' });
  const body = { name: 'Reader', permission: 'read', expiresIn: 1 } as const;
  const { data } = await zernio.apiKeys.createApiKey({ body });
  expect((await clientWith(data!.apiKey!.key).profiles.listProfiles()).data!.profiles).toHaveLength(2);
  const { data: all } = await zernio.apiKeys.listApiKeys();
  expect(all!.apiKeys!.at(-1)).toMatchObject({ name: 'Reader', permission: 'read', scope: 'full' });
  await zernio.apiKeys.deleteApiKey({ path: { keyId: data!.apiKey!.id! } });
  await expectRefused(clientWith(data!.apiKey!.key).profiles.listProfiles(), 401, 'unauthorized');
});

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

it('lists accounts with their health, and changes, moves and removes them', async () => {
  const { data } = await zernio.accounts.listAccounts({ query: { page: 1, limit: 3 } });
  expect([data!.accounts.length, data!.pagination]).toEqual([3, { page: 1, limit: 3, total: 7, pages: 3 }]);
  const accountId = data!.accounts[0]!._id;
  const { data: health } = await zernio.accounts.getAllAccountsHealth({ query: { status: 'healthy' } });
  expect(health!.summary).toMatchObject({ total: 7, healthy: 7 });
  expect((await zernio.accounts.getAccountHealth({ path: { accountId } })).data!.status).toBe('healthy');
  await zernio.accounts.updateAccount({ path: { accountId }, body: { displayName: 'Harbour' } });
  const profileId = (await world.profiles())['Harbour Bakery']!;
  await zernio.accounts.moveAccountToProfile({ path: { accountId }, body: { profileId } });
  const { data: moved } = await zernio.accounts.listAccounts({ query: { profileId } });
  const found = moved!.accounts.find(({ _id }: { _id: string }) => _id === accountId);
  expect(found).toMatchObject({ displayName: 'Harbour' });
  const path = { accountId: data!.accounts[1]!._id };
  await zernio.accounts.deleteAccount({ path });
  await expectRefused(zernio.accounts.getAccountHealth({ path }), 404, 'not_found');
});

it('publishes, plans, changes, lists and takes back posts with files', async () => {
  const presign = { filename: 'cup.png', contentType: 'image/png' } as const;
  const { data: file } = await zernio.media.getMediaPresignedUrl({ body: presign });
  await fetch(file!.uploadUrl, { method: 'PUT', body: new Uint8Array(png()) });
  const platforms = [{ platform: 'twitter', accountId: twitter }];
  const mediaItems = [{ type: 'image' as const, url: file!.publicUrl! }];
  const body = { content: 'A cup', mediaItems, platforms, publishNow: true };
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

it('shows what is used and paid', async () => {
  expect((await zernio.usage.getUsageStats()).data).toMatchObject({ hasAccess: true, billingSystem: 'metronome' });
  expect((await zernio.usage.getBilling()).data!.plan).toMatchObject({ isUsageBased: true });
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
