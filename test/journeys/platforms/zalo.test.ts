import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { gif, mp4, pdf, png } from '../../harness/media-samples.ts';
import {
  accountNow,
  heardBy,
  list,
  openThread,
  postNow,
  publish,
  read,
  refusalOf,
  sync,
} from '../../harness/calls/rest.ts';
import { openConnectPage } from '../../harness/calls/stand-ins.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { FRED, OLIVIA, SAM, standInOf } from './stand-in.ts';

const EVENTS = [
  'account.disconnected',
  'dm.received',
  'dm.sent',
  'dm.postback',
  'dm.status.delivered',
  'dm.status.read',
  'dm.status.failed',
  'post.published',
];
const SEND = 'POST /v3.0/oa/message/cs';
const TOKEN = 'POST /v4/oa/access_token';

/** An official account to which somebody has written. */
async function sceneIn(world: World) {
  const zalo = standInOf(world, 'zalo', '/v4/oa/permission');
  const receiver = await world.receive(EVENTS);
  const account = await zalo.connect(OLIVIA);
  await zalo.does('write', { person: FRED, account: OLIVIA, text: 'Are you open?' });
  const tokens = await zalo.calls(TOKEN);
  return {
    zalo,
    account,
    /** How often the login was refreshed since. */
    refreshes: async () => (await zalo.calls(TOKEN)) - tokens,
    ...(await openThread(world)),
    threads: () => list(world, '/v1/inbox/conversations'),
    heard: heardBy(receiver),
    statusOf: async () => (await accountNow(world, account)).status,
    post: (input: object) => publish(world, account, { title: 'Bread', ...input }),
    photo: () => zalo.upload('a.png', 'image/png', png()),
  };
}

describe('the login', () => {
  it('answers HTTP 200 with -216: it is refreshed once, and the message is sent once', async ({ world }) => {
    const { zalo, say, refreshes, statusOf } = await sceneIn(world);
    await zalo.act('order', { method: SEND, when: 'before', status: '200', error: '-216', times: '1' });
    expect((await say({ text: 'Until six.' })).status).toBe(200);
    expect(await refreshes()).toBe(1);
    expect(await statusOf()).toBe('active');
    expect((await zalo.look('messages')).filter(({ text }) => text === 'Until six.')).toHaveLength(1);
  });

  it('answers -216 again after the refresh: the account must be connected again', async ({ world }) => {
    const { zalo, account, say, heard, refreshes, statusOf } = await sceneIn(world);
    await zalo.act('order', { method: SEND, when: 'before', status: '200', error: '-216', times: '2' });
    expect(await refusalOf(say({ text: 'Until six.' }))).toEqual([401, 'platform.zalo.auth']);
    expect(await refreshes()).toBe(1);
    expect(await statusOf()).toBe('reconnect_required');
    expect(heard('account.disconnected').map(({ data }) => data.account_id)).toEqual([account]);
    expect((await say({ text: 'Until six.' })).body.error.code).toBe('account.reconnection_required');
    expect(await refreshes()).toBe(1);
    await zalo.connect(OLIVIA);
    expect(await statusOf()).toBe('active');
  });

  it('has a refresh token that works once: a lost answer ends it, without a loop', async ({ world }) => {
    const { zalo, account, say, heard, refreshes, statusOf } = await sceneIn(world);
    await zalo.act('order', { method: TOKEN, when: 'after', status: '500', error: '-1', times: '1' });
    await world.pass(26 * HOUR);
    expect(await statusOf()).toBe('reconnect_required');
    expect(heard('account.disconnected').map(({ data }) => data.account_id)).toEqual([account]);
    // The answer was asked for once more, with the token that was used up by then.
    expect(await refreshes()).toBe(2);
    expect(await zalo.look('reused')).toHaveLength(1);
    await world.pass(2 * DAY);
    expect((await say({ text: 'Hello?' })).status).toBe(403);
    expect(await refreshes()).toBe(2);
  });

  it('is refreshed once for everything that waits for it', async ({ world }) => {
    const { zalo, account, refreshes, statusOf } = await sceneIn(world);
    world.clock.move(26 * HOUR);
    const answers = await Promise.all([...Array(5)].map(() => world.rest(`GET /v1/accounts/${account}/limits`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect([await refreshes(), await zalo.look('reused')]).toEqual([1, []]);
    await world.pass(30 * DAY);
    expect([await statusOf(), await zalo.look('reused')]).toEqual(['active', []]);
  });

  it('shows two official accounts as two, each with what is written to it', async ({ world }) => {
    const { zalo, account, threads } = await sceneIn(world);
    const other = await zalo.connect(SAM);
    await zalo.does('write', { person: FRED, account: SAM, text: 'And you?' });
    const shown = (await threads()).map(({ account_id }) => account_id as string);
    expect(shown.toSorted()).toEqual([account, other].toSorted());
    await world.rest(`DELETE /v1/accounts/${account}`);
    expect(await read(world, `/v1/accounts/${other}/limits`)).toMatchObject({ messages_remaining: 500 });
  });

  it('says so when the manager declines', async ({ world }) => {
    const ask = { platform: 'zalo', redirect_uri: 'https://app.example.org/done' };
    const begun = await world.rest('POST /v1/accounts/connect', ask);
    const { consents, back } = await openConnectPage(begun.body.auth_url);
    const { searchParams } = new URL(consents[0]!);
    const denied = new URL(searchParams.get('redirect_uri')!);
    const refusal = { error: '-14010', error_description: 'User denied the permission' };
    denied.search = new URLSearchParams({ state: searchParams.get('state')!, ...refusal }).toString();
    const told = await back(denied.href);
    expect(told.get('status')).toBe('error');
    expect(told.get('error')).toContain('platform.zalo.permission_denied');
  });
});

describe('a message', () => {
  it('on the eighth day answers 422, until the person writes again', async ({ world }) => {
    const { zalo, say, heard } = await sceneIn(world);
    await world.pass(7 * DAY - HOUR);
    expect((await say({ text: 'Still there?' })).status).toBe(200);
    await world.pass(2 * HOUR);
    expect(await refusalOf(say({ text: 'Hello?' }))).toEqual([422, 'platform.zalo.not_deliverable']);
    expect(heard('dm.status.failed')).toHaveLength(1);
    await zalo.does('write', { person: FRED, account: OLIVIA, text: 'Yes' });
    expect((await say({ text: 'Good.' })).status).toBe(200);
  });

  it('is not delivered to somebody who refuses, nor beyond the quota, of which is said what is left', async ({
    world,
  }) => {
    const { zalo, account, say } = await sceneIn(world);
    const left = async () => (await read(world, `/v1/accounts/${account}/limits`)).messages_remaining;
    await zalo.act('refuse', { person: FRED, account: OLIVIA, how: 'blocked' });
    expect((await say({ text: 'Hello?' })).body.error.code).toBe('platform.zalo.not_deliverable');
    await zalo.act('refuse', { person: FRED, account: OLIVIA });
    await zalo.act('settings', { free_messages: 'false', paid_messages: '1' });
    expect([await left(), (await say({ text: 'Hello?' })).status, await left()]).toEqual([1, 200, 0]);
    expect((await say({ text: 'Hello!' })).body.error.code).toBe('platform.zalo.publish_limit');
  });

  it('has images, GIFs, files, buttons and quick replies', async ({ world }) => {
    const { zalo, say, heard, photo } = await sceneIn(world);
    const files = [
      await photo(),
      await zalo.upload('a.gif', 'image/gif', gif()),
      await zalo.upload('menu.pdf', 'application/pdf', pdf),
    ];
    const [image, moving, file] = files.map((source, at) => ({
      source,
      source_type: 'media_id',
      type: at === 2 ? 'file' : 'image',
    }));
    const attachments = [{ ...image, caption: 'Rye' }, moving, file];
    const quick_replies = [{ title: 'Yes' }, { title: 'No', payload: 'NO' }];
    const { status, body } = await say({ text: 'Come by?', attachments, quick_replies });
    expect([status, body.message_ids?.length]).toEqual([200, 5]);
    const ours = (await zalo.look('messages')).filter(({ src }) => src === 0);
    expect(ours.map(({ type, text }) => [type, text])).toEqual([
      ['photo', ''],
      ['text', 'Rye'],
      ['gif', ''],
      ['nosupport', ''],
      ['text', 'Come by?'],
    ]);
    expect(ours.at(-1)!.buttons.map(({ type, payload }: Json) => [type, payload])).toEqual([
      ['oa.query.show', 'Yes'],
      ['oa.query.hide', 'NO'],
    ]);
    expect(heard('dm.sent').map(({ data }) => data.platform_id)).toEqual(body.message_ids);
    await zalo.does('press', { message: ours.at(-1)!.id, button: 'No' });
    expect(heard('dm.received').at(-1)!.data).toMatchObject({ content: { text: 'NO' } });
  });

  it('of a person has their name and files; one sent from Zalo itself is reported once', async ({ world }) => {
    const { zalo, threads, messages, heard } = await sceneIn(world);
    expect((await threads())[0]).toMatchObject({ participant_name: 'Fred Follower' });
    const content = png().toString('base64');
    const pair = { person: FRED, account: OLIVIA };
    await zalo.does('write', { ...pair, kind: 'image', content, name: 'bread.png' });
    await zalo.does('write', { ...pair, kind: 'location' });
    await zalo.does('answer', { ...pair, text: 'From the office' });
    const said = await messages();
    const picture = said.find(({ attachments }) => attachments.length > 0);
    expect(picture!.attachments).toMatchObject([{ type: 'image' }]);
    expect((await fetch(picture!.attachments[0].url)).status).toBe(200);
    expect(said).toContainEqual(
      expect.objectContaining({ metadata: { location: { latitude: 10.7769, longitude: 106.7009 } } }),
    );
    expect(said).toContainEqual(expect.objectContaining({ text: 'From the office', direction: 'outgoing' }));
    expect(heard('dm.sent').map(({ data }) => data.platform_id)).toEqual([expect.any(String)]);
    await zalo.does('read', pair);
    expect(heard('dm.status.read')).toHaveLength(1);
  });

  it('of a visitor of a web page is answered where they are', async ({ world }) => {
    const { zalo, threads } = await sceneIn(world);
    const { visitor } = await zalo.does('write_anonymously', { account: OLIVIA, text: 'Hello' });
    const thread = (await threads()).find(({ participant_name: name }) => name === 'Anonymous')!;
    const answer = await world.rest(`POST /v1/inbox/conversations/${thread.id}/messages`, { text: 'Hi' });
    expect(answer.status).toBe(200);
    await world.settle();
    const said = (await zalo.look('messages')).filter(({ parent_id }) => parent_id === visitor);
    expect(said.map(({ src, text }) => [src, text])).toEqual([
      [1, 'Hello'],
      [0, 'Hi'],
    ]);
    expect(await threads()).toHaveLength(2);
  });
});

describe('a push', () => {
  it('is taken by its digest alone, with numbers for texts, in any order, and once', async ({ world }) => {
    const { zalo, messages } = await sceneIn(world);
    const stored = (await messages()).length;
    const write = (text: string) => zalo.does('write', { person: FRED, account: OLIVIA, text });
    await zalo.act('settings', { push_wrong_signature: 'true' });
    await write('Forged');
    expect(await messages()).toHaveLength(stored);
    await zalo.act('settings', { push_wrong_signature: 'false', plain_numbers: 'true', push_duplicate: 'true' });
    await write('Twice');
    expect((await messages()).filter(({ text }) => text === 'Twice')).toHaveLength(1);
  });

  it('with the digest of another secret answers 403 and stores nothing', async ({ world }) => {
    const { messages } = await sceneIn(world);
    const before = await messages();
    const body = JSON.stringify({ app_id: 'sandbox', event_name: 'user_send_text', timestamp: '1' });
    const mac = createHash('sha256').update(`sandbox${body}1another-secret`).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-zevent-signature': `mac=${mac}` };
    expect((await fetch(`${world.root}/push/zalo`, { method: 'POST', headers, body })).status).toBe(403);
    expect(await messages()).toEqual(before);
  });

  it('of a follow is taken, and is nothing', async ({ world }) => {
    const { zalo, threads, heard } = await sceneIn(world);
    await zalo.does('follow', { person: 'mia.sandbox.test', account: OLIVIA });
    await zalo.does('unfollow', { person: 'mia.sandbox.test', account: OLIVIA });
    expect([(await threads()).length, heard('dm.received').length]).toEqual([1, 1]);
    const pushes = await zalo.look('pushes');
    expect(pushes.every(({ state }) => state !== 'failed')).toBe(true);
  });
});

describe('an article', () => {
  it('is hidden while it is made, public once it is shown, listed with its views, and deleted', async ({ world }) => {
    const { zalo, account, heard, post: make, photo } = await sceneIn(world);
    await zalo.act('settings', { article_ms: String(10 * MINUTE) });
    const { body: post } = await make({ text: 'Fresh bread\n\nEvery day', media_ids: [await photo()] });
    expect(post.status).toBe('publishing');
    await world.pass(11 * MINUTE);
    expect((await zalo.look('articles')).map(({ status }) => status)).toEqual(['hide']);
    expect(heard('post.published')).toEqual([]);
    await world.pass(30 * MINUTE);
    const published = await postNow(world, post.id);
    expect(published).toMatchObject({ status: 'published', results: [{ attempts: 1 }] });
    const [{ permalink }] = published.results;
    expect(await (await fetch(permalink)).text()).toContain('Every day');
    expect(heard('post.published')).toHaveLength(1);

    const [{ id }] = (await zalo.look('articles')) as readonly [Json];
    await zalo.act('view', { article: id, likes: '2' });
    await sync(world, account);
    expect(await list(world, '/v1/posts')).toHaveLength(1);
    const metrics = await world.rest(`GET /v1/posts/${post.id}/metrics`);
    expect([metrics.status, JSON.stringify(metrics.body)]).toEqual([200, expect.stringContaining('"views":1')]);
    expect((await world.rest(`POST /v1/posts/${post.id}/unpublish`)).status).toBe(200);
    expect((await fetch(permalink)).status).toBe(404);
  });

  it('of which Zalo says nothing while it is made is asked for until it is there', async ({ world }) => {
    const { zalo, post, photo } = await sceneIn(world);
    await zalo.act('settings', { article_refused: 'true', article_ms: String(10 * MINUTE) });
    const { body: made } = await post({ text: 'Fresh', media_ids: [await photo()] });
    await world.pass(5 * MINUTE);
    expect((await postNow(world, made.id)).status).toBe('publishing');
    for (const minutes of [15, 15, 15]) await world.pass(minutes * MINUTE);
    expect((await postNow(world, made.id)).status).toBe('published');
  });

  it('that Zalo cannot make fails, and leaves nothing public', async ({ world }) => {
    const { zalo, post, photo } = await sceneIn(world);
    await zalo.act('settings', { article_failure: 'cover is invalid' });
    const { body: made } = await post({ text: 'Fresh', media_ids: [await photo()] });
    await world.pass(MINUTE);
    expect((await postNow(world, made.id)).status).toBe('failed');
    expect(await zalo.look('articles')).toEqual([]);
  });

  it('of a video waits for its conversion, and fails where Zalo cannot convert it', async ({ world }) => {
    const { zalo, post, photo } = await sceneIn(world);
    const film = mp4({ tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
    const input = {
      text: 'How we bake',
      media_ids: [await zalo.upload('a.mp4', 'video/mp4', film)],
      platform_data: { zalo: { cover: { source: await photo(), source_type: 'media_id' } } },
    };
    await zalo.act('settings', { video_ms: String(20 * MINUTE) });
    const { body: made } = await post(input);
    await world.pass(10 * MINUTE);
    expect((await postNow(world, made.id)).status).toBe('publishing');
    // The article is made and then shown, and each of it is waited for.
    for (const minutes of [20, 1, 1]) await world.pass(minutes * MINUTE);
    expect(await postNow(world, made.id)).toMatchObject({ status: 'published', results: [{ attempts: 1 }] });
    await zalo.act('settings', { video_status: '2', video_ms: '0' });
    const { body: failed } = await post({ ...input, text: 'Again' });
    await world.pass(5 * MINUTE);
    expect((await postNow(world, failed.id)).status).toBe('failed');
    expect(await zalo.look('articles')).toHaveLength(1);
  });

  it('is refused before anything is sent without a title, a picture or a cover', async ({ world }) => {
    const { account, photo } = await sceneIn(world);
    const media_ids = [await photo()];
    const issuesOf = async (input: object) => {
      const ask = { target: account, account_ids: [account], ...input };
      return JSON.stringify((await world.rest('POST /v1/posts/validate', ask)).body);
    };
    expect(await issuesOf({ text: 'Fresh', media_ids })).toContain('title');
    expect(await issuesOf({ title: 'Bread', text: 'Fresh' })).toContain('media');
  });
});
