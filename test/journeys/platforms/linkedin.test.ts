import { MINUTE, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import {
  accountNow,
  heardBy,
  list,
  postNow,
  publish as publishOn,
  read,
  refusalOf,
  sync,
} from '../../harness/calls/rest.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { FRED, NORA, OLIVIA, SAM, standInOf } from './stand-in.ts';

const TOKEN = 'POST /oauth/v2/accessToken';

/** A connected member with the pages of their organizations. */
async function sceneIn(world: World, person = OLIVIA) {
  const linkedin = standInOf(world, 'linkedin', '/oauth/v2/authorization');
  const events = ['comment.received', 'mention.received', 'page.removed', 'account.disconnected'];
  const receiver = await world.receive(events);
  const account = await linkedin.connect(person);
  await world.settle();
  await world.pass(MINUTE);
  const pages = () => list(world, `/v1/accounts/${account}/pages`);
  const publish = async (text: string, more: object = {}) => {
    const { body } = await publishOn(world, account, { text, ...more });
    await world.settle();
    return { id: body.id as string, body, result: body.results?.[0] };
  };
  return {
    ...linkedin,
    account,
    pages,
    publish,
    page: async (name: string) => (await pages()).find((one) => one.name === name)!,
    posts: async (text: string) => (await linkedin.look('posts')).filter(({ body }) => body.commentary === text),
    heard: heardBy(receiver),
    comments: (post: string) => list(world, `/v1/inbox/comments/${post}`),
    statusOf: async () => (await accountNow(world, account)).status,
    set: (settings: object) => linkedin.act('settings', settings),
    /** The next requests of a kind take effect, and are not answered. */
    lose: (method: string, times = 1) =>
      world.product.sandbox!.setFault({ network: 'linkedin', person, kind: 'lost', method, times }),
  };
}

describe('a login', () => {
  it('has the pages of its organizations and of the member, who is the only one where there are none', async ({
    world,
  }) => {
    const { account, pages, publish, page, posts } = await sceneIn(world);
    expect((await pages()).map(({ name, category, is_default }) => [name, category, is_default])).toEqual([
      ['Harbour Coffee', 'organization', true],
      ['Single Origin', 'organization', false],
      ['Olivia Harbour', 'member', false],
    ]);
    const targets = [
      { account_id: account, page_id: (await page('Olivia Harbour')).id, visibility: 'connections_only' },
    ];
    expect((await publish('As myself', { account_ids: [], targets })).result.status).toBe('published');
    expect(await posts('As myself')).toMatchObject([{ body: { visibility: 'CONNECTIONS' } }]);

    const nora = await sceneIn(world, NORA);
    const [only, ...others] = await nora.pages();
    expect([only!.category, only!.is_default, others]).toEqual(['member', true, []]);
    expect((await nora.publish('By Nora')).result.status).toBe('published');
    await call(world, 'update_account_page', { account_id: nora.account, page_id: only!.id, is_active: false });
    expect((await nora.publish('By nobody')).body.error.code).toBe('account.no_active_page');
  });

  it('without a refresh token ends with its token; with one it is renewed before', async ({ world }) => {
    const { set, connect, calls, statusOf, publish, heard } = await sceneIn(world);
    await set({ refresh_tokens: 'false' });
    const before = await calls(TOKEN);
    await connect(OLIVIA);
    await world.pass(59 * DAY);
    expect([await calls(TOKEN), await statusOf()]).toEqual([before + 1, 'active']);
    await world.pass(2 * DAY);
    await publish('Too late');
    expect([await calls(TOKEN), await statusOf()]).toEqual([before + 1, 'reconnect_required']);
    expect(heard('account.disconnected')).toHaveLength(1);
    await set({ refresh_tokens: 'true' });
    await connect(OLIVIA);
    await world.pass(61 * DAY);
    expect([await calls(TOKEN), await statusOf()]).toEqual([before + 3, 'active']);
  });

  it('whose refresh token is over has to be connected again, once and for all', async ({ world }) => {
    const { calls, statusOf, set } = await sceneIn(world);
    await set({ refresh_tokens: 'false' });
    const before = await calls(TOKEN);
    await world.pass(50 * DAY);
    expect(await statusOf()).toBe('reconnect_required');
    await world.pass(50 * DAY);
    expect((await calls(TOKEN)) - before).toBe(1);
  });

  it('that is cancelled says so', async ({ world }) => {
    const { auth_url } = (await world.rest('GET /v1/oauth/url?platform=linkedin')).body;
    const page = await fetch(auth_url);
    const { act } = standInOf(world, 'linkedin', '/oauth/v2/authorization');
    const [, link] = /href="([^"]*\/oauth\/v2\/authorization[^"]*)"/.exec(await page.text()) ?? [];
    const url = (link ?? auth_url).replaceAll('&amp;', '&');
    const { location } = await act('consent', { url, person: SAM, deny: true });
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
    const end = new URL(back.headers.get('location')!).searchParams;
    expect(end.get('error_description')).toBe('The connection was cancelled; nothing was changed.');
  });

  it('loses the page of an organization with the role in it, and gets it back', async ({ world }) => {
    const { act, page, pages, heard } = await sceneIn(world);
    const { platform_page_id: organization } = await page('Harbour Coffee');
    await act('set_role', { person: OLIVIA, organization });
    await world.pass(2 * DAY);
    expect(heard('page.removed').map(({ data }) => data.platform_page_id)).toEqual([organization]);
    expect((await pages()).map(({ is_active, is_default }) => [is_active, is_default])).toEqual([
      [false, false],
      [true, true],
      [true, false],
    ]);
    await act('set_role', { person: OLIVIA, organization, role: 'ADMINISTRATOR' });
    await world.pass(2 * DAY);
    expect((await page('Harbour Coffee')).is_active).toBe(true);
  });
});

describe('what LinkedIn pushes', () => {
  it('comes after a challenge, is signed, and calls a post by other ids', async ({ world }) => {
    const { publish, does, comments, heard, look, act, account } = await sceneIn(world);
    const challenge = await fetch(`${world.root}/push/linkedin?challengeCode=0a1b-2c`);
    const [endpoint] = await look('endpoints');
    expect([challenge.status, challenge.headers.get('content-type'), endpoint!.strikes]).toEqual([
      200,
      expect.stringContaining('application/json'),
      0,
    ]);
    const { challengeCode, challengeResponse } = (await challenge.json()) as Json;
    expect(challengeCode).toBe('0a1b-2c');
    expect(challengeResponse).toMatch(/^[\da-f]{64}$/);
    expect((await fetch(`${world.root}/push/linkedin`)).status).toBe(403);

    const { id, result } = await publish('Fresh bread');
    await act('settings', { short_comment_urns: 'true', push_wrong_signature: 'true' });
    await does('comment', { person: FRED, post: result.platform_post_id, text: 'Is it rye?' });
    const [push] = await look('pushes');
    expect(push).toMatchObject({ kind: 'updates', status: 403 });
    expect(heard('comment.received')).toEqual([]);
    await act('settings', { push_wrong_signature: 'false', push_duplicate: 'true' });
    await world.pass(6 * MINUTE);
    const [{ data }] = heard('comment.received') as readonly [Json];
    expect(heard('comment.received')).toHaveLength(1);
    expect(data).toMatchObject({ post_id: id, author: { name: 'Fred Follower' }, content: { text: 'Is it rye?' } });

    // The activity, by which the push called it, leads to the same post.
    const [{ activity }] = (await look('posts')).filter((one) => one.id === result.platform_post_id) as [Json];
    const byActivity = await comments(`${activity}?account_id=${account}`);
    expect(byActivity.map((one) => one.id)).toEqual((await comments(id)).map((one) => one.id));
    await does('edit_comment', { comment: data.platform_id, text: 'Is it spelt?' });
    await does('delete_comment', { comment: data.platform_id });
    expect(await comments(id)).toEqual([]);
  });

  it('is subscribed to for each organization that is administered, as long as the token lives', async ({ world }) => {
    const { look, page, account } = await sceneIn(world);
    const subscribed = async () => (await look('subscriptions')).map((one) => [one.page_id, one.expires_at]);
    const { platform_page_id: organization } = await page('Harbour Coffee');
    const [[only, end], ...others] = (await subscribed()) as [[string, number], ...unknown[]];
    // She may publish for the other one, and not administer it.
    expect([only, others]).toEqual([organization, []]);
    await world.pass(55 * DAY);
    const [[, later]] = (await subscribed()) as [[string, number]];
    expect(later).toBeGreaterThan(end + 40 * DAY);
    await world.rest(`DELETE /v1/accounts/${account}`);
    expect(await subscribed()).toEqual([]);
  });

  it('tells of mentions, which are listed and answered', async ({ world }) => {
    const { does, page, heard, account, look } = await sceneIn(world);
    const { platform_page_id: organization } = await page('Harbour Coffee');
    await does('mention', { person: FRED, organization, text: 'I was there' });
    expect(heard('mention.received').map(({ data }) => data.content.text)).toEqual(['Harbour Coffee I was there']);
    const { data } = (await call(world, 'get_mentions', { account_id: account })).body;
    expect(data).toMatchObject([{ author: { name: 'Fred Follower' }, metadata: { mention_type: 'post' } }]);
    const reply = { account_id: account, mention_id: data[0].id, text: 'Thank you!' };
    expect((await call(world, 'reply_to_mention', reply)).status).toBe(200);
    expect(await look('comments')).toMatchObject([{ page_id: organization, text: 'Thank you!' }]);
  });
});

describe('a post', () => {
  it('of a member whose answer is lost is in doubt, and LinkedIn may only call it a duplicate', async ({ world }) => {
    const { publish, posts, lose } = await sceneIn(world, NORA);
    lose('POST /rest/posts');
    const { id } = await publish('Public already');
    for (let waits = 0; waits < 30; waits += 1) await world.pass(MINUTE);
    const errorOf = async () => (await postNow(world, id)).results[0].error?.code as string;
    expect(await errorOf()).toBe('publishing.delivery.timeout');
    const retry = (body: object) => world.rest(`POST /v1/posts/${id}/retry`, body);
    expect((await retry({})).body.error.code).toBe('post.state_invalid');
    await retry({ confirm_not_published: true });
    await world.settle();
    // Her posts may not be read by this app, so that of the refusal cannot be looked at either.
    expect(await errorOf()).toBe('platform.linkedin.duplicate');
    expect(await posts('Public already')).toHaveLength(1);
  });

  it('is not taken for the one that a refusal names and that does not exist', async ({ world }) => {
    const { publish, posts, set, calls } = await sceneIn(world);
    await set({ ghost_duplicates: 'true' });
    const { id, result } = await publish('Named after a ghost');
    expect([result.status, result.error.code]).toEqual(['failed', 'platform.linkedin.duplicate']);
    await world.rest(`POST /v1/posts/${id}/retry`, {});
    await world.settle();
    expect((await postNow(world, id)).results[0].error.code).toBe('platform.linkedin.duplicate');
    // The second try looked at what was named.
    expect([await calls('GET /rest/posts/{urn}'), await posts('Named after a ghost')]).toEqual([1, []]);
    await set({ ghost_duplicates: 'false', duplicate_status: '400' });
    await publish('Only once');
    const again = await publish('Only once', { skip_duplicate_check: true });
    expect([again.result.error.code, (await posts('Only once')).length]).toEqual(['platform.linkedin.duplicate', 1]);
  });

  it('that was there before is a duplicate, and not taken for ours', async ({ world }) => {
    const { publish, act, page, posts } = await sceneIn(world);
    const { platform_page_id: organization } = await page('Harbour Coffee');
    await act('post', { person: organization, text: 'Said before' });
    await world.pass(5 * MINUTE);
    const { result } = await publish('Said before');
    expect([result.status, result.error.code]).toEqual(['failed', 'platform.linkedin.duplicate']);
    expect(await posts('Said before')).toHaveLength(1);
  });

  it('is synced under any of its ids, measured with its page, and deleted', async ({ world }) => {
    const { publish, act, does, account, page, posts, set } = await sceneIn(world);
    const { id, result } = await publish('Fresh bread');
    const { platform_page_id: organization } = await page('Harbour Coffee');
    await act('post', { person: organization, text: 'Written there (by hand)' });
    await act('view', { post: result.platform_post_id, impressions: '90', clicks: '4' });
    await does('react', { person: FRED, post: result.platform_post_id, kind: 'PRAISE' });
    await set({ posts_listed_as: 'ugcPost' });
    expect(await sync(world, account)).toBe(200);
    const texts: string[] = (await list(world, '/v1/posts')).map((one) => one.text);
    expect(texts.toSorted()).toEqual(['Fresh bread', 'Written there (by hand)']);
    const { data } = await read(world, `/v1/posts/${id}/metrics`);
    expect(data.results[0].metrics).toMatchObject({ likes: 1, extra: { views: 90, clicks: 4 } });
    expect((await world.rest(`POST /v1/posts/${id}/unpublish`)).status).toBe(200);
    expect(await posts('Fresh bread')).toMatchObject([{ deleted_at: expect.any(Number) }]);
  });

  it('is refused in words that help where the version of the API has ended', async ({ world }) => {
    const { publish, set } = await sceneIn(world);
    await set({ oldest_version: '202610' });
    const { result } = await publish('With an old version');
    expect(result.error).toMatchObject({
      code: 'platform.linkedin.version_ended',
      message: expect.stringContaining('LINKEDIN_VERSION'),
    });
  });
});

describe('comments', () => {
  it('are answered on one level, liked and deleted; without approval their authors have no names', async ({
    world,
  }) => {
    const { publish, does, comments, look, set, calls } = await sceneIn(world);
    const { id, result } = await publish('Fresh bread');
    await does('comment', { person: FRED, post: result.platform_post_id, text: 'Is it rye?' });
    const [top] = (await comments(id)) as [Json];
    const said = async (text: string, comment_id: string) =>
      (await world.rest(`POST /v1/inbox/comments/${id}`, { text, comment_id })).body.comment_id as string;
    const first = await said('It is.', top.id);
    const second = await said('Until six.', first);
    expect((await look('comments')).map(({ text, under }) => [text, under !== undefined])).toEqual([
      ['Is it rye?', false],
      ['It is.', true],
      ['Until six.', true],
    ]);
    const at = `/v1/inbox/comments/${id}/${top.id}` as const;
    const replies = await list(world, `${at}/replies`);
    expect(replies.map((one) => [one.id, one.is_owner, one.parent_id !== null])).toEqual([
      [first, true, true],
      [second, true, true],
    ]);
    expect((await world.rest(`POST ${at}/like`)).status).toBe(200);
    expect(await look('reactions')).toMatchObject([{ type: 'LIKE' }]);
    expect((await world.rest(`DELETE ${at}/like`)).status).toBe(200);
    expect((await world.rest(`DELETE /v1/inbox/comments/${id}/${second}`)).status).toBe(200);
    expect(await calls('DELETE /rest/reactions/{key}')).toBe(1);
    await set({ people_lookup: 'false' });
    expect((await comments(id)).map(({ author }) => author.name)).toEqual([expect.stringMatching(/^urn:li:person:/)]);
    expect(await refusalOf(world.rest(`POST ${at}/hide`))).toEqual([501, 'resource.not_supported']);
  });
});
