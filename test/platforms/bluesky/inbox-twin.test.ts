import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PrepareCall } from '#platforms/sending.ts';
import { readOn } from '../../harness/platforms/reading.ts';
import { refused } from '../../harness/platforms/script.ts';
import { ALICE, BOB, CAROL, openWorld, type World } from '../../harness/worlds/twins/bluesky.ts';
import { makeClient, publishAll, type Client } from '../../harness/worlds/bluesky.ts';
import { postOf } from '../../harness/platforms/steps.ts';
import { bareCall } from '../../harness/opened.ts';

const comments = bluesky.comments!;
const mentions = bluesky.mentions!;
const messages = bluesky.messages!;
const inbox = bluesky.inbox!;

/** The inbox of the connector against the simulator: what people do there, as the connector tells it. */
let world: World;
let client: Client;
let alice: PrepareCall;
beforeEach(async () => {
  world = await openWorld();
  const hosts = bluesky.hosts.sandbox({ api: world.base, web: world.base });
  client = makeClient(hosts, () => world.clock.now(), [world.root]);
  alice = await connected();
});
afterEach(async () => {
  await client.close();
  await world.close();
});

async function connected(password = 'app_password'): Promise<PrepareCall> {
  if (bluesky.connect.kind !== 'direct') throw new Error('not a direct connection');
  const person = world.sandbox.people().find(({ network, handle }) => network === 'bluesky' && handle === ALICE)!;
  const fields = { identifier: ALICE, app_password: person.credentials[password]! };
  const { session } = await bluesky.connect.login(client.bare, fields);
  return { ...client.acting(session), ...bareCall, open: () => Promise.reject(new Error('nothing to open')) };
}

const didOf = (handle: string) => world.sandbox.people().find((person) => person.handle === handle)!.id;

async function act(action: string, input: Record<string, unknown>): Promise<any> {
  world.clock.move(1000);
  const { status, json, text } = await world.act(action, input);
  if (status !== 200) throw new Error(text);
  return json.data;
}

async function posted(text: string): Promise<string> {
  const { done } = await publishAll(alice, postOf({ text }));
  return (done['write.0'] as { uri: string }).uri;
}

/** All that a poll meets and tells. */
async function poll(from?: unknown, call = alice) {
  const { met, facts, cursor } = await readOn(inbox.poll!.read, call, from);
  return { facts: [...met, ...facts], cursor };
}
const textsOf = (facts: readonly InboundEvent[]) =>
  facts.flatMap((fact) => {
    if (fact.kind === 'comment') return [fact.comment.text];
    if (fact.kind === 'mention') return [`mentioned: ${fact.mention.text}`];
    return fact.kind === 'message' ? [fact.message.text] : [];
  });

/** What a step of sending is given besides its request. */
const state = (prepared: unknown) => ({
  prepared: JSON.parse(JSON.stringify(prepared)) as unknown,
  correlationId: 'snd_1.0',
  sentAt: world.clock.now(),
  taken: new Set<string>(),
});

async function replied(ask: Readonly<{ post: string; comment?: string; text: string }>): Promise<string> {
  const plan = await comments.reply!.prepare!(alice, ask);
  const send = () => comments.reply!.send(alice, ask, state(plan));
  const made = await send();
  expect(await send()).toEqual(made);
  expect((await fetch(made.permalink!)).status).toBe(200);
  return made.comment_id;
}

describe('comments', () => {
  it('are polled once, with what mentions and with answers to answers', async () => {
    const post = await posted('our post');
    await act('reply', { person: BOB, post, text: 'before' });
    let { facts, cursor } = await poll();
    expect(textsOf(facts)).toEqual(['before']);
    const { uri: first } = await act('reply', { person: BOB, post, text: 'first' });
    await act('reply', { person: CAROL, post: first, text: `second, @${ALICE}` });
    await act('post', { person: CAROL, text: 'a quote', quote: post });
    await act('post', { person: BOB, text: `hello @${ALICE}` });
    await act('like', { person: BOB, post });
    ({ facts, cursor } = await poll(cursor));
    expect(textsOf(facts).toSorted()).toEqual([
      'first',
      'mentioned: a quote',
      `mentioned: hello @${ALICE}`,
      `mentioned: second, @${ALICE}`,
      `second, @${ALICE}`,
    ]);
    const found = facts.flatMap((fact) => (fact.kind === 'comment' ? [fact.comment] : []));
    const bob = { id: didOf(BOB), name: 'Bob Next Door' };
    expect(found).toMatchObject([
      { platform_post_id: post, parent_id: first, author: { username: CAROL } },
      { platform_post_id: post, parent_id: undefined, author: bob, reply_count: 1 },
    ]);
    expect(facts.at(-1)).toMatchObject({ kind: 'post', post: { platform_id: post, comment_count: 2, like_count: 1 } });
    expect((await poll(cursor)).facts).toEqual([]);
  });

  it('are listed, answered, liked, hidden and deleted', async () => {
    const post = await posted('our post');
    const uris: string[] = [];
    for (const text of ['one', 'two', 'three']) uris.push((await act('reply', { person: BOB, post, text })).uri);
    world.clock.move(1000);
    const mine = await replied({ post, text: 'from us' });
    const answer = await replied({ post, comment: uris[0]!, text: `thanks @${BOB}` });

    const page = await comments.list!(alice, { post }, { limit: 3 });
    expect(page.items.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    const rest = await comments.list!(alice, { post }, { limit: 3, cursor: page.cursor });
    expect(rest).toMatchObject({ items: [{ platform_id: mine, is_owner: true }], cursor: undefined });
    const replies = await comments.replies!(alice, { post, comment: uris[0]! }, { limit: 5 });
    expect(replies.items).toMatchObject([{ platform_id: answer, parent_id: uris[0], platform_post_id: post }]);

    const first = { post, comment: uris[0]! };
    const state = async () => (await comments.list!(alice, { post }, { limit: 1 })).items[0];
    for (const liked of [true, true, false, false]) {
      await comments.like!(alice, first, liked);
      expect(await state()).toMatchObject({ is_liked: liked, like_count: liked ? 1 : 0 });
    }
    for (const hidden of [true, true, false]) {
      await comments.hide!(alice, first, hidden);
      expect(await state()).toMatchObject({ is_hidden: hidden });
    }
    await comments.remove!(alice, { post, comment: answer });
    await comments.remove!(alice, { post, comment: answer });
    await expect(comments.remove!(alice, first)).rejects.toMatchObject({ reason: 'permission_denied' });
    await act('delete_post', { post: uris[2] });
    const left = await comments.list!(alice, { post }, { limit: 9 });
    expect(left.items.map(({ text }) => text)).toEqual(['one', 'two', 'from us']);
    const gone = comments.replies!(alice, { post, comment: uris[2]! }, { limit: 5 });
    await expect(gone).rejects.toMatchObject(refused('not_found'));
  });

  it('take back a like that was given elsewhere', async () => {
    const post = await posted('our post');
    const { uri } = await act('reply', { person: BOB, post, text: 'one' });
    await act('like', { person: ALICE, post: uri });
    await comments.like!(alice, { post, comment: uri }, true);
    const likes = async () => (await comments.list!(alice, { post }, { limit: 1 })).items[0]!.like_count;
    expect(await likes()).toBe(1);
    await comments.like!(alice, { post, comment: uri }, false);
    expect(await likes()).toBe(0);
  });

  it('in threads of others are those under replies of ours', async () => {
    const { uri: foreign } = await act('post', { person: BOB, text: `look here @${ALICE}` });
    const ours = await replied({ post: foreign, text: 'looked' });
    const { cursor } = await poll();
    const { uri } = await act('reply', { person: CAROL, post: ours, text: 'so did I' });
    const { facts } = await poll(cursor);
    expect(facts).toMatchObject([
      { kind: 'comment', comment: { platform_id: uri, platform_post_id: ours, parent_id: undefined } },
      { kind: 'post', post: { platform_id: ours, text: 'looked' } },
    ]);
    const place = { post: ours, comment: uri as string };
    expect(await comments.isComment(alice, place)).toBe(true);
    expect(await comments.isComment(alice, { ...place, post: foreign })).toBe(true);
    expect(await comments.isComment(alice, { post: uri, comment: ours })).toBe(false);
    await expect(comments.hide!(alice, place, true)).rejects.toMatchObject({ reason: 'permission_denied' });
  });
});

describe('mentions', () => {
  it('are listed page by page, newest first, and answered', async () => {
    for (const text of ['one', 'two', 'three']) await act('post', { person: BOB, text: `@${ALICE} ${text}` });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await mentions.list!(alice, { limit: 2, cursor });
      seen.push(...page.items.map(({ text }) => text.split(' ')[1]!));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['three', 'two', 'one']);
    const [newest] = (await mentions.list!(alice, { limit: 1 })).items;
    const since = await mentions.list!(alice, { limit: 9, since: newest!.created_at - 1500 });
    expect(since.items.map(({ text }) => text.split(' ')[1])).toEqual(['three', 'two']);
    const ask = { post: newest!.platform_post_id, text: 'thank you' };
    const plan = await mentions.reply!.prepare!(alice, ask);
    const made = await mentions.reply!.send(alice, ask, state(plan));
    const { items } = await comments.list!(alice, { post: newest!.platform_post_id }, { limit: 5 });
    expect(items).toMatchObject([{ platform_id: made.comment_id, text: 'thank you', is_owner: true }]);
  });
});

describe('direct messages', () => {
  const ask = (conversation: string, text: string) =>
    ({
      conversation: { platform_id: conversation, participant: { id: didOf(BOB), name: '' } },
      bubble: { kind: 'text', text },
    }) as const;

  it('are polled both ways, sent once, and found again when the answer is lost', async () => {
    let { facts, cursor } = await poll();
    const { convoId } = await act('message', { person: BOB, whom: ALICE, text: 'hi there' });
    ({ facts, cursor } = await poll(cursor));
    expect(facts).toMatchObject([
      {
        kind: 'message',
        conversation: { platform_id: convoId, participant: { id: didOf(BOB), username: BOB }, unread: 1 },
        message: { direction: 'incoming', text: 'hi there' },
      },
    ]);
    const say = ask(convoId, 'see https://example.com');
    const first = state(await messages.bubble.prepare!(alice, say));
    expect(await messages.bubble.settle!(alice, say, first)).toBe('absent');
    const method = 'chat.bsky.convo.sendMessage';
    world.sandbox.setFault({ network: 'bluesky', person: ALICE, kind: 'lost', method });
    await expect(messages.bubble.send(alice, say, first)).rejects.toMatchObject({ kind: 'unknown' });
    const found = await messages.bubble.settle!(alice, say, first);
    expect(found).toEqual({ message_id: expect.any(String), created_at: first.sentAt });

    // The very same words once more are another message.
    const again = state(await messages.bubble.prepare!(alice, say));
    expect(await messages.bubble.settle!(alice, say, again)).toBe('absent');
    const sent = await messages.bubble.send(alice, say, again);
    expect(sent.message_id).not.toBe((found as { message_id: string }).message_id);
    await messages.seen!(alice, say.conversation);
    await act('read', { person: BOB, conversation: convoId });
    ({ facts, cursor } = await poll(cursor));
    expect(facts).toMatchObject([
      { message: { platform_id: (found as { message_id: string }).message_id, direction: 'outgoing', status: 'sent' } },
      { message: { platform_id: sent.message_id, direction: 'outgoing' } },
    ]);
    expect((await poll(cursor)).facts).toEqual([]);
  });

  it('end with who does not want them', async () => {
    const { convoId } = await act('message', { person: BOB, whom: ALICE, text: 'hi' });
    const say = ask(convoId, 'x');
    const plan = await messages.bubble.prepare!(alice, say);
    const send = () => messages.bubble.send(alice, say, state(plan));
    await act('lock', { conversation: convoId });
    await expect(send()).rejects.toMatchObject(refused('not_deliverable'));
    await act('unlock', { conversation: convoId });
    await act('block', { person: BOB, whom: ALICE });
    await expect(send()).rejects.toMatchObject(refused('not_deliverable'));
    const nowhere = messages.bubble.prepare!(alice, ask('3kunknown2222', 'x'));
    await expect(nowhere).rejects.toMatchObject(refused('not_found'));
  });

  it('need an app password that may read them, and the rest goes on without', async () => {
    const plain = await connected('app_password_without_messages');
    const begin = await poll(undefined, plain);
    const post = await posted('our post');
    await act('message', { person: BOB, whom: ALICE, text: 'hi' });
    await act('reply', { person: BOB, post, text: 'hello' });
    const { facts, cursor } = await poll(begin.cursor, plain);
    expect(textsOf(facts)).toEqual(['hello']);
    const { prepare } = messages.bubble;
    await expect(prepare!(plain, ask('x', 'x'))).rejects.toMatchObject(refused('dm_scope_missing'));
    const seen = messages.seen!(plain, ask('x', 'x').conversation);
    await expect(seen).rejects.toMatchObject(refused('dm_scope_missing'));
    // Connected again with one that may, it looks at once, and reports what it meets there.
    const now = await poll(cursor);
    expect(textsOf(now.facts)).toEqual(['hi']);
    await act('message', { person: BOB, whom: ALICE, text: 'are you there?' });
    expect(textsOf((await poll(now.cursor)).facts)).toEqual(['are you there?']);
  });
});

describe('what was there before', () => {
  it('is read step by step, and again the same', async () => {
    const post = await posted('our post');
    await act('reply', { person: BOB, post, text: 'a comment' });
    await act('post', { person: BOB, text: `hello @${ALICE}` });
    const { convoId } = await act('message', { person: BOB, whom: ALICE, text: 'one' });
    await act('message', { person: ALICE, whom: BOB, text: 'two' });
    await act('message', { person: BOB, whom: ALICE, text: 'three' });
    const { facts } = await readOn(inbox.history!, alice);
    expect(facts.find(({ kind }) => kind === 'post')).toMatchObject({ post: { platform_id: post, comment_count: 1 } });
    expect(textsOf(facts).toSorted()).toEqual(['a comment', `mentioned: hello @${ALICE}`, 'one', 'three', 'two']);
    const conversation = { platform_id: convoId, unread: 2 };
    expect(facts.find(({ kind }) => kind === 'message')).toMatchObject({ conversation });
    expect((await readOn(inbox.history!, alice)).facts).toEqual(facts);
  });
});

it('says how many requests are left', async () => {
  expect(await bluesky.limits!(alice)).toEqual({ requests_remaining: expect.any(Number) });
});
