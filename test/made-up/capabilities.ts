import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { pdf, png, wav } from '../harness/media-samples.ts';
import type { Json } from '../harness/world.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import { finalPost, type Stage } from '../platforms/conformance/stage.ts';
import type { Capability, Scene } from '../platforms/conformance/subject.ts';
import { act, connect, consent, posts, list } from './door.ts';
import { PARTNER } from './platform/api.ts';
import { SLUG } from './slug.ts';
import { APP } from './twin/login.ts';

async function done({ rest }: Stage, ...[call, body]: Parameters<Stage['rest']>): Promise<Json> {
  const answer = await rest(call, body);
  expect([call, answer.status < 300, answer.body.error]).toEqual([call, true, undefined]);
  return answer.body;
}

const publishVideo = async (stage: Stage, account: string) => {
  const text = stage.text('Video');
  const input = { text, account_ids: [account], ...(await posts['video']!.input(stage, text, [account])) };
  return done(stage, 'POST /v1/posts', { ...input, publish_now: true });
};

const accountsOf = async (stage: Stage) => (await done(stage, 'GET /v1/accounts')).data as readonly Json[];
const subscriptionOf = async (stage: Stage) => (await list(stage, 'subscription'))[0];

async function textsOf(stage: Stage, { conversation }: Scene): Promise<readonly string[]> {
  const { data } = await done(stage, `GET /v1/inbox/conversations/${conversation}/messages`);
  return data.map(({ text }: Json) => text);
}

const appsOf = ({ world }: Stage) => {
  const { apps } = world.product.modules;
  const authority = authorityOver(world.workspaceId);
  return {
    set: (client: OAuthClient) => apps.set(authority, SLUG, undefined, client),
    test: (client?: OAuthClient) => apps.test(authority, SLUG, { client }),
    remove: () => apps.remove(authority, SLUG, undefined),
  };
};
const CLIENT = { clientId: APP.id, clientSecret: APP.secret };
/** Customers bring the app that accounts are connected with; no operation does so yet. */
export const setApp = (stage: Stage) => appsOf(stage).set(CLIENT);

/** What conformance alone does not reach, each through the API. */
export const capabilities: Readonly<Record<string, Capability>> = {
  async 'one of several profiles is chosen, and accounts of one grant share its session'(stage) {
    const first = await consent(stage, 'dot');
    expect(first.get('status')).toBe('selection_required');
    const pending = first.get('connection_id');
    const { profiles } = await done(stage, `GET /v1/accounts/pending/${pending}`);
    expect(profiles.map(({ display_name }: Json) => display_name)).toEqual(['Dyes', 'Cloth']);
    await done(stage, `POST /v1/accounts/pending/${pending}/select`, {
      platform_account_id: profiles[0].platform_account_id,
    });
    const second = await consent(stage, 'dot');
    const again = second.get('connection_id');
    const { profiles: left } = await done(stage, `GET /v1/accounts/pending/${again}`);
    await done(stage, `POST /v1/accounts/pending/${again}/select`, {
      platform_account_id: left[1].platform_account_id,
    });
    await stage.world.pass(2 * HOUR);
    const accounts = await accountsOf(stage);
    for (const { id } of accounts)
      expect(await done(stage, `GET /v1/accounts/${id}/limits`)).toHaveProperty('posts_remaining');
    await done(stage, `DELETE /v1/accounts/${accounts[0].id}`);
    await stage.hear();
    await done(stage, `GET /v1/accounts/${accounts[1].id}/limits`);
  },

  async 'an app of the customer is tested, connects accounts, and takes them along'(stage) {
    const apps = appsOf(stage);
    expect(await apps.test()).toEqual({ valid: true, reason: null });
    expect(await apps.test({ ...CLIENT, clientSecret: 'wrong' })).toMatchObject({ valid: false });
    await connect(stage, 0);
    expect(await accountsOf(stage)).toMatchObject([{ status: 'active', metadata: { byok_source: 'user' } }]);
    await apps.remove();
    expect(await accountsOf(stage)).toMatchObject([{ status: 'reconnect_required' }]);
    const { auth_url } = await done(stage, 'POST /v1/accounts/connect', { platform: SLUG });
    const page = await (await fetch(auth_url)).text();
    expect([page.includes('name="key"'), page.includes('/www?')]).toEqual([true, false]);
  },

  async 'a key makes an account of the second kind, which posts on a board and has no inbox'(stage) {
    const metadata = { key: 'plaza-key-of-ada' };
    const { account_id } = await done(stage, 'POST /v1/accounts/connect', { platform: SLUG, metadata });
    const onBoard = (board_id?: string) => ({ text: 'By key', targets: [{ account_id, board_id }] });
    const { errors } = await done(stage, 'POST /v1/posts/validate', onBoard());
    expect(errors.map(({ field }: Json) => field)).toEqual(['board_id']);
    const post = await done(stage, 'POST /v1/posts', { ...onBoard('breads'), publish_now: true });
    expect(post.status).toBe('published');
    expect((await list(stage, 'post'))[0]).toMatchObject({ board: 'breads' });
    expect((await stage.rest(`GET /v1/inbox/comments/${post.id}`)).status).toBe(501);
  },

  async 'a platform that works for 20 minutes is waited for in one attempt'(stage) {
    const { account } = await connect(stage, 0);
    await act(stage, 'settings', { work_ms: String(20 * MINUTE) });
    const { id, status } = await publishVideo(stage, account);
    expect(status).toBe('publishing');
    expect(await finalPost(stage, id)).toMatchObject({ status: 'published' });
    expect((await done(stage, `GET /v1/posts/logs?post_id=${id}`)).data).toHaveLength(1);
  },

  async 'an upload that is cut goes on with the part it stopped at'(stage) {
    const { account } = await connect(stage, 0);
    await stage.hear();
    const large = await stage.upload('a.png', 'image/png', png(3, 2, 300_000));
    const small = await stage.upload('b.png', 'image/png', png());
    const input = { text: 'Five parts', account_ids: [account], media_ids: [large, small] };
    const scheduled_at = new Date(stage.world.clock.now() + 1000).toISOString();
    const { id } = await done(stage, 'POST /v1/posts', { ...input, scheduled_at });
    stage.mortality.arm('publish.request.answered', 3);
    stage.gate.arm();
    await stage.world.pass(1000);
    await finalPost(stage, id);
    const parts = stage.gate.calls().filter((call) => call.includes('/parts/'));
    // The third request was the second part: its answer was not written down.
    expect(parts.map((call) => /parts\/(\d)/.exec(call)![1])).toEqual(['0', '1', '1', '2', '3', '4', '0']);
  },

  async 'a photo is fetched from an address of ours, with what the settings say of us'(stage) {
    const { account } = await connect(stage, 0);
    const media = await stage.upload('a.png', 'image/png', png());
    const input = { text: 'Look', title: 'Rye', account_ids: [account], media_ids: [media], publish_now: true };
    expect(await done(stage, 'POST /v1/posts', input)).toMatchObject({ status: 'published' });
    expect(await list(stage, 'blob')).toMatchObject([{ mime: 'image/png', size: png().length }]);
    const [{ title, partner, media: shown }] = (await list(stage, 'post')) as [Json];
    expect([title, partner]).toEqual(['Rye', PARTNER.sandbox]);
    expect(new URL(shown[0].photo).pathname).toMatch(/^\/media\//);
  },

  async 'a cover inside the options is fetched from an address of ours, and has to be a picture'(stage) {
    const { account } = await connect(stage, 0);
    const withCover = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer>) => ({
      text: 'Covered',
      account_ids: [account],
      platform_data: { [SLUG]: { cover: { source: await stage.upload(name, type, bytes), source_type: 'media_id' } } },
    });
    const post = { ...(await withCover('a.png', 'image/png', png())), publish_now: true };
    expect(await done(stage, 'POST /v1/posts', post)).toMatchObject({ status: 'published' });
    expect(new URL((await list(stage, 'post'))[0].cover[0]).pathname).toMatch(/^\/media\//);
    const { errors } = await done(stage, 'POST /v1/posts/validate', await withCover('a.wav', 'audio/wav', wav));
    expect(errors.map(({ field }: Json) => field)).toEqual(['platform_data']);
  },

  async 'its rules for titles, links and documents are shown, and posts are held to them'(stage) {
    const { account } = await connect(stage, 0);
    const constraints = (await done(stage, `GET /v1/posts/validate`)).data;
    expect(constraints[SLUG]).toMatchObject({
      text: { max_links: 2 },
      title: { supported: true, required: false, max_length: 40 },
      media: { supported_document_types: ['application/pdf'] },
      board: { required: false },
    });
    const text = 'https://a.example https://b.example https://c.example #a #b #c #d @a @b @c';
    const document = await stage.upload('a.pdf', 'application/pdf', pdf);
    const sound = await stage.upload('a.wav', 'audio/wav', wav);
    const account_ids = [account];
    const check = async (input: object): Promise<readonly string[]> =>
      (await done(stage, 'POST /v1/posts/validate', { account_ids, ...input })).errors.map(({ field }: Json) => field);
    const wrong = await check({ text, title: 'T'.repeat(41), media_ids: [sound] });
    // One link, one hashtag and one mention too many.
    expect(wrong.toSorted()).toEqual(['media.0', 'text', 'text', 'text', 'title']);
    expect(await check({ text: '👨‍👩‍👧'.repeat(200) })).toEqual(['text']);
    const input = { text: 'Read this', title: 'T'.repeat(40), media_ids: [document] };
    expect(await check(input)).toEqual([]);
    const post = await done(stage, 'POST /v1/posts', { ...input, account_ids, publish_now: true });
    expect(post.status).toBe('published');
  },

  async 'a quota that is used up is refused before anything is sent'(stage) {
    const { account } = await connect(stage, 0);
    const ask = () => stage.rest(`GET /v1/accounts/${account}/creator-info`);
    for (let left = 2; left >= 0; left -= 1) {
      expect((await ask()).status).toBe(200);
      expect(await done(stage, `GET /v1/accounts/${account}/limits`)).toMatchObject({ lookups_remaining: left });
    }
    stage.gate.arm();
    const { status, body } = await ask();
    expect([status, body.error.code, stage.gate.passed()]).toEqual([429, `platform.${SLUG}.rate_limit`, 0]);
    await stage.world.pass(DAY);
    expect((await ask()).status).toBe(200);
  },

  async 'a post is known by the id it gets later'(stage) {
    const { account } = await connect(stage, 0);
    await stage.hear();
    await act(stage, 'settings', { push_paused: 'true' });
    const { id, results } = await publishVideo(stage, account);
    expect(results[0].platform_post_id).toMatch(/^t-/);
    await act(stage, 'flush', {});
    await stage.hear();
    const post = await done(stage, `GET /v1/posts/${id}`);
    expect(post.results[0].platform_post_id).toMatch(/^9\d{16}$/);
    expect((await done(stage, `GET /v1/posts/${id}/metrics`)).data.results[0].metrics).toMatchObject({
      likes: 3,
      shares: 1,
    });
    expect((await done(stage, `POST /v1/posts/${id}/unpublish`)).unpublished_count).toBe(1);
  },

  async 'a subscription is renewed before its end, and made again when the platform drops it'(stage) {
    await connect(stage, 0);
    await stage.hear();
    const { until, id: profile } = await subscriptionOf(stage);
    await stage.world.pass(9 * DAY);
    expect((await subscriptionOf(stage)).until).toBeGreaterThan(until);
    await act(stage, 'end_subscription', { profile });
    for (let hours = 0; hours < 3; hours += 1) await stage.world.pass(HOUR);
    expect((await subscriptionOf(stage)).ended).toBeUndefined();
  },
};

/** The same, with a post, a comment and a conversation. */
export const scenes: Readonly<Record<string, (stage: Stage, scene: Scene) => Promise<void>>> = {
  async 'what is not pushed is polled, and what is pushed with a wrong signature is refused'(stage, scene) {
    const { page: stall } = scene;
    const texts = () => textsOf(stage, scene);
    const polls = () => stage.gate.calls().filter((call) => call.includes('/events')).length;
    await act(stage, 'settings', { push_wrong_signature: 'true' });
    await act(stage, 'message', { stall, text: 'Forged' });
    await stage.world.settle();
    expect(await texts()).not.toContain('Forged');
    expect(stage.world.log.some((line) => line.includes('"status":403'))).toBe(true);
    await act(stage, 'settings', { push_wrong_signature: 'false', takes_no_subscriptions: 'true' });
    // The quota paces the one poll that follows a new subscription, too.
    for (let minutes = 0; minutes < 10; minutes += 1) await stage.hear();
    stage.gate.arm();
    for (let minutes = 0; minutes < 5; minutes += 1) await stage.hear();
    expect(polls()).toBe(0);
    await act(stage, 'end_subscription', { profile: (await subscriptionOf(stage)).id });
    for (let hours = 0; hours < 3; hours += 1) await stage.world.pass(HOUR);
    await act(stage, 'message', { stall, text: 'Not pushed' });
    for (let minutes = 0; minutes < 3; minutes += 1) await stage.hear();
    expect(polls()).toBeGreaterThan(0);
    // 240 polls a day are half of what is left: there is one every six minutes.
    stage.gate.arm();
    for (let minutes = 0; minutes < 20; minutes += 1) await stage.hear();
    expect(polls()).toBeGreaterThan(1);
    expect(polls()).toBeLessThan(6);
    expect(await texts()).toContain('Not pushed');
  },

  async 'a conversation goes on under the other id that it is given'(stage, scene) {
    const { page: stall } = scene;
    await act(stage, 'call_otherwise', { stall });
    await act(stage, 'message', { stall, text: 'Still me' });
    await stage.hear();
    expect(await textsOf(stage, scene)).toContain('Still me');
    expect((await done(stage, 'GET /v1/inbox/conversations')).data).toHaveLength(1);
    await done(stage, `POST /v1/inbox/conversations/${scene.conversation}/messages`, { text: 'Good' });
  },

  async 'a photo behind the login opens at an address of ours'(stage, scene) {
    await act(stage, 'message', { stall: scene.page, text: 'Look', photo: png().toString('base64') });
    await stage.hear();
    const path = `GET /v1/inbox/conversations/${scene.conversation}/messages` as const;
    const { data } = await done(stage, path);
    const { attachments } = data.find(({ text }: Json) => text === 'Look');
    expect(attachments[0].url).toContain(stage.world.root);
    const photo = await fetch(attachments[0].url);
    expect(Buffer.from(await photo.arrayBuffer()).equals(png())).toBe(true);
    for (const secret of stage.gate.secrets) expect(JSON.stringify(data)).not.toContain(secret);
  },

  async 'a message that gets lost on the way has failed'(stage, scene) {
    const receiver = await stage.world.receive(['dm.status.failed']);
    const [thread] = await list(stage, 'thread');
    await act(stage, 'settings', { loses_messages: thread.person });
    await done(stage, `POST /v1/inbox/conversations/${scene.conversation}/messages`, { text: 'Anybody?' });
    await stage.hear();
    expect(receiver.received.map(({ body }) => body.event)).toEqual(['dm.status.failed']);
  },

  async 'a page that refuses keeps no other one back'(stage, { account, page }) {
    const [, other] = (await done(stage, `GET /v1/accounts/${account}/pages`)).data;
    const targets = [{ account_id: account, page_id: other.id }];
    await done(stage, 'POST /v1/posts', { text: 'On the other one', targets, publish_now: true });
    await act(stage, 'settings', { closed_stalls: page });
    await done(stage, `POST /v1/accounts/${account}/sync`);
    await act(stage, 'settings', { closed_stalls: `${page},${other.platform_page_id}` });
    await stage.world.pass(HOUR);
    const { status, body } = await stage.rest(`POST /v1/accounts/${account}/sync`);
    expect([status, body.error.code]).toEqual([403, `platform.${SLUG}.permission_denied`]);
  },

  async 'comments that nobody can list are answered from what was pushed, and acted upon'(stage, { post, comment }) {
    const place = `/v1/inbox/comments/${post}/${comment}` as const;
    for (const what of ['like', 'hide'] as const) {
      await done(stage, `POST ${place}/${what}`);
      await done(stage, `DELETE ${place}/${what}`);
    }
    await done(stage, `POST /v1/inbox/comments/${post}`, { text: 'It is.', comment_id: comment });
    await done(stage, `POST ${place}/private-reply`, { text: 'Between us' });
    expect((await done(stage, `GET ${place}/replies`)).data.map(({ text }: Json) => text)).toEqual(['It is.']);
    await done(stage, `DELETE ${place}`);
  },

  async 'mentions and reviews are listed and answered'(stage, { account, page, conversation }) {
    await act(stage, 'mention', { stall: page, text: 'I was there' });
    await act(stage, 'review', { stall: page, text: 'Good bread' });
    await stage.hear();
    const { data: mentions } = await done(stage, `GET /v1/accounts/${account}/mentions`);
    await done(stage, `POST /v1/accounts/${account}/mentions/reply`, { mention_id: mentions[0].id, text: 'Thanks' });
    const { data: reviews } = await done(stage, `GET /v1/inbox/reviews?account_id=${account}`);
    await done(stage, `POST /v1/inbox/reviews/${reviews[0].id}/reply`, { text: 'Come again' });
    await done(stage, `DELETE /v1/inbox/reviews/${reviews[0].id}/reply`);
    await done(stage, `POST /v1/inbox/conversations/${conversation}/read`);
    await done(stage, `GET /v1/accounts/${account}/creator-info`);
    expect(await done(stage, `GET /v1/accounts/${account}/limits`)).toEqual({
      posts_remaining: 39,
      lookups_remaining: 2,
      polls_remaining: 239,
    });
  },
};
