/** What of the inbox needs no AppView, on the real server of the protocol. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import { likeKey } from '#platforms/bluesky/posts/tid.ts';
import type { PrepareCall } from '#platforms/sending.ts';
import { makeClient, publishAll, type Client } from '../harness/worlds/bluesky.ts';
import { postOf } from '../harness/platforms/steps.ts';
import { connection, describePds, startPds, type Pds, type Person } from './bluesky-pds/harness.ts';
import { bareCall } from '../harness/opened.ts';
import { listen, stop } from '../harness/sockets.ts';

const comments = bluesky.comments!;
const messages = bluesky.messages!;

describePds('the inbox of the bluesky connector against a real PDS', () => {
  let pds: Pds;
  let client: Client;
  let alice: Person;
  let bob: Person;

  beforeAll(async () => {
    pds = await startPds();
    client = clientOf('did:web:chat.test');
    alice = await pds.createAccount('alice.test');
    bob = await pds.createAccount('bob.test');
  });
  afterAll(async () => {
    await client?.close();
    await pds?.close();
  });

  function clientOf(chat: string): Client {
    const hosts = { service: pds.url, plc: pds.plc, web: 'https://web.test', chat };
    return makeClient(hosts, () => Date.now(), [pds.url, pds.plc]);
  }

  async function connected(person: Person, password = person.appPassword, by = client): Promise<PrepareCall> {
    const fields = { identifier: person.handle, app_password: password };
    const { session } = await connection.login(by.bare, fields);
    return { ...by.acting(session), ...bareCall, open: () => Promise.reject(new Error('nothing to open')) };
  }

  async function posted(acting: PrepareCall, text: string): Promise<string> {
    const { done } = await publishAll(acting, postOf({ text }));
    return (done['write.0'] as { uri: string }).uri;
  }

  async function replied(acting: PrepareCall, ask: Readonly<{ post: string; comment?: string; text: string }>) {
    const plan: unknown = JSON.parse(JSON.stringify(await comments.reply!.prepare!(acting, ask)));
    const send = () =>
      comments.reply!.send(acting, ask, { prepared: plan, correlationId: 'snd_1.0', sentAt: Date.now() });
    const made = await send();
    expect(await send()).toEqual(made);
    return made.comment_id;
  }

  async function record(uri: string): Promise<Readonly<Record<string, any>> | undefined> {
    const [repo, collection, rkey] = uri.slice('at://'.length).split('/') as [string, string, string];
    const query = new URLSearchParams({ repo, collection, rkey });
    const got = await fetch(`${pds.url}/xrpc/com.atproto.repo.getRecord?${query.toString()}`);
    return got.ok ? ((await got.json()) as { value: object }).value : undefined;
  }

  /** A chat service with an identity that the PDS can look up, and a client of accounts whose chat it is. */
  async function startChat() {
    const heard: { url: string; claims: Record<string, unknown>; body: unknown }[] = [];
    let did = '';
    async function answer(request: IncomingMessage): Promise<object> {
      const { url = '', method, headers } = request;
      if (url === '/.well-known/did.json') {
        const serviceEndpoint = `http://${headers.host!}`;
        const service = [{ id: '#bsky_chat', type: 'BskyChatService', serviceEndpoint }];
        return { '@context': ['https://www.w3.org/ns/did/v1'], id: did, service };
      }
      const token = (headers.authorization ?? '').split('.')[1] ?? '';
      const claims = JSON.parse(Buffer.from(token, 'base64url').toString() || '{}') as Record<string, unknown>;
      const body = await text(request);
      heard.push({ url, claims, body: body && (JSON.parse(body) as unknown) });
      if (method === 'GET') return { messages: [] };
      const sentAt = '2026-11-21T12:00:00.000Z';
      return { id: 'm1', rev: 'r1', text: 'hello', sender: { did: alice.did }, sentAt };
    }
    const service = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      void answer(request).then((said) => response.end(JSON.stringify(said)));
    });
    did = `did:web:localhost%3A${await listen(service)}`;
    const chatting = clientOf(did);
    onTestFinished(async () => {
      await chatting.close();
      await stop(service);
    });
    return { heard, did, chatting };
  }

  it('replies once, in the thread it answers, and deletes its own replies only', async () => {
    const [a, b] = [await connected(alice), await connected(bob)];
    const post = await posted(a, 'post');
    const comment = await replied(b, { post, text: 'comment' });
    const before = (await pds.listPosts(alice.did)).length;
    const answer = await replied(a, { post, comment, text: 'thanks @bob.test, see https://example.com' });
    expect((await pds.listPosts(alice.did)).length).toBe(before + 1);
    expect(await record(answer)).toMatchObject({
      reply: { root: { uri: post }, parent: { uri: comment } },
      facets: [{ features: [{ did: bob.did }] }, { features: [{ uri: 'https://example.com' }] }],
    });
    await expect(comments.remove!(a, { post, comment })).rejects.toMatchObject({ reason: 'permission_denied' });
    await comments.remove!(a, { post, comment: answer });
    await comments.remove!(a, { post, comment: answer });
    expect(await record(answer)).toBeUndefined();
    const unread = replied(a, { post, comment: answer, text: 'to nobody' });
    await expect(unread).rejects.toMatchObject({ kind: 'refused', reason: 'not_found' });
  });

  it('likes once, and takes it back', async () => {
    const [a, b] = [await connected(alice), await connected(bob)];
    const post = await posted(a, 'to be liked');
    const place = { post, comment: await replied(b, { post, text: 'likeable' }) };
    const like = `at://${alice.did}/app.bsky.feed.like/${likeKey(place.comment)}`;
    await comments.like!(a, place, true);
    const made = await record(like);
    expect(made).toMatchObject({ subject: { uri: place.comment, cid: expect.stringMatching(/^bafy/) } });
    const revision = await pds.revision(alice.did);
    await comments.like!(a, place, true);
    expect(await pds.revision(alice.did)).toBe(revision);
    expect(await record(like)).toEqual(made);
    await comments.like!(a, place, false);
    expect(await record(like)).toBeUndefined();
    // Nobody here knows of likes by another key.
    await expect(comments.like!(a, place, false)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('hides replies by the threadgate, several at once, and shows them again', async () => {
    const [a, b] = [await connected(alice), await connected(bob)];
    const post = await posted(a, 'to be answered');
    const all = [];
    for (const text of ['one', 'two', 'three']) all.push(await replied(b, { post, text }));
    const gate = post.replace('app.bsky.feed.post', 'app.bsky.feed.threadgate');
    await Promise.all(all.map((comment) => comments.hide!(a, { post, comment }, true)));
    const made = (await record(gate))!;
    expect(made).toMatchObject({ $type: 'app.bsky.feed.threadgate', post });
    expect(new Set(made['hiddenReplies'] as string[])).toEqual(new Set(all));
    expect(made).not.toHaveProperty('allow');
    await comments.hide!(a, { post, comment: all[1]! }, false);
    await comments.hide!(a, { post, comment: all[1]! }, false);
    const left = (await record(gate))!;
    expect(new Set(left['hiddenReplies'] as string[])).toEqual(new Set([all[0], all[2]]));
    expect(left['createdAt']).toBe(made['createdAt']);
    const foreign = comments.hide!(b, { post, comment: all[0]! }, true);
    await expect(foreign).rejects.toMatchObject({ reason: 'permission_denied' });
  });

  it('says that an ordinary app password may not read messages, and polls on without them', async () => {
    const { heard, chatting } = await startChat();
    const acting = await connected(alice, alice.appPassword, chatting);
    const conversation = { platform_id: 'x', participant: { id: bob.did, name: '' } };
    const ask = { conversation, bubble: { kind: 'text', text: 'x' } } as const;
    const refused = { kind: 'refused', reason: 'dm_scope_missing', upstream: 'InvalidToken 400: Bad token method' };
    await expect(messages.bubble.prepare!(acting, ask)).rejects.toMatchObject(refused);
    await expect(messages.seen!(acting, conversation)).rejects.toMatchObject(refused);
    const { events: facts, cursor } = await bluesky.inbox!.poll!.read(acting, undefined);
    expect(facts).toEqual([]);
    expect(cursor).toMatchObject({ chat: { scope: 'com.atproto.appPass', off_until: expect.any(Number) } });
    const place = { left: ['conversations'], reads: 0 };
    const skipped = [{ page: 'conversations', error: { reason: 'dm_scope_missing' } }];
    expect(await bluesky.inbox!.history!(acting, place)).toMatchObject({ events: [], more: false, skipped });
    expect(heard).toEqual([]);
    expect(await bluesky.limits!(acting)).toEqual({});
  });

  it('reaches the chat service through the account’s server, which vouches for the account', async () => {
    const { heard, did, chatting } = await startChat();
    const acting = await connected(alice, alice.password, chatting);
    const conversation = { platform_id: 'convo1', participant: { id: bob.did, name: '' } };
    const ask = { conversation, bubble: { kind: 'text', text: 'hello' } } as const;
    const prepared = await messages.bubble.prepare!(acting, ask);
    const sending = { prepared, correlationId: 'snd_1.0', sentAt: Date.now() };
    const sent = await messages.bubble.send(acting, ask, sending);
    expect(sent).toEqual({ message_id: 'm1', created_at: Date.UTC(2026, 10, 21, 12) });
    expect(heard.map(({ url }) => url.split('?', 1)[0])).toEqual([
      '/xrpc/chat.bsky.convo.getMessages',
      '/xrpc/chat.bsky.convo.sendMessage',
    ]);
    expect(heard[1]).toMatchObject({
      claims: { iss: alice.did, aud: did, lxm: 'chat.bsky.convo.sendMessage' },
      body: { convoId: 'convo1', message: { text: 'hello' } },
    });
  });
});
