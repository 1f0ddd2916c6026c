import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { mp4, png } from '../../harness/media-samples.ts';
import { twitter } from '#platforms/twitter/index.ts';
import {
  accountNow,
  list,
  openThread,
  postNow,
  publish as publishOn,
  read,
  refusalOf,
  sync,
} from '../../harness/calls/rest.ts';
import { it, makeWorld, type Json, type World } from '../../harness/world.ts';
import { credentialsOf } from '../../platforms/conformance/subjects/twitter.ts';
import { enlarged, FRED, MIA, OLIVIA, SAM, standInOf } from './stand-in.ts';

const TOKEN = 'POST /2/oauth2/token';
const POST = 'POST /2/tweets';
const LISTS = ['GET /2/tweets/search/recent', 'GET /2/users/{id}/mentions', 'GET /2/dm_events'];

/** X with the app of one of its people stored for the workspace; with its consumer pair it pushes. */
async function sceneIn(world: World, { isPushed = false, isConnected = true } = {}) {
  const x = standInOf(world, 'twitter', '/i/oauth2/authorize');
  const [olivias, sams] = (await x.look('apps')) as readonly [Json, Json];
  const store = (app: Json, path = '') =>
    world.rest(`PUT /v1/platforms/twitter/credentials${path}`, credentialsOf(app, isPushed));
  if (isConnected) await store(olivias);
  const account = isConnected ? await x.connect(OLIVIA) : '';
  await world.settle();
  const publish = (text: string, more: object = {}) => publishOn(world, account, { text, ...more });
  /** Lets time pass, minute by minute; what is polled is heard. */
  const pass = async (ms: number, step = 2 * MINUTE) => {
    for (let past = 0; past < ms; past += step) await world.pass(step);
  };
  const polls = async () => (await Promise.all(LISTS.map((list) => x.calls(list)))).reduce((sum, n) => sum + n, 0);
  const shown = () => accountNow(world, account);
  const made = async (words: string) => (await x.look('posts')).filter((one) => one.words === words);
  return { x, olivias, sams, store, account, publish, pass, polls, shown, made };
}

describe('the app of a customer', () => {
  it('is needed on every plan, that of the brand before that of the workspace', async ({ world }) => {
    const { x, olivias, sams, store } = await sceneIn(world, { isConnected: false });
    const { status, body } = await world.rest('POST /v1/accounts/connect', { platform: 'twitter' });
    expect([status, body.error.code]).toEqual([412, 'byok.credentials_missing']);
    expect(body.error.message).toContain(
      `an app that ${world.root}/sandbox/twitter shows with set_twitter_credentials`,
    );
    await store(olivias);
    await store(sams, `/brand/${world.brandId}`);
    const asked = await world.rest('POST /v1/accounts/connect', { platform: 'twitter', brand_id: world.brandId });
    const page = await (await fetch(asked.body.auth_url)).text();
    expect([page.includes(sams.id), page.includes(olivias.id)]).toEqual([true, false]);
    await x.connect(SAM);
    expect(await list(world, '/v1/accounts')).toMatchObject([{ username: 'sam', metadata: { byok_source: 'user' } }]);
  });

  it('is kept by accounts until they are connected again, and takes them along when it is removed', async ({
    world,
  }) => {
    const { x, olivias, sams, store, publish, shown } = await sceneIn(world);
    const tested = await world.rest('POST /v1/platforms/twitter/credentials/test');
    expect(tested.body).toEqual({ valid: true, reason: null });
    await store(sams);
    const before = await x.calls(TOKEN);
    await world.pass(2 * HOUR);
    expect((await publish('Still with the old app')).body.status).toBe('published');
    expect((await x.calls(TOKEN)) - before).toBe(1);
    expect((await x.look('posts')).at(-1)).toMatchObject({ client: olivias.id });
    expect((await world.rest('DELETE /v1/platforms/twitter/credentials')).status).toBe(200);
    expect(await shown()).toMatchObject({ status: 'reconnect_required' });
    expect((await publish('Not any more')).body.error.code).toBe('account.reconnection_required');
  });

  it('is tested at X, each pair by itself', async ({ world }) => {
    const { olivias } = await sceneIn(world, { isPushed: true });
    const test = async (ask?: object) => (await world.rest('POST /v1/platforms/twitter/credentials/test', ask)).body;
    expect(await test()).toEqual({ valid: true, reason: null });
    const { id: client_id, client_secret } = olivias;
    expect(await test({ client_id, client_secret: 'wrong' })).toMatchObject({ valid: false });
    expect(await test({ client_id: 'nobody', client_secret })).toMatchObject({ valid: false });
    const wrong = { ...credentialsOf(olivias), consumer_secret: 'wrong' };
    await world.rest('PUT /v1/platforms/twitter/credentials', wrong);
    expect(await test()).toMatchObject({ valid: false });
  });

  it('has its secrets in no answer, no log and no column', async ({ world }) => {
    const { x, olivias, publish, pass } = await sceneIn(world, { isPushed: true });
    await x.does('reply', { person: FRED, post: (await x.look('posts'))[0]?.id ?? '', text: 'Hm' }).catch(() => {});
    await publish('Nothing to hide');
    await pass(7 * HOUR, HOUR);
    const { db } = world.product.store;
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    const rows = await Promise.all(tables.map((name) => sql`select * from ${sql.table(name)}`.execute(db)));
    const answers = await Promise.all(
      ['/platforms/twitter/credentials', '/accounts', '/posts', '/events'].map((path) => world.rest(`GET /v1${path}`)),
    );
    const everything = JSON.stringify([rows.map((one) => one.rows), answers.map(({ body }) => body), world.log]);
    const { client_secret, consumer_key, consumer_secret, bearer } = olivias;
    for (const secret of [client_secret, consumer_key, consumer_secret, bearer])
      expect(everything).not.toContain(secret);
  });
});

describe('posts', () => {
  it('are refused as duplicates of others, and found where they are their own', async ({ world }) => {
    const { x, publish, pass, made } = await sceneIn(world);
    await x.does('post', { account: OLIVIA, text: 'Said already' });
    await world.pass(10 * MINUTE);
    expect((await publish('Said already')).body.results[0].error_code).toBe('platform.twitter.duplicate');
    // It was made, its answer got lost, the list lags, and somebody has it tried again.
    await x.act('settings', { list_lag_ms: String(30 * MINUTE) });
    await x.act('order', { method: POST, when: 'after', status: '500', times: '1' });
    const { id } = (await publish('Lost: bakery.example.org/a?b=1&c=2 <3')).body;
    for (let n = 0; n < 60; n += 1) await world.pass(MINUTE);
    expect((await postNow(world, id)).status).toBe('failed');
    await world.rest(`POST /v1/posts/${id}/retry`);
    await pass(4 * MINUTE);
    expect((await postNow(world, id)).status).toBe('published');
    expect(await made('Lost: bakery.example.org/a?b=1&c=2 <3')).toHaveLength(1);
  });

  it('that somebody made just before are never taken for one whose answer got lost', async ({ world }) => {
    const { x, publish, pass, made } = await sceneIn(world);
    await x.does('post', { account: OLIVIA, text: 'Open today' });
    await world.pass(20_000);
    await x.act('order', { method: POST, when: 'before', status: '500', times: '1' });
    const { id } = (await publish('Open today')).body;
    await pass(60 * MINUTE);
    const [result] = (await postNow(world, id)).results;
    expect([result.status, result.platform_post_id]).toEqual(['failed', null]);
    await x.does('post', { account: OLIVIA, text: 'And tomorrow' });
    await world.pass(20_000);
    expect((await publish('And tomorrow')).body.results[0].error_code).toBe('platform.twitter.duplicate');
    expect([await made('Open today'), await made('And tomorrow')]).toMatchObject([[{}], [{}]]);
  });

  it('show pictures and films once X has worked on them', async ({ world }) => {
    const { x, publish, made } = await sceneIn(world);
    await x.act('settings', { processing_ms: '90000' });
    const film = await x.upload('a.mp4', 'video/mp4', mp4({ tracks: [{ handler: 'vide', width: 1280, height: 720 }] }));
    const { body } = await publish('A film', { media_ids: [film] });
    expect(body.status).toBe('publishing');
    for (let n = 0; n < 10; n += 1) await world.pass(30_000);
    expect((await postNow(world, body.id)).status).toBe('published');
    expect(await made('A film')).toMatchObject([{ media: [expect.any(String)] }]);
    await x.act('settings', { processing_fails: 'true', processing_ms: '0' });
    const failed = await publish('No film', { media_ids: [film] });
    expect(failed.body.results[0].error_code).toBe('platform.twitter.invalid_request');
    await x.act('settings', { processing_ms: '90000' });
    const before = await x.calls('POST /2/media/upload/initialize');
    const late = await publish('No film later', { media_ids: [film] });
    for (let n = 0; n < 10; n += 1) await world.pass(30_000);
    expect((await postNow(world, late.body.id)).results[0].error_code).toBe('platform.twitter.invalid_request');
    expect(await x.calls('POST /2/media/upload/initialize')).toBe(before + 1);
    const images = await Promise.all([1, 2, 3, 4].map((n) => x.upload(`${n}.png`, 'image/png', png(3, 2, n))));
    const alts = ['Bread', null, null, 'Rolls'];
    const four = await publish('Four', { media_ids: images, platform_data: { twitter: { alts } } });
    expect(four.body.status).toBe('published');
    const shown = new Set((await made('Four')).flatMap(({ media }) => media));
    const texts = (await x.look('media')).flatMap(({ id, alt }) => (shown.has(id) ? [alt] : []));
    expect(texts).toEqual(['Bread', undefined, undefined, 'Rolls']);
  });

  it('send large films in parts that X lets through', async ({ world }) => {
    const { x, publish, made } = await sceneIn(world);
    await x.act('settings', { processing_ms: '0' });
    const film = mp4({ tracks: [{ handler: 'vide', width: 1280, height: 720 }] });
    const { body } = await publish('A long film', {
      media_ids: [await x.upload('a.mp4', 'video/mp4', enlarged(film, 3))],
    });
    expect([body.status, await x.calls('POST /2/media/upload/{id}/append')]).toEqual(['published', 3]);
    expect(await made('A long film')).toMatchObject([{ media: [expect.any(String)] }]);
  });

  it.for([
    [{ text: 'x'.repeat(281) }, 'text'],
    [{ text: '$ONE and $TWO' }, 'text'],
    [{ text: 'Poll?', platform_data: { twitter: { poll: { options: ['a'], duration_minutes: 5 } } } }, 'platform_data'],
    [{ text: 'Who?', platform_data: { twitter: { reply_settings: 'nobody' } } }, 'platform_data'],
  ] as const)('are checked before they are sent: %j', async ([post, field], { world }) => {
    const { account } = await sceneIn(world);
    const { body } = await world.rest('POST /v1/posts/validate', { account_ids: [account], ...post });
    expect(body.errors.map((one: Json) => one.field)).toEqual([expect.stringContaining(field)]);
  });

  it('are listed, measured, and taken away with their thread', async ({ world }) => {
    const { x, account, publish, made } = await sceneIn(world);
    const { body } = await publish('Hot rolls', { segments: [{ text: 'More' }] });
    const id = body.results[0].platform_post_id;
    await x.does('like', { person: FRED, post: id });
    await x.does('repost', { person: MIA, post: id });
    expect(await sync(world, account)).toBe(200);
    expect(JSON.stringify(await read(world, `/v1/posts/${body.id}/metrics`))).toMatch(/"likes":1.*"shares":1/);
    expect((await world.rest(`POST /v1/posts/${body.id}/unpublish`)).status).toBe(200);
    for (const text of ['Hot rolls', 'More']) expect((await made(text))[0]).toHaveProperty('deleted_at');
  });
});

describe('what others say', () => {
  it('is polled within the budget of reads, which says when it is spent', async () => {
    const budgeted = { ...twitter, settings: twitter.settings!.map((one) => ({ ...one, sandbox: '40' })) };
    const world = await makeWorld({ surroundings: { platforms: new Map([[twitter.slug, budgeted]]) } });
    const receiver = await world.receive(['comment.received', 'dm.received', 'mention.received']);
    const { x, publish, pass, polls, shown } = await sceneIn(world);
    const { body } = await publish('Open until six');
    await pass(4 * MINUTE);
    const post = body.results[0].platform_post_id;
    await x.does('reply', { person: FRED, post, text: 'On Sundays?' });
    await x.does('dm', { person: MIA, account: OLIVIA, text: 'Hello', picture: 'true' });
    await x.does('mention', { person: MIA, account: OLIVIA, text: 'the best' });
    await pass(2 * DAY, 6 * HOUR);
    const heard = receiver.received.map(({ body: told }) => [told.event, (told.data as Json)['content']?.text]);
    expect(heard.toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
      ['comment.received', expect.stringContaining('On Sundays?')],
      ['dm.received', 'Hello'],
      ['mention.received', expect.stringContaining('the best')],
    ]);
    for (const round of ['Once', 'Twice']) {
      for (let n = 0; n < 10; n += 1) await x.act('reply', { person: FRED, post, text: `${round} more ${n}` });
      await pass(DAY, 6 * HOUR);
    }
    const spent = await polls();
    await pass(DAY, 6 * HOUR);
    expect([await polls(), (await shown()).metadata.notice]).toEqual([spent, expect.stringContaining('2026-02-01')]);
    await pass(14 * DAY, 2 * DAY);
    expect(await polls()).toBeGreaterThan(spent);
    expect((await shown()).metadata.notice).toBeUndefined();
  });

  it('waits for the next month where X itself says that its reads are spent', async ({ world }) => {
    const { x, olivias, account, publish, pass, shown } = await sceneIn(world);
    await pass(HOUR, 10 * MINUTE);
    await x.act('spend_reads', { app: olivias.id, count: '3000000' });
    await x.act('settings', { credits_gone: 'true' });
    await pass(HOUR, 10 * MINUTE);
    expect((await shown()).metadata.notice).toContain('2026-02-01');
    const refused = refusalOf(world.rest(`POST /v1/accounts/${account}/sync`));
    expect(await refused).toEqual([429, 'platform.twitter.rate_limit']);
    expect((await publish('No credits')).body.results[0].error_code).toBe('platform.twitter.publish_limit');
  });

  it('is read by the names of either description of X', async ({ world }) => {
    const { x, publish } = await sceneIn(world, { isPushed: true });
    const { body } = await publish('Rye today');
    const at = `/v1/inbox/comments/${body.id}` as const;
    const said = await x.does('reply', { person: FRED, post: body.results[0].platform_post_id, text: 'How much?' });
    await x.act('settings', { new_names: 'true' });
    const long = `${'Bread of the oldest kind. '.repeat(20)}The end`;
    await x.does('reply', { person: MIA, post: said, text: long });
    await world.pass(7 * HOUR);
    const [comment] = await list(world, at);
    expect(await list(world, `${at}/${comment.id}/replies`)).toMatchObject([{ text: expect.stringContaining(long) }]);
  });

  it('is answered, hidden and shown; others are answered only when they are in the conversation', async ({ world }) => {
    const { x, publish, made } = await sceneIn(world, { isPushed: true });
    const { body } = await publish('Rye today');
    const at = `/v1/inbox/comments/${body.id}` as const;
    await x.does('reply', { person: FRED, post: body.results[0].platform_post_id, text: 'How much?' });
    const [comment] = await list(world, at);
    expect(comment).toMatchObject({
      text: expect.stringContaining('How much?'),
      author: { name: 'Fred Follower', username: 'fred' },
    });
    const place = `${at}/${comment.id}` as const;
    const answer = (text: string) => world.rest(`POST ${at}`, { text, comment_id: comment.id });
    expect((await answer('Four')).status).toBe(200);
    expect(await list(world, `${place}/replies`)).toMatchObject([{ text: expect.stringMatching(/Four$/) }]);
    expect((await world.rest(`POST ${place}/hide`)).status).toBe(200);
    expect((await made('How much?'))[0]).toMatchObject({ is_hidden: true });
    expect((await world.rest(`DELETE ${place}/hide`)).status).toBe(200);
    const denied = [403, 'platform.twitter.permission_denied'];
    expect(await refusalOf(world.rest(`DELETE ${place}`))).toEqual(denied);
    await x.act('settings', { replies_engage: 'false' });
    expect(await refusalOf(answer('Again'))).toEqual(denied);
    expect(await made('Again')).toEqual([]);
  });
});

describe('messages', () => {
  it('have pictures both ways, opened at an address of ours, and are refused where X delivers none', async ({
    world,
  }) => {
    const { x } = await sceneIn(world, { isPushed: true });
    await x.does('dm', { person: FRED, account: OLIVIA, text: 'Look', picture: 'true' });
    const { messages, say } = await openThread(world);
    const [{ attachments }] = (await messages()) as readonly [Json];
    expect((await fetch(attachments[0].url)).status).toBe(200);
    const picture = { source: await x.upload('a.png', 'image/png', png()), source_type: 'media_id', type: 'image' };
    expect(await refusalOf(say({ text: 'This one', attachments: [picture] }))).toEqual([200, undefined]);
    const own = (await x.look('messages')).slice(1);
    expect(own.map(({ text, media }) => [text, media !== undefined])).toEqual([
      ['', true],
      ['This one', false],
    ]);
    await x.act('shut_out', { person: FRED, shut: 'true' });
    expect(await refusalOf(say({ text: 'Hello?' }))).toEqual([422, 'platform.twitter.not_deliverable']);
  });
});

describe('pushes', () => {
  it('reach the accounts of the app whose secret signed them, and no others', async ({ world }) => {
    const { x, olivias, pass, polls } = await sceneIn(world, { isPushed: true });
    const receiver = await world.receive(['dm.received']);
    // One poll follows a new subscription.
    await pass(20 * MINUTE);
    const before = await polls();
    await x.does('dm', { person: FRED, account: OLIVIA, text: 'Pushed' });
    expect(receiver.received.map(({ body }) => (body.data as Json)['content'].text)).toEqual(['Pushed']);
    await pass(20 * MINUTE);
    expect(await polls()).toBe(before);
    await x.act('settings', { push_wrong_signature: 'true' });
    await x.does('dm', { person: FRED, account: OLIVIA, text: 'Forged' });
    expect(receiver.received).toHaveLength(1);
    const { db } = world.product.store;
    const { app_id } = await db.selectFrom('accounts').select('app_id').executeTakeFirstOrThrow();
    /** Asks at an address, as somebody does who knows a secret. */
    const ask = async (path: string, secret: string) => {
      const data = { event_type: 'dm.received', filter: { user_id: '1' }, payload: {} };
      const body = JSON.stringify({ data });
      const mac = createHmac('sha256', secret).update(body).digest('base64');
      const headers = { 'content-type': 'application/json', 'x-twitter-webhooks-signature': `sha256=${mac}` };
      return (await fetch(`${world.root}/push/twitter${path}`, { method: 'POST', headers, body })).status;
    };
    expect(await ask(`/${app_id}`, olivias.consumer_secret)).toBe(200);
    expect(await ask(`/${app_id}`, olivias.consumer_key)).toBe(403);
    expect(await ask('/app_none', olivias.consumer_secret)).toBe(404);
    const crc = await fetch(`${world.root}/push/twitter/${app_id}?crc_token=abc`);
    const token = createHmac('sha256', olivias.consumer_secret).update('abc').digest('base64');
    expect(await crc.json()).toEqual({ response_token: `sha256=${token}` });
  });

  it('are not signed for whoever asks', async ({ world }) => {
    const { x } = await sceneIn(world, { isPushed: true });
    await x.does('dm', { person: FRED, account: OLIVIA, text: 'Hello' });
    const sent = (await x.look('pushes')).find(({ body }) => body.includes('dm.received'))!;
    const [address] = sent.url.split('#');
    /** Has the answer of the handshake stand as the signature of a body. */
    const forge = async (body: string) => {
      const asked = await fetch(`${address}?crc_token=${encodeURIComponent(body)}`);
      const { response_token = 'sha256=' } = (await asked.json()) as Json;
      const headers = { 'content-type': 'application/json', 'x-twitter-webhooks-signature': response_token };
      return [asked.status, (await fetch(address, { method: 'POST', headers, body })).status];
    };
    expect(await forge(sent.body.replace('Hello', 'Send money'))).toEqual([403, 403]);
    expect(await forge('123')).toEqual([200, 403]);
    await world.settle();
    expect(await (await openThread(world)).messages()).toMatchObject([{ text: 'Hello' }]);
  });

  it('end with the account, also what was subscribed to before the last renewal', async ({ world }) => {
    const { x, account, pass } = await sceneIn(world, { isPushed: true });
    await pass(11 * HOUR, HOUR);
    expect((await x.look('subscriptions')).map(({ event }) => event)).toContain('oauth.revoke');
    expect((await world.rest(`DELETE /v1/accounts/${account}`)).status).toBe(200);
    await world.settle();
    expect(await x.look('subscriptions')).toEqual([]);
  });

  it('are found again among more than a page of them', async ({ world }) => {
    const { x, pass } = await sceneIn(world, { isPushed: true });
    const before = (await x.look('subscriptions')).map(({ id }) => id);
    await x.act('settings', { subscriptions_listed: '4' });
    await pass(11 * HOUR, HOUR);
    expect((await x.look('subscriptions')).map(({ id }) => id)).toEqual(before);
    expect(await x.calls('POST /2/activity/subscriptions')).toBe(before.length);
  });

  it('are not looked for beyond the page that has all of them', async ({ world }) => {
    const { x, pass } = await sceneIn(world, { isPushed: true });
    await x.connect(SAM);
    await world.settle();
    await x.act('settings', { subscriptions_listed: '6' });
    const before = await x.calls('GET /2/activity/subscriptions');
    await pass(5 * HOUR, HOUR);
    expect((await x.calls('GET /2/activity/subscriptions')) - before).toBe(3);
  });

  it('end when access is lost, which X would bill on', async ({ world }) => {
    const { x, pass, shown } = await sceneIn(world, { isPushed: true });
    expect(await x.look('subscriptions')).not.toEqual([]);
    await x.act('order', { method: TOKEN, when: 'before', status: '400', error: 'invalid_request', times: '1' });
    await pass(4 * HOUR, HOUR);
    expect(await shown()).toMatchObject({ status: 'reconnect_required' });
    expect(await x.look('subscriptions')).toEqual([]);
    await x.connect(OLIVIA);
    await world.settle();
    expect(await x.look('subscriptions')).toHaveLength(6);
  });

  it('end with the credentials of the app, and with the brand that they are stored for', async ({ world }) => {
    const { x, sams, store } = await sceneIn(world, { isPushed: true });
    expect((await world.rest('DELETE /v1/platforms/twitter/credentials')).status).toBe(200);
    expect(await x.look('subscriptions')).toEqual([]);
    const { body: brand } = await world.rest('POST /v1/brands', { name: 'Bakery' });
    await store(sams, `/brand/${brand.id}`);
    await x.connect(SAM, undefined, brand.id);
    await world.settle();
    expect(await x.look('subscriptions')).toHaveLength(6);
    expect((await world.rest(`DELETE /v1/brands/${brand.id}`)).status).toBe(200);
    expect(await x.look('subscriptions')).toEqual([]);
    expect(await x.calls('POST /2/oauth2/revoke')).toBe(1);
  });
});
