import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';
import { openConnectPage } from '../../harness/calls/stand-ins.ts';
import { mp4 } from '../../harness/media-samples.ts';
import { accountNow, list, publish } from '../../harness/calls/rest.ts';
import { makeWorld, type Json } from '../../harness/world.ts';
import { OLIVIA, standInOf } from './stand-in.ts';

const MEMBER = '/oauth/v2/authorization';
const SHARING = 'openid profile email w_member_social';

describe('what a login asks for', () => {
  it.each([
    ['TIKTOK_SCOPES', 'video.list; drop'],
    ['LINKEDIN_SCOPES', ',openid'],
    ['INSTAGRAM_FACEBOOK_SCOPES', 'a%20b'],
    ['FACEBOOK_CONFIG_ID', 'my config'],
    ['GRAPH_VERSION', '26'],
    ['PINTEREST_API_ROOT', 'api-sandbox.pinterest.com'],
  ])('is refused at the start where %s is %j', (name, value) => {
    expect(() => readConfig(platforms.values(), { [name]: value })).toThrow(name);
  });

  it('may be what this server does not know, parted by commas or spaces', () => {
    const { platformSettings } = readConfig(platforms.values(), {
      THREADS_SCOPES: 'threads_basic, threads_new threads_basic',
      YOUTUBE_SCOPES: 'youtube.upload openid',
    });
    expect(platformSettings).toEqual({
      THREADS_SCOPES: 'threads_basic threads_new',
      YOUTUBE_SCOPES: 'https://www.googleapis.com/auth/youtube.upload openid',
    });
  });

  it('is what a configuration of Facebook Login for Business lists, where one is named', async () => {
    const env = { FACEBOOK_CONFIG_ID: '123456789', INSTAGRAM_CONFIG_ID: '987654321' };
    const world = await makeWorld({ env });
    for (const [platform, config] of [
      ['facebook', '123456789'],
      ['instagram', '987654321'],
    ]) {
      const ask = { platform, metadata: platform === 'instagram' ? { login: 'facebook' } : {} };
      const { body } = await world.rest('POST /v1/accounts/connect', ask);
      const { consents } = await openConnectPage(body.auth_url);
      const { searchParams: asked } = new URL(consents[0]!);
      expect([asked.get('config_id'), asked.has('scope')]).toEqual([config, false]);
    }
  });
});

describe('a creator of a new app on TikTok', () => {
  it.each(['429', '500'])('is connected where TikTok does not tell the username now: %s', async (status) => {
    const world = await makeWorld({ env: { TIKTOK_SCOPES: 'user.info.basic,video.publish,video.upload' } });
    const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
    await tiktok.act('order', { method: 'POST /v2/post/publish/creator_info/query/', when: 'before', status });
    const account = await accountNow(world, await tiktok.connect(OLIVIA, 'tiktok'));
    expect(account).toMatchObject({ status: 'active', username: expect.not.stringMatching(OLIVIA) });
  });

  it('is connected and publishes, and is told what video.list would give', async () => {
    const world = await makeWorld({ env: { TIKTOK_SCOPES: 'user.info.basic,video.publish,video.upload' } });
    const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
    await tiktok.act('settings', { processing_ms: '0', moderation_ms: '0' });
    const id = await tiktok.connect(OLIVIA, 'tiktok');
    const account = await accountNow(world, id);
    expect(account.capabilities).toContain('post video');
    for (const lost of ['sync of posts', 'post metrics']) expect(account.capabilities).not.toContain(lost);
    // The username is told to whoever may publish.
    expect(account.username).toBe(OLIVIA);
    expect(account.metadata).toMatchObject({
      scopes_missing: [],
      unavailable: [
        { scope: 'user.info.profile', effect: expect.any(String) },
        { scope: 'user.info.stats', effect: expect.any(String) },
        { scope: 'video.list', effect: 'Posts made elsewhere are not listed, and posts have no metrics.' },
      ],
    });
    const media_ids = [
      await tiktok.upload(
        'a.mp4',
        'video/mp4',
        mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] }),
      ),
    ];
    const { body } = await publish(world, id, { text: 'How we bake', media_ids });
    expect(body.status).toBe('published');
    const { status, body: refusal } = await world.rest(`POST /v1/accounts/${id}/sync`);
    expect([status, refusal.error.code]).toEqual([403, 'platform.tiktok.permission_denied']);
    expect(refusal.error.message).toContain('video.list');
  });
});

describe('a member on LinkedIn', () => {
  const warnings = (world: Awaited<ReturnType<typeof makeWorld>>, account: string) =>
    world
      .rest('POST /v1/posts/validate', { text: 'Hello', first_comment: 'First', account_ids: [account] })
      .then(({ body }) => body.warnings as Json[]);

  it('of an app that signs in and shares is the only page, and is warned of a first comment', async () => {
    const world = await makeWorld({ env: { LINKEDIN_SCOPES: SHARING } });
    const linkedin = standInOf(world, 'linkedin', MEMBER);
    const id = await linkedin.connect(OLIVIA);
    const { metadata, name } = await accountNow(world, id);
    expect(name).toBe('Olivia Harbour');
    expect(metadata.scopes_granted).toEqual(SHARING.split(' '));
    expect(metadata.unavailable.map(({ scope }: Json) => scope)).toContain('w_member_social_feed');
    expect((await list(world, `/v1/accounts/${id}/pages`)).map(({ category }) => category)).toEqual(['member']);
    expect(await warnings(world, id)).toMatchObject([
      { field: 'first_comment', message: expect.stringContaining('w_member_social_feed') },
    ]);
    const { body } = await publish(world, id, { text: 'Hello', first_comment: 'First' });
    expect(body.status).toBe('published');
  });

  it('reads on the page that ends the login what is not possible', async () => {
    const world = await makeWorld({ env: { LINKEDIN_SCOPES: SHARING } });
    const linkedin = standInOf(world, 'linkedin', MEMBER);
    const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'linkedin' });
    const { consents, cookie } = await openConnectPage(body.auth_url);
    const { location } = await linkedin.act('consent', { url: consents[0]!, person: OLIVIA });
    const end = await (await fetch(location, { headers: { Cookie: cookie } })).text();
    expect(end).toContain('LinkedIn is connected');
    expect(end).toContain('<li>Comments on posts of organizations cannot be read.</li>');
  });

  it('of an app for organizations is read without OpenID Connect', async () => {
    const world = await makeWorld();
    const linkedin = standInOf(world, 'linkedin', MEMBER);
    const id = await linkedin.connect(OLIVIA);
    const account = await accountNow(world, id);
    expect(account).toMatchObject({ name: 'Olivia Harbour', metadata: { scopes_missing: [] } });
    expect(await linkedin.calls('GET /v2/me')).toBe(1);
    expect(await warnings(world, id)).toEqual([]);
  });

  it('is refused by LinkedIn where the app has not both products', async () => {
    const world = await makeWorld({ env: { LINKEDIN_SCOPES: `${SHARING} rw_organization_admin` } });
    const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'linkedin' });
    const { consents } = await openConnectPage(body.auth_url);
    const page = await fetch(consents[0]!);
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('unauthorized_scope_error')]);
  });
});

describe('a version of an API', () => {
  it('that has ended is a refusal with its cure', async () => {
    const world = await makeWorld({ env: { GRAPH_VERSION: 'v20.0' } });
    const facebook = standInOf(world, 'facebook', '/dialog/oauth');
    await expect(facebook.connect(OLIVIA)).rejects.toThrow('platform.facebook.version_ended');
  });

  it('that ends soon is in the log once a day', async () => {
    const app = { LINKEDIN_CLIENT_ID: 'x', LINKEDIN_CLIENT_SECRET: 'y', LINKEDIN_VERSION: '202603' };
    const world = await makeWorld({ env: app });
    const warned = () => world.log.filter((line) => line.includes('set a newer LINKEDIN_VERSION'));
    const until = (day: string) => Date.parse(day) - world.clock.now();
    await world.pass(until('2027-01-14'));
    expect(warned()).toEqual([]);
    await world.pass(4 * DAY);
    const before = warned().length;
    expect(warned()[0]).toContain('Marketing API 202603 ends on 2027-03-16');
    await world.pass(DAY);
    expect(warned()).toHaveLength(before + 1);
    await world.pass(until('2027-03-17'));
    expect(warned().at(-1)).toContain('has ended on 2027-03-16');
    // Nobody is warned of what is not called for real.
    expect(world.log.some((line) => line.includes('GRAPH_VERSION'))).toBe(false);
  });

  it('that lasts at least so long is never said to have ended', async () => {
    const app = { LINKEDIN_CLIENT_ID: 'x', LINKEDIN_CLIENT_SECRET: 'y', LINKEDIN_VERSION: '202604' };
    const world = await makeWorld({ env: app });
    const warned = () => world.log.findLast((line) => line.includes('set a newer LINKEDIN_VERSION'));
    await world.pass(Date.parse('2027-03-20') - world.clock.now());
    expect(warned()).toContain('Marketing API 202604 may end on 2027-04-01');
    await world.pass(Date.parse('2027-04-03') - world.clock.now());
    expect(warned()).toContain('Marketing API 202604 may have ended on 2027-04-01');
  });
});
