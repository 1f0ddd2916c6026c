import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ALICE,
  BOB,
  CAROL,
  formOf,
  invalid,
  openWorld,
  refused,
  whileHeld,
  type Query,
  type World,
} from '../../harness/worlds/twins/bluesky.ts';

const CHAT = { 'atproto-proxy': 'did:web:api.bsky.chat#bsky_chat' };
const CONVO = 'chat.bsky.convo.';
const START = '2222222222222';

let world: World;
let alice: any;
let bob: any;
let carol: any;
beforeEach(async () => {
  world = await openWorld();
  [alice, bob, carol] = [await world.login(ALICE), await world.login(BOB), await world.login(CAROL)];
});
afterEach(() => world.close());

const get = (session: any, method: string, params: Query = {}, headers: Record<string, string> = CHAT) =>
  world.xrpc(CONVO + method, { token: session?.accessJwt, params, headers });
const post = (session: any, method: string, input: unknown) =>
  world.xrpc(CONVO + method, { token: session.accessJwt, input, headers: CHAT });
const convoOf = async (session: any, other: any): Promise<string> =>
  (await get(session, 'getConvoForMembers', { members: other.did })).json.convo.id;
const messagesOf = async (session: any, convoId: string) =>
  (await get(session, 'getMessages', { convoId })).json.messages;
const say = (session: any, convoId: string, text: string, more: object = {}) => {
  world.clock.move(1000);
  return post(session, 'sendMessage', { convoId, message: { text, ...more } });
};
const convos = async (session: any, params: Query = {}) => (await get(session, 'listConvos', params)).json.convos;
const log = async (session: any, cursor?: string) =>
  (await get(session, 'getLog', cursor === undefined ? {} : { cursor })).json;
const types = ({ logs }: any) => logs.map(({ $type }: any) => $type.split('#')[1]);
const declare = (session: any, allowIncoming: string) => {
  const collection = 'chat.bsky.actor.declaration';
  return world.write(session, 'putRecord', { collection, rkey: 'self', record: { $type: collection, allowIncoming } });
};
const create = (session: any, collection: string, subject: string) => {
  const createdAt = new Date(world.clock.now()).toISOString();
  return world.write(session, 'createRecord', { collection, record: { $type: collection, subject, createdAt } });
};

describe('the way to the chat service', () => {
  it('is the proxy header, and an app password that may read messages', async () => {
    const ordinary = await world.login(ALICE, 'app_password_without_messages');
    const noScope = refused(400, 'InvalidToken', 'Bad token method');
    const noSuchMethod = refused(501, 'MethodNotImplemented');
    expect(await get(ordinary, 'listConvos')).toMatchObject(noScope);
    expect(await get(ordinary, 'listConvos', {}, {})).toMatchObject(noScope);
    expect(await post(ordinary, 'sendMessage', {})).toMatchObject(noScope);
    expect((await world.xrpc('com.atproto.server.getSession', { token: ordinary.accessJwt })).status).toBe(200);
    expect(await get(undefined, 'listConvos')).toMatchObject(refused(401, 'AuthMissing'));
    expect((await get(alice, 'listConvos')).json).toEqual({ convos: [] });
    // Without the header a call goes to the reading side, which has no such method.
    expect(await get(alice, 'listConvos', {}, {})).toMatchObject(noSuchMethod);
    expect(await get(alice, 'nothing')).toMatchObject(noSuchMethod);
    const profile = { token: alice.accessJwt, params: { actor: ALICE }, headers: CHAT };
    expect(await world.xrpc('app.bsky.actor.getProfile', profile)).toMatchObject(noSuchMethod);
  });

  it.each([
    ['#bsky_chat', 'no did specified in proxy header'],
    ['did:web:api.bsky.chat', 'no service id specified in proxy header'],
    ['did:web:api.bsky.chat#a#b', 'invalid proxy header format'],
    ['did:web:api.bsky.chat #x', 'proxy header cannot contain spaces'],
    ['did:web:api.bsky.chat#other', 'could not resolve proxy did service url'],
    ['did:web:example.com#bsky_chat', 'could not resolve proxy did'],
  ])('is refused as %s', async (header, message) => {
    const headers = { 'atproto-proxy': header };
    expect(await get(alice, 'listConvos', {}, headers)).toMatchObject(invalid(message));
  });

  it('shows the rate limit of the server on every answer', async () => {
    const { headers } = await get(alice, 'listConvos');
    expect(headers.get('ratelimit-policy')).toBe('3000;w=300');
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(3000);
    expect(headers.get('ratelimit-limit')).toBe('3000');
    expect(Number(headers.get('ratelimit-reset'))).toBe(world.clock.now() / 1000 + 300);
  });
});

describe('a conversation', () => {
  it('is begun once, is a request to who does not follow, and is accepted by an answer', async () => {
    const [one, two] = [await convoOf(alice, bob), await convoOf(bob, alice)];
    expect(one).toBe(two);
    expect(await convos(bob)).toEqual([]);
    await say(alice, one, 'hello');
    expect(await convos(bob, { status: 'accepted' })).toEqual([]);
    const [seen] = await convos(bob, { status: 'request' });
    expect(seen).toMatchObject({
      id: one,
      status: 'request',
      muted: false,
      unreadCount: 1,
      members: expect.arrayContaining([expect.objectContaining({ did: alice.did, handle: ALICE })]),
      lastMessage: { text: 'hello', sender: { did: alice.did } },
      kind: { $type: 'chat.bsky.convo.defs#directConvo' },
    });
    expect(await convos(alice)).toMatchObject([{ status: 'accepted', unreadCount: 0 }]);
    await say(bob, one, 'hi');
    expect(await convos(bob, { status: 'request' })).toEqual([]);
    await create(carol, 'app.bsky.graph.follow', alice.did);
    await say(alice, await convoOf(alice, carol), 'you follow me');
    expect((await convos(carol, { status: 'accepted' })).map(({ unreadCount }: any) => unreadCount)).toEqual([1]);
  });

  it('shows its messages newest first, by pages', async () => {
    const id = await convoOf(alice, bob);
    const texts = ['one', 'two', 'three', 'four', 'five'];
    for (const [at, text] of texts.entries()) await say(at % 2 === 0 ? alice : bob, id, text);
    const page = async (more: object) => (await get(alice, 'getMessages', { convoId: id, limit: '3', ...more })).json;
    const first = await page({});
    const second = await page({ cursor: first.cursor });
    expect([...first.messages, ...second.messages].map(({ text }: any) => text)).toEqual(texts.toReversed());
    expect(second.cursor).toBeUndefined();
    expect(first.messages[0]).toEqual({
      $type: 'chat.bsky.convo.defs#messageView',
      id: expect.stringMatching(/^[2-7a-z]{13}$/),
      rev: expect.stringMatching(/^[2-7a-z]{13}$/),
      text: 'five',
      sender: { did: alice.did },
      sentAt: new Date(world.clock.now()).toISOString(),
      reactions: [],
    });
    const notTheirs = refused(400, 'InvalidConvo');
    expect(await get(carol, 'getMessages', { convoId: id })).toMatchObject(notTheirs);
    expect(await get(alice, 'getMessages', { convoId: 'none' })).toMatchObject(notTheirs);
    expect(await get(alice, 'getMessages', { convoId: id, limit: '101' })).toMatchObject(invalid());
  });

  it('lists pages of conversations, the unread ones alone when asked', async () => {
    await say(bob, await convoOf(bob, alice), 'from bob');
    const withCarol = await convoOf(carol, alice);
    await say(carol, withCarol, 'from carol');
    const first = (await get(alice, 'listConvos', { limit: '1' })).json;
    expect(first.convos).toMatchObject([{ id: withCarol }]);
    const second = (await get(alice, 'listConvos', { limit: '1', cursor: first.cursor })).json;
    expect(second.convos).toMatchObject([{ lastMessage: { text: 'from bob' } }]);
    await post(alice, 'updateRead', { convoId: withCarol });
    expect(await convos(alice, { readState: 'unread' })).toMatchObject([{ lastMessage: { text: 'from bob' } }]);
    expect((await post(alice, 'updateAllRead', {})).json).toEqual({ updatedCount: 1 });
    expect(await convos(alice, { readState: 'unread' })).toEqual([]);
  });

  it('takes messages up to their length, with facets that fit, and nothing else', async () => {
    const id = await convoOf(alice, bob);
    const family = '👨‍👩‍👧‍👦';
    expect((await say(alice, id, 'x'.repeat(1000))).status).toBe(200);
    expect(await say(alice, id, 'x'.repeat(1001))).toMatchObject(invalid(/grapheme too big/));
    expect(await say(alice, id, family.repeat(401))).toMatchObject(invalid(/maximum 10000/));
    expect((await say(alice, id, family.repeat(400))).status).toBe(200);
    expect((await say(alice, id, ' ')).status).toBe(400);
    const features = [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' }];
    const facets = (byteEnd: number) => ({ facets: [{ index: { byteStart: 0, byteEnd }, features }] });
    expect((await say(alice, id, 'link', facets(4))).json.facets).toEqual(facets(4).facets);
    expect((await say(alice, id, 'link', facets(5))).status).toBe(400);
    expect((await post(alice, 'sendMessage', { convoId: id })).status).toBe(400);
    const embed = {
      $type: 'app.bsky.embed.record',
      record: { uri: `at://${bob.did}/app.bsky.feed.post/3lbexample222`, cid: 'bafyreigbtj4x7ip5' },
    };
    expect((await say(alice, id, 'look', { embed })).json.embed).toMatchObject({
      $type: 'app.bsky.embed.record#view',
      record: { notFound: true },
    });
    const target = (await say(bob, id, 'question')).json;
    expect((await say(alice, id, 'answer', { replyTo: { messageId: target.id } })).json.replyTo.text).toBe('question');
    const misdirected = await say(alice, id, 'answer', { replyTo: { messageId: 'x' } });
    expect(misdirected).toMatchObject(refused(400, 'ReplyTargetNotFound'));
  });

  it('sends a batch whole or not at all', async () => {
    const id = await convoOf(alice, bob);
    const item = (convoId: string, text: string) => ({ convoId, message: { text } });
    const done = await post(alice, 'sendMessageBatch', { items: [item(id, 'a'), item(id, 'b')] });
    expect(done.json.items.map(({ text }: any) => text)).toEqual(['a', 'b']);
    expect((await post(alice, 'sendMessageBatch', { items: [item(id, 'c'), item('x', 'd')] })).status).toBe(400);
    expect(await messagesOf(bob, id)).toHaveLength(2);
    const many = Array.from({ length: 101 }, () => item(id, 'x'));
    expect((await post(alice, 'sendMessageBatch', { items: many })).status).toBe(400);
  });

  it('can be muted, left, reacted to, and have a message deleted for oneself', async () => {
    const id = await convoOf(alice, bob);
    const sent = (await say(alice, id, 'hello')).json;
    expect((await post(bob, 'muteConvo', { convoId: id })).json.convo.muted).toBe(true);
    expect((await post(bob, 'unmuteConvo', { convoId: id })).json.convo.muted).toBe(false);
    const on = { convoId: id, messageId: sent.id };
    const reacted = (await post(bob, 'addReaction', { ...on, value: '👍' })).json.message;
    expect(reacted.reactions).toMatchObject([{ value: '👍', sender: { did: bob.did } }]);
    expect(await post(bob, 'addReaction', { ...on, value: 'x' })).toMatchObject(refused(400, 'ReactionInvalidValue'));
    expect((await post(bob, 'removeReaction', { ...on, value: '👍' })).json.message.reactions).toEqual([]);
    expect((await post(bob, 'deleteMessageForSelf', on)).json).toEqual({
      $type: 'chat.bsky.convo.defs#deletedMessageView',
      id: sent.id,
      rev: sent.rev,
      sender: { did: alice.did },
      sentAt: sent.sentAt,
    });
    expect((await messagesOf(bob, id))[0]).not.toHaveProperty('text');
    expect((await messagesOf(alice, id))[0].text).toBe('hello');
    expect((await post(bob, 'leaveConvo', { convoId: id })).json).toMatchObject({ convoId: id });
    expect(await convos(bob)).toEqual([]);
    await say(alice, id, 'still there?');
    expect(await convos(bob)).toMatchObject([{ unreadCount: 1, lastMessage: { text: 'still there?' } }]);
    expect(await messagesOf(bob, id)).toHaveLength(1);
  });
});

describe('whose messages are wanted', () => {
  const start = (...members: string[]) => {
    const params = members.map((did): [string, string] => ['members', did]);
    return get(alice, 'getConvoForMembers', params);
  };

  it('is said by name: nobody there, too many, blocked, shut, not followed', async () => {
    expect(await start('did:plc:nobody')).toMatchObject(refused(400, 'RecipientNotFound'));
    for (const members of [[bob.did, carol.did], [alice.did], ['x'], [], Array(11).fill(bob.did)])
      expect(await start(...members)).toMatchObject(invalid());
    expect((await start(alice.did, bob.did)).status).toBe(200);
    await declare(carol, 'none');
    expect(await start(carol.did)).toMatchObject(refused(400, 'MessagesDisabled'));
    await declare(carol, 'following');
    expect(await start(carol.did)).toMatchObject(refused(400, 'NotFollowedBySender'));
    const availability = async () => (await get(alice, 'getConvoAvailability', { members: carol.did })).json;
    expect(await availability()).toEqual({ canChat: false });
    await create(carol, 'app.bsky.graph.follow', alice.did);
    expect((await start(carol.did)).status).toBe(200);
    expect(await availability()).toMatchObject({ canChat: true, convo: { members: expect.any(Array) } });
    await create(carol, 'app.bsky.graph.block', alice.did);
    const id = (await start(carol.did)).json.convo.id;
    expect(await say(alice, id, 'hello')).toMatchObject(refused(400, 'BlockedActor'));
  });

  it('does not shut out a conversation that was accepted; a lock does', async () => {
    const id = await convoOf(alice, bob);
    await say(alice, id, 'hello');
    await declare(bob, 'none');
    expect(await say(alice, id, 'hello?')).toMatchObject(refused(400, 'MessagesDisabled'));
    expect((await post(bob, 'acceptConvo', { convoId: id })).json).toMatchObject({ rev: expect.any(String) });
    expect((await post(bob, 'acceptConvo', { convoId: id })).json).toEqual({});
    expect((await say(alice, id, 'hello!')).status).toBe(200);
    await world.act('lock', { conversation: id });
    expect(await say(bob, id, 'x')).toMatchObject(refused(400, 'ConvoLocked'));
    await world.act('unlock', { conversation: id });
    expect((await say(bob, id, 'x')).status).toBe(200);
  });
});

describe('the log', () => {
  it('begins now, and goes on from its cursor with what each member is shown', async () => {
    const id = await convoOf(alice, bob);
    await say(alice, id, 'before');
    const began = await log(alice);
    expect(began.logs).toEqual([]);
    expect(began.cursor).toMatch(/^[2-7a-z]{13}$/);
    const bobBegan = await log(bob);
    const sent = (await say(bob, id, 'question')).json;
    const answer = (await say(alice, id, 'answer')).json;
    const told = await log(alice, began.cursor);
    expect(types(told)).toEqual(['logCreateMessage', 'logCreateMessage']);
    const $type = 'chat.bsky.convo.defs#logCreateMessage';
    expect(told.logs[0]).toEqual({ $type, rev: sent.rev, convoId: id, message: sent });
    expect(told.logs[1].message).toEqual(answer);
    expect(told.cursor).toBe(answer.rev);
    expect(await log(alice, told.cursor)).toEqual({ cursor: told.cursor, logs: [] });
    // An answer takes the request up, and only its giver hears of that.
    expect(types(await log(bob, bobBegan.cursor))).toEqual(['logAcceptConvo', 'logCreateMessage', 'logCreateMessage']);
    expect(types(await log(carol, START))).toEqual([]);
    expect(await get(alice, 'getLog', { cursor: 'x' })).toMatchObject(invalid());
  });

  it('reports reading to the reader alone, once per mark', async () => {
    const id = await convoOf(alice, bob);
    const first = (await say(bob, id, 'one')).json;
    await say(bob, id, 'two');
    const { cursor } = await log(alice);
    const { cursor: bobCursor } = await log(bob);
    const markRead = (messageId?: string) => post(alice, 'updateRead', { convoId: id, messageId });
    expect((await markRead(first.id)).json.convo.unreadCount).toBe(1);
    expect((await markRead()).json.convo.unreadCount).toBe(0);
    await markRead();
    await markRead(first.id);
    const told = await log(alice, cursor);
    expect(types(told)).toEqual(['logReadMessage', 'logReadConvo', 'logReadMessage', 'logReadConvo']);
    expect(told.logs.map(({ message }: any) => message.text)).toEqual(['one', 'one', 'two', 'two']);
    expect(types(await log(bob, bobCursor))).toEqual([]);
    expect(await markRead('none')).toMatchObject(invalid());
  });

  it('comes in pages, in order, and outlives a reset', async () => {
    const id = await convoOf(alice, bob);
    const items = Array.from({ length: 100 }, (_, at) => ({ convoId: id, message: { text: `${at}` } }));
    await post(alice, 'sendMessageBatch', { items });
    await post(alice, 'sendMessageBatch', { items });
    const first = await log(bob, START);
    const second = await log(bob, first.cursor);
    const third = await log(bob, second.cursor);
    expect([first, second, third].map(({ logs }) => logs.length)).toEqual([100, 100, 1]);
    expect(first.logs[0].$type).toContain('logBeginConvo');
    const revs: string[] = [first, second, third].flatMap(({ logs }) => logs.map(({ rev }: any) => rev));
    expect(revs).toEqual(revs.toSorted());
    expect(new Set(revs).size).toBe(201);
    await world.sandbox.reset();
    [alice, bob] = [await world.login(ALICE), await world.login(BOB)];
    await say(alice, await convoOf(alice, bob), 'a new day');
    expect((await log(bob, third.cursor)).logs.at(-1).message.text).toBe('a new day');
  });
});

describe('faults of chat', () => {
  const fault = (kind: any, more: object = {}) =>
    world.sandbox.setFault({ network: 'bluesky', person: ALICE, kind, method: `${CONVO}sendMessage`, ...more });

  it('strike before or after the effect, as they are meant', async () => {
    const id = await convoOf(alice, bob);
    const hasMessages = async (count: number) => expect(await messagesOf(bob, id)).toHaveLength(count);
    fault('throttled');
    expect((await say(alice, id, 'throttled')).status).toBe(429);
    fault('expired');
    expect(await say(alice, id, 'expired')).toMatchObject(refused(400, 'ExpiredToken'));
    await hasMessages(0);
    fault('lost');
    await expect(say(alice, id, 'lost')).rejects.toThrow('fetch failed');
    await hasMessages(1);
    fault('error_after');
    expect((await say(alice, id, 'failed')).status).toBe(500);
    await hasMessages(2);
    for (const [kind, delay_ms] of [
      ['slow', 9000],
      ['late', 4000],
    ] as const) {
      fault(kind, { delay_ms });
      const send = () => post(alice, 'sendMessage', { convoId: id, message: { text: kind } });
      expect((await whileHeld(world.clock, delay_ms, send, () => hasMessages(3))).status).toBe(200);
    }
    fault('revoked');
    expect(await get(alice, 'listConvos')).toMatchObject(refused(400, 'ExpiredToken'));
    const { data } = (await world.ask('/sandbox/__control/bluesky/messages')).json;
    expect(data.map(({ text }: any) => text)).toEqual(['lost', 'failed', 'slow', 'late']);
    expect(data[0]).toMatchObject({ network: 'bluesky', conversation: id, from: ALICE, to: BOB });
  });
});

describe('the console', () => {
  const submit = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const form = formOf(world, await world.ask('/sandbox/bluesky'), '/sandbox/act');
    return form({ network: 'bluesky', ...fields }, headers);
  };

  it('plays the follower: writes a message, reads, and shows both sides of a conversation', async () => {
    const sent = await submit({ action: 'message', person: bob.did, whom: alice.did, text: '<b>hi</b>' });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/sandbox/bluesky?done=message']);
    const [convo] = await convos(alice);
    expect(convo).toMatchObject({ unreadCount: 1, lastMessage: { text: '<b>hi</b>' } });
    await say(alice, convo.id, 'hello bob');
    const { text } = await world.ask('/sandbox/bluesky');
    for (const part of ['&lt;b&gt;hi&lt;/b&gt;', 'hello bob', `${BOB}: accepted, 1 unread`])
      expect(text).toContain(part);
    expect(text).not.toMatch(/<b>hi|<script|\son\w+=/);
    expect((await submit({ action: 'read', person: bob.did, conversation: convo.id })).status).toBe(303);
    expect((await world.ask('/sandbox/bluesky')).text).toContain(`${BOB}: accepted, 0 unread`);
  });

  it('offers a form for every action, and takes none from elsewhere', async () => {
    const empty = (await world.ask('/sandbox/bluesky')).text;
    expect(empty).toContain('Post: there is nothing to choose yet.');
    await world.act('post', { person: ALICE, text: 'to be liked' });
    await world.act('message', { person: ALICE, whom: CAROL, text: 'hello' });
    const { text } = await world.ask('/sandbox/bluesky');
    expect(text).not.toContain('nothing to choose');
    const { data } = (await world.ask('/sandbox/__control/actions')).json;
    expect(data.map(({ name }: any) => name)).toEqual(
      expect.arrayContaining(['post', 'reply', 'like', 'message', 'read', 'take_messages', 'lock']),
    );
    for (const { name } of data) expect(text).toMatch(new RegExp(`name="action"\\s+value="${name}"`));
    const fields = { action: 'post', person: bob.did, text: 'x' };
    expect((await submit(fields, { origin: 'https://evil.example' })).status).toBe(403);
    for (const [wrong, status] of [
      [{ form_token: 'x' }, 403],
      [{ network: 'x' }, 400],
      [{ text: '' }, 400],
      [{ action: 'x' }, 404],
    ] as const)
      expect((await submit({ ...fields, ...wrong })).status).toBe(status);
    expect((await world.ask('/sandbox/act')).status).toBe(405);
    expect(world.sandbox.posts('bluesky', BOB)).toEqual([]);
  });

  it('shows a thread at the address of its post, with what its author has hidden', async () => {
    const root = (await world.act('post', { person: ALICE, text: 'root' })).json.data;
    const rude = (await world.act('reply', { person: BOB, post: root.uri, text: 'rude' })).json.data;
    await world.act('reply', { person: CAROL, post: rude.uri, text: 'below it' });
    const rkey = root.uri.split('/').at(-1);
    const gate = 'app.bsky.feed.threadgate';
    const record = { $type: gate, post: root.uri, createdAt: '2026-11-21T12:00:00Z', hiddenReplies: [rude.uri] };
    await world.write(alice, 'putRecord', { collection: gate, rkey, record });
    const { text } = await world.ask(`/sandbox/bluesky/profile/${ALICE}/post/${rkey}`);
    for (const part of ['root', 'rude', 'below it', 'hidden by the author', 'replies 1']) expect(text).toContain(part);
  });
});
