import { HOUR } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FRED, OLIVIA, openXWorld, SAM, type XApp, type XWorld } from '../../harness/worlds/twins/twitter.ts';
import { png } from '../../harness/media-samples.ts';
import type { Json } from '../../harness/world.ts';

let world: XWorld;
let token: string;
let me: string;
let fred: string;
beforeAll(async () => {
  world = await openXWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  token = await world.login();
  [me, fred] = [await world.id(OLIVIA), await world.id(FRED)];
});
afterAll(() => world.close());

const send = (to: string, body: object, access = token) =>
  world.call('POST', `/2/dm_conversations/with/${to}/messages`, access, body as Record<string, string>);

describe('direct messages', () => {
  it('are sent, and listed for 30 days', async () => {
    const heard = await world.act('dm', { person: FRED, account: OLIVIA, text: 'Are you open? https://example.com' });
    const said = await send(fred, { text: 'Yes' });
    const conversation = [me, fred].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)).join('-');
    expect([said.status, said.json.data]).toEqual([
      201,
      { dm_conversation_id: conversation, dm_event_id: expect.stringMatching(/^\d+$/) },
    ]);
    const fields = 'id,text,event_type,created_at,dm_conversation_id,sender_id,attachments';
    const asked = { 'dm_event.fields': fields, expansions: 'sender_id', event_types: 'MessageCreate' };
    const { json } = await world.get('/2/dm_events', token, asked);
    expect(json.data).toMatchObject([
      { id: said.json.data.dm_event_id, text: 'Yes', sender_id: me, dm_conversation_id: conversation },
      { id: heard, text: expect.stringContaining('https://t.co/'), sender_id: fred },
    ]);
    expect(json.includes.users.map(({ username }: Json) => username)).toEqual(['olivia', 'fred']);
    const more = (await world.get(`/2/dm_conversations/${conversation}/dm_events`, token, { max_results: '1' })).json;
    const next = { max_results: '1', pagination_token: more.meta.next_token };
    expect((await world.get(`/2/dm_conversations/with/${fred}/dm_events`, token, next)).json.data[0].id).toBe(heard);
    const other = await world.login(SAM);
    expect((await world.get(`/2/dm_conversations/${conversation}/dm_events`, other)).status).toBe(403);
    world.clock.move(31 * 24 * HOUR);
    expect((await world.get('/2/dm_events', await world.login())).json).toEqual({ meta: { result_count: 0 } });
  });

  it('carry one file, which is behind the log-in', async () => {
    const { id } = (await world.upload(token, png(), 'image/png', 'dm_image')).json.data;
    const file = { media_id: id };
    expect((await send(fred, { attachments: [file, file] })).status).toBe(400);
    expect((await send(fred, {})).status).toBe(400);
    const post = (await world.upload(token, png(), 'image/png', 'tweet_image')).json.data.id;
    expect((await send(fred, { attachments: [{ media_id: post }] })).status).toBe(400);
    expect((await send(fred, { attachments: [file] })).status).toBe(201);
    const asked = { 'dm_event.fields': 'attachments', expansions: 'attachments.media_keys', 'media.fields': 'url' };
    const { json } = await world.get('/2/dm_events', token, asked);
    const [{ url, media_key }] = json.includes.media;
    expect(json.data[0].attachments.media_keys).toEqual([media_key]);
    expect((await fetch(url)).status).toBe(401);
    const shown = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect([shown.headers.get('content-type'), Buffer.from(await shown.arrayBuffer())]).toEqual(['image/png', png()]);
    expect((await fetch(url, { headers: { authorization: `Bearer ${await world.login(SAM)}` } })).status).toBe(403);
  });

  it('do not reach who shuts them out', async () => {
    await world.act('shut_out', { person: FRED, account: OLIVIA, shut: true });
    expect((await send(fred, { text: 'Hello?' })).json.detail).toContain('You do not have permission to DM');
    expect((await send('1', { text: 'Hello?' })).status).toBe(403);
    await world.act('shut_out', { person: FRED, account: OLIVIA, shut: false });
  });
});

describe('webhooks', () => {
  let app: XApp;
  let bearer: string;
  let hook: string;
  beforeEach(async () => {
    app = await world.own();
    bearer = await world.bearer(app);
    const made = await world.call('POST', '/2/webhooks', bearer, { url: `${world.app.url}/push/twitter` });
    hook = made.json.data.id;
    expect(made.json.data).toMatchObject({ valid: true, url: `${world.app.url}/push/twitter` });
  });
  const subscribe = (event_type: string, access = token, filter: object = { user_id: me }) =>
    world.call('POST', '/2/activity/subscriptions', access, { event_type, filter, webhook_id: hook, tag: 't' });
  const data = () => world.events().map((one) => one.data);

  it('prove themselves at their beginning and every hour', async () => {
    expect(world.app.handshakes()).toBe(1);
    const again = await world.call('POST', '/2/webhooks', bearer, { url: `${world.app.url}/push/twitter` });
    expect(again.json.errors[0].message).toContain('DuplicateUrlFailed');
    const bad = await world.call('POST', '/2/webhooks', bearer, { url: `${world.app.url}/nowhere` });
    expect([bad.status, bad.json.errors[0].message]).toEqual([400, expect.stringContaining('CrcValidationFailed')]);
    expect((await world.call('POST', '/2/webhooks', bearer, { url: 'http://app.example/x' })).status).toBe(400);
    expect((await world.get('/2/webhooks', bearer)).json).toMatchObject({
      data: [{ id: hook }],
      meta: { result_count: 1 },
    });
    const others = await world.bearer(await world.own(SAM));
    expect((await world.call('DELETE', `/2/webhooks/${hook}`, others)).status).toBe(404);
    await world.bearer(app);
    await subscribe('post.create');
    world.app.refuseHandshakes();
    world.clock.move(HOUR);
    await world.act('flush');
    expect((await world.get('/2/webhooks', bearer)).json.data[0].valid).toBe(false);
    await world.act('post', { account: OLIVIA, text: 'Nobody hears' });
    const prove = () => world.call('PUT', `/2/webhooks/${hook}`, bearer);
    expect((await prove()).status).toBe(400);
    expect(world.events()).toEqual([]);
    world.app.refuseHandshakes(false);
    expect((await prove()).json).toEqual({ data: { valid: true } });
    await world.act('post', { account: OLIVIA, text: 'Somebody hears' });
    expect(data()).toMatchObject([{ payload: { text: 'Somebody hears' } }]);
    expect((await world.call('DELETE', `/2/webhooks/${hook}`, bearer)).json).toEqual({ data: { deleted: true } });
    expect(await world.list('subscriptions')).toEqual([]);
  });

  it('get the events that accounts let an app know, signed by its consumer secret', async () => {
    expect((await subscribe('dm.received', bearer)).status).toBe(403);
    expect((await subscribe('dm.received', await world.login(SAM))).status).toBe(403);
    expect((await subscribe('weather.change')).status).toBe(400);
    const events = ['post.create', 'post.delete', 'post.mention.create', 'post.reply.create', 'post.quote.create'];
    for (const event of [...events, 'dm.received', 'dm.sent', 'dm.read', 'like.create'])
      expect((await subscribe(event)).json.data.subscription).toMatchObject({
        event_type: event,
        filter: { user_id: me },
      });
    expect((await subscribe('dm.sent')).json.errors[0].message).toContain('DuplicateSubscriptionFailed');
    const post = await world.act('post', { account: OLIVIA, text: 'Hello' });
    const reply = await world.act('reply', { person: FRED, post, text: 'Hi' });
    await world.act('mention', { person: FRED, account: OLIVIA, text: 'look' });
    await world.act('quote', { person: FRED, post, text: 'So' });
    await world.act('like', { person: FRED, post });
    await world.act('dm', { person: FRED, account: OLIVIA, picture: true });
    await world.act('answer', { account: OLIVIA, person: FRED, text: 'Thanks' });
    await world.act('read', { person: FRED, account: OLIVIA });
    await world.act('delete_post', { post });
    expect(data().map(({ event_type }) => event_type)).toEqual([
      'post.create',
      'post.reply.create',
      'post.mention.create',
      'post.quote.create',
      'like.create',
      'dm.received',
      'dm.sent',
      'dm.read',
      'post.delete',
    ]);
    const [made, answered, , , , dm, , seen] = data();
    expect(made).toMatchObject({
      filter: { user_id: me },
      tag: 't',
      payload: { id: post, author_id: me, text: 'Hello' },
    });
    expect(new Set(data().map(({ event_uuid }) => event_uuid)).size).toBe(9);
    expect(answered.payload).toMatchObject({ id: reply, conversation_id: post, in_reply_to_user_id: me });
    const [event] = dm.payload.direct_message_events;
    expect(event).toMatchObject({
      type: 'message_create',
      message_create: { sender_id: fred, target: { recipient_id: me } },
    });
    expect(event.message_create.message_data.attachment).toMatchObject({ type: 'media', media: { type: 'photo' } });
    expect(dm.payload.users[fred].data).toMatchObject({ username: 'fred' });
    expect(seen.payload.direct_message_mark_read_events[0]).toMatchObject({
      sender_id: fred,
      target: { recipient_id: me },
    });
    const signed = ({ body, headers }: { body: string; headers: Json }) =>
      headers['x-twitter-webhooks-signature'] ===
      `sha256=${createHmac('sha256', app.consumer_secret).update(body).digest('base64')}`;
    expect(world.app.pushes().every(signed)).toBe(true);
    world.app.clear();
    await world.act('settings', { push_wrong_signature: true });
    await world.act('post', { account: OLIVIA, text: 'Forged' });
    expect(world.app.pushes().map(signed)).toEqual([false]);
  });

  it('lose their subscriptions, the last time with a word', async () => {
    await subscribe('oauth.revoke', token, {});
    const { subscription } = (await subscribe('post.create', bearer)).json.data;
    const path = `/2/activity/subscriptions/${subscription.subscription_id}`;
    expect((await world.get('/2/activity/subscriptions', token)).json.meta.result_count).toBe(2);
    expect((await world.call('DELETE', path, bearer)).json.meta.total_subscriptions).toBe(1);
    expect((await world.call('DELETE', path, bearer)).status).toBe(404);
    await world.act('revoke_app', { account: OLIVIA });
    const [app_id] = (await world.list('apps')).filter(({ id }) => id === app.id).map(({ number }) => number);
    expect(data()).toMatchObject([{ event_type: 'oauth.revoke', filter: {}, payload: { user_id: me, app_id } }]);
    expect(await world.list('subscriptions')).toEqual([]);
    expect((await world.get('/2/users/me', token)).status).toBe(401);
  });
});
