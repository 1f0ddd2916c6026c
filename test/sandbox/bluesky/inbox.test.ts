import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld } from '../../harness/worlds/twins/bluesky.ts';
import type { World } from '../../harness/worlds/twins/bluesky.ts';

const ALICE = 'alice.sandbox.test';
const BOB = 'bob.sandbox.test';
const CAROL = 'carol.sandbox.test';
const POST = 'app.bsky.feed.post';
const LIKE = 'app.bsky.feed.like';
const GATE = 'app.bsky.feed.threadgate';

type Ref = { uri: string; cid: string };

let world: World;
let alice: any;
let bob: any;
let carol: any;
beforeEach(async () => {
  world = await openWorld();
  [alice, bob, carol] = [await world.login(ALICE), await world.login(BOB), await world.login(CAROL)];
});
afterEach(() => world.close());

const now = () => new Date(world.clock.now()).toISOString();
const get = (session: any, nsid: string, params: Record<string, string> | [string, string][] = {}) =>
  world.xrpc(nsid, { token: session?.accessJwt, params });
const send = (session: any, nsid: string, input: unknown) => world.xrpc(nsid, { token: session.accessJwt, input });
const refused = (status: number, error: string, message: any = expect.any(String)) => ({
  status,
  json: { error, message },
});
const keyOf = ({ uri }: Ref) => uri.split('/').at(-1)!;

/** A record by its own repository's createRecord; the clock goes on a second, so that everything has its place. */
async function create(session: any, collection: string, record: object, more: object = {}): Promise<Ref> {
  world.clock.move(1000);
  const input = { repo: session.did, collection, record: { createdAt: now(), ...record }, ...more };
  const reply = await send(session, 'com.atproto.repo.createRecord', input);
  if (reply.status !== 200) throw new Error(reply.text);
  return { uri: reply.json.uri, cid: reply.json.cid };
}
const post = (session: any, text: string, more: object = {}) => create(session, POST, { text, ...more });
const reply = (session: any, root: Ref, parent: Ref, text: string, more: object = {}) =>
  post(session, text, { reply: { root, parent }, ...more });
const like = (session: any, subject: Ref) => create(session, LIKE, { subject });
const block = (session: any, other: any) => create(session, 'app.bsky.graph.block', { subject: other.did });
const follow = (session: any, other: any) => create(session, 'app.bsky.graph.follow', { subject: other.did });
const remove = (session: any, { uri }: Ref) => {
  const [collection, rkey] = uri.split('/').slice(3);
  return send(session, 'com.atproto.repo.deleteRecord', { repo: session.did, collection, rkey });
};
const gate = (session: any, root: Ref, rules: object, rkey = keyOf(root)) =>
  send(session, 'com.atproto.repo.putRecord', {
    repo: session.did,
    collection: GATE,
    rkey,
    record: { $type: GATE, post: root.uri, createdAt: now(), ...rules },
  });
const mention = (session: any, from: number, to: number) => ({
  facets: [
    {
      index: { byteStart: from, byteEnd: to },
      features: [{ $type: 'app.bsky.richtext.facet#mention', did: session.did }],
    },
  ],
});
const thread = async (session: any, uri: string, more: object = {}) =>
  (await get(session, 'app.bsky.feed.getPostThread', { uri, ...more })).json;
const told = async (session: any, params: Record<string, string> | [string, string][] = {}) =>
  (await get(session, 'app.bsky.notification.listNotifications', params)).json;
const reasons = (page: any) => page.notifications.map(({ reason }: any) => reason);

describe('a thread', () => {
  it('goes as deep and as high as asked, and says where it ends', async () => {
    const root = await post(alice, 'root');
    const first = await reply(bob, root, root, 'first');
    const second = await reply(alice, root, first, 'second');
    const third = await reply(carol, root, second, 'third');
    const other = await reply(carol, root, root, 'other');
    const whole = await thread(alice, root.uri);
    expect(whole.thread.replies.map(({ post: { uri } }: any) => uri)).toEqual([other.uri, first.uri]);
    expect(whole.thread.replies[0].replies).toEqual([]);
    expect(whole.thread.replies[1].replies[0].replies[0].post.uri).toBe(third.uri);
    const shallow = await thread(alice, root.uri, { depth: '1' });
    expect(shallow.thread.replies[1]).not.toHaveProperty('replies');
    expect(await thread(alice, root.uri, { depth: '0' })).not.toHaveProperty('thread.replies');
    expect((await thread(alice, third.uri)).thread.parent.parent.parent.post.uri).toBe(root.uri);
    expect((await thread(alice, third.uri, { parentHeight: '1' })).thread.parent).not.toHaveProperty('parent');
    await remove(alice, second);
    expect((await thread(alice, third.uri)).thread.parent).toEqual({
      $type: 'app.bsky.feed.defs#notFoundPost',
      uri: second.uri,
      notFound: true,
    });
    expect((await thread(alice, root.uri)).thread.replies[1].replies).toEqual([]);
    expect(await get(alice, 'app.bsky.feed.getPostThread', { uri: 'nonsense' })).toMatchObject(
      refused(400, 'InvalidRequest'),
    );
  });

  it('shows people across a block as blocked, both ways, and nobody their talk', async () => {
    const root = await post(alice, 'root');
    const byBob = await reply(bob, root, root, 'bob');
    const byCarol = await reply(carol, root, byBob, 'carol');
    const blocking = await block(alice, bob);
    const [shown] = (await thread(alice, root.uri)).thread.replies;
    // A reply to somebody who has blocked its author is shown to nobody.
    expect(shown).toBeUndefined();
    expect((await thread(carol, root.uri)).thread.replies).toEqual([]);
    const seen = (await thread(alice, byBob.uri)).thread;
    expect(seen).toEqual({
      $type: 'app.bsky.feed.defs#blockedPost',
      uri: byBob.uri,
      blocked: true,
      author: { did: bob.did, viewer: { blockedBy: false, blocking: blocking.uri } },
    });
    expect((await thread(bob, root.uri)).thread).toMatchObject({
      blocked: true,
      author: { viewer: { blockedBy: true } },
    });
    expect((await thread(alice, byCarol.uri)).thread.parent).toMatchObject({ blocked: true, uri: byBob.uri });
    await remove(alice, blocking);
    await block(carol, alice);
    const again = (await thread(alice, root.uri)).thread.replies[0];
    expect(again).toMatchObject({ post: { uri: byBob.uri }, replies: [{ blocked: true, uri: byCarol.uri }] });
  });

  it('carries the gate, which names hidden replies without taking them out', async () => {
    const root = await post(alice, 'root');
    const rude = await reply(bob, root, root, 'rude');
    const rules = { hiddenReplies: [rude.uri], allow: [{ $type: `${GATE}#followingRule` }] };
    const { status, json } = await gate(alice, root, rules);
    expect(status).toBe(200);
    const shown = await thread(alice, root.uri);
    expect(shown.threadgate).toMatchObject({ uri: json.uri, cid: json.cid, record: rules, lists: [] });
    expect(shown.thread.post.threadgate).toEqual(shown.threadgate);
    expect(shown.thread.replies).toMatchObject([{ post: { uri: rude.uri } }]);
    expect(shown.thread.replies[0].post).not.toHaveProperty('threadgate');
    expect((await thread(alice, rude.uri)).threadgate.uri).toBe(json.uri);
  });

  it('lets in whom its gate allows, and files nobody else', async () => {
    const root = await post(alice, '@c', mention(carol, 0, 2));
    await gate(alice, root, { allow: [{ $type: `${GATE}#mentionRule` }, { $type: `${GATE}#followerRule` }] });
    const shut = await reply(bob, root, root, 'shut out');
    await reply(carol, root, root, 'mentioned');
    expect((await thread(bob, root.uri)).thread.post).toMatchObject({ replyCount: 1, viewer: { replyDisabled: true } });
    expect((await thread(carol, root.uri)).thread.post.viewer).not.toHaveProperty('replyDisabled');
    expect((await thread(bob, root.uri)).thread.replies).toMatchObject([{ post: { author: { handle: CAROL } } }]);
    expect((await thread(bob, shut.uri)).thread).toMatchObject({ post: { uri: shut.uri } });
    expect((await thread(bob, shut.uri)).thread).not.toHaveProperty('parent');
    expect(reasons(await told(alice))).toEqual(['reply']);
    await follow(bob, alice);
    await reply(bob, root, root, 'a follower now');
    await gate(alice, root, { allow: [] });
    await reply(carol, root, root, 'too late');
    await reply(alice, root, root, 'always');
    expect((await thread(bob, root.uri)).thread.post.replyCount).toBe(3);
  });

  it('heeds a gate only beside its own post, and takes no more than 300 hidden replies', async () => {
    const root = await post(alice, 'root');
    expect((await gate(alice, root, { allow: [] }, '3lbexample222')).status).toBe(200);
    expect((await gate(bob, root, { allow: [] })).status).toBe(200);
    await reply(carol, root, root, 'in');
    expect(await thread(alice, root.uri)).not.toHaveProperty('threadgate');
    expect((await thread(alice, root.uri)).thread.replies).toHaveLength(1);
    const hiddenReplies = Array.from({ length: 301 }, () => root.uri);
    expect(await gate(alice, root, { hiddenReplies })).toMatchObject(
      refused(400, 'InvalidRequest', expect.stringContaining('array too big (maximum 300, got 301)')),
    );
    expect(await gate(alice, root, { allow: [{ $type: `${GATE}#listRule`, list: 'x' }] })).toMatchObject(
      refused(400, 'InvalidRequest'),
    );
  });
});

describe('likes', () => {
  it('are one a person: a second one takes the place of the first', async () => {
    const root = await post(alice, 'root');
    const view = async () => (await thread(bob, root.uri)).thread.post;
    const first = await like(bob, root);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: first.uri } });
    const second = await like(bob, root);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: second.uri } });
    const gone = { repo: bob.did, collection: LIKE, rkey: keyOf(first) };
    expect((await get(bob, 'com.atproto.repo.getRecord', gone)).status).toBe(400);
    // Other ways of writing leave both records, and readers still count one like.
    const record = { $type: LIKE, subject: root, createdAt: now() };
    const input = { repo: bob.did, collection: LIKE, rkey: '3lbexample222', record };
    expect((await send(bob, 'com.atproto.repo.putRecord', input)).status).toBe(200);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: second.uri } });
    await like(carol, root);
    const own = await like(alice, root);
    expect(await view()).toMatchObject({ likeCount: 3 });
    expect((await thread(bob, root.uri)).thread.threadContext).toEqual({ rootAuthorLike: own.uri });
    await remove(bob, second);
    await remove(bob, { uri: `at://${bob.did}/${LIKE}/3lbexample222`, cid: '' });
    expect((await view()).viewer).not.toHaveProperty('like');
  });
});

describe('notifications', () => {
  it('tell of replies, mentions, quotes, likes, reposts and follows, each once, newest first', async () => {
    const root = await post(alice, 'root');
    const first = await reply(bob, root, root, 'one');
    await reply(carol, root, first, 'below');
    await post(bob, '@a', mention(alice, 0, 2));
    await post(bob, 'look', { embed: { $type: 'app.bsky.embed.record', record: root } });
    await like(carol, root);
    await create(carol, 'app.bsky.feed.repost', { subject: root });
    await follow(carol, alice);
    // A mention in a reply is a mention, and nobody is told of what they do themselves.
    await reply(bob, root, root, '@a', mention(alice, 0, 2));
    await reply(alice, root, root, 'self');
    const page = await told(alice);
    expect(reasons(page)).toEqual(['mention', 'follow', 'repost', 'like', 'quote', 'mention', 'reply', 'reply']);
    expect(page.notifications.at(-1)).toMatchObject({
      uri: first.uri,
      cid: first.cid,
      author: { did: bob.did, handle: BOB },
      reasonSubject: root.uri,
      record: { text: 'one' },
      indexedAt: expect.stringMatching(/Z$/),
    });
    expect(page.notifications[1]).not.toHaveProperty('reasonSubject');
    // Below another's reply: bob hears of it for his own post, alice for hers.
    expect(page.notifications.at(-2).reasonSubject).toBe(root.uri);
    expect((await told(bob)).notifications).toMatchObject([
      { reason: 'reply', reasonSubject: first.uri, author: { handle: CAROL } },
    ]);
  });

  it('go with their record, with their subject, across a block, and when the reply is hidden', async () => {
    const root = await post(alice, 'root');
    const rude = await reply(bob, root, root, 'rude');
    const liked = await like(carol, root);
    await follow(carol, alice);
    await gate(alice, root, { hiddenReplies: [rude.uri] });
    expect(reasons(await told(alice))).toEqual(['follow', 'like']);
    await gate(alice, root, {});
    await remove(carol, liked);
    expect(reasons(await told(alice))).toEqual(['follow', 'reply']);
    const blocking = await block(alice, bob);
    expect(reasons(await told(alice))).toEqual(['follow']);
    await remove(alice, blocking);
    await remove(alice, root);
    expect(reasons(await told(alice))).toEqual(['follow']);
  });

  it('page by cursor, and are filtered after a page is cut', async () => {
    const root = await post(alice, 'root');
    for (let at = 0; at < 7; at += 1) await reply(bob, root, root, `reply ${at}`);
    for (let at = 0; at < 3; at += 1) await post(carol, '@a', mention(alice, 0, 2));
    const seen: string[] = [];
    let cursor: string | undefined = '';
    let pages = 0;
    while (cursor !== undefined && pages < 20) {
      const page: any = await told(alice, { limit: '4', ...(cursor && { cursor }) });
      seen.push(...page.notifications.map(({ uri }: any) => uri));
      ({ cursor } = page);
      pages += 1;
    }
    expect(seen).toHaveLength(10);
    expect(new Set(seen).size).toBe(10);
    const replies = await told(alice, [
      ['limit', '4'],
      ['reasons', 'reply'],
      ['reasons', 'like'],
    ]);
    // Two pages of four were looked through, and held five replies.
    expect(reasons(replies)).toEqual(Array.from({ length: 5 }, () => 'reply'));
    expect(replies.cursor).toEqual(expect.any(String));
    expect(reasons(await told(alice, { reasons: 'quote' }))).toEqual([]);
    for (const [name, value] of Object.entries({ limit: '101', cursor: 'x', seenAt: now() }))
      expect(await get(alice, 'app.bsky.notification.listNotifications', { [name]: value })).toMatchObject(
        refused(400, 'InvalidRequest'),
      );
    expect((await get(undefined, 'app.bsky.notification.listNotifications')).status).toBe(401);
  });

  it('bear the time their record claims, when that is earlier than its arrival', async () => {
    const root = await post(alice, 'root');
    await reply(bob, root, root, 'on time');
    const claimed = new Date(world.clock.now() - 500).toISOString();
    await reply(carol, root, root, 'late to arrive', { createdAt: claimed });
    await reply(carol, root, root, 'from the future', { createdAt: '2999-01-01T00:00:00Z' });
    const { notifications } = await told(alice);
    expect(notifications.map(({ record }: any) => record.text)).toEqual([
      'from the future',
      'on time',
      'late to arrive',
    ]);
    expect(notifications[2].indexedAt).toBe(claimed);
    expect(notifications[0].indexedAt).toBe(now());
  });

  it('are counted and read up to a moment', async () => {
    const root = await post(alice, 'root');
    await like(bob, root);
    await like(carol, root);
    const count = async () => (await get(alice, 'app.bsky.notification.getUnreadCount')).json;
    expect(await count()).toEqual({ count: 2 });
    expect((await told(alice)).notifications.map(({ isRead }: any) => isRead)).toEqual([false, true]);
    const seenAt = now();
    const done = await send(alice, 'app.bsky.notification.updateSeen', { seenAt });
    expect([done.status, done.text]).toEqual([200, '']);
    expect(await count()).toEqual({ count: 0 });
    await follow(bob, alice);
    expect(await count()).toEqual({ count: 1 });
    const page = await told(alice);
    expect(page.seenAt).toBe(seenAt);
    expect(page.notifications.at(-1).isRead).toBe(true);
    expect(page.notifications[0].isRead).toBe(false);
    expect(await send(alice, 'app.bsky.notification.updateSeen', { seenAt: 'today' })).toMatchObject(
      refused(400, 'InvalidRequest'),
    );
  });
});

describe('what stands in place of a person', () => {
  it('writes, replies, likes and takes back, as their own app would', async () => {
    const root = await post(alice, 'root');
    const replied = await world.act('reply', {
      person: BOB,
      post: root.uri,
      text: `hello @${ALICE} https://example.com/a.`,
    });
    expect(replied.status).toBe(200);
    const nested = await world.act('reply', { person: carol.did, post: replied.json.data.uri, text: 'below' });
    await world.act('like', { person: BOB, post: root.uri });
    await world.act('post', { person: CAROL, text: `é @${ALICE}`, quote: root.uri });
    const shown = (await thread(alice, root.uri)).thread;
    expect(shown.post).toMatchObject({ likeCount: 1, replyCount: 1, quoteCount: 1 });
    const [first] = shown.replies;
    expect(first.post.record.facets).toMatchObject([
      { index: { byteStart: 6, byteEnd: 25 }, features: [{ did: alice.did }] },
      { features: [{ uri: 'https://example.com/a' }] },
    ]);
    expect(first.replies[0].post.record.reply).toEqual({ root, parent: { uri: first.post.uri, cid: first.post.cid } });
    expect(new Set(reasons(await told(alice)))).toEqual(new Set(['mention', 'like', 'reply']));
    expect((await world.act('unlike', { person: BOB, post: root.uri })).status).toBe(200);
    expect((await world.act('unlike', { person: BOB, post: root.uri })).status).toBe(404);
    expect((await world.act('delete_post', { post: nested.json.data.uri })).status).toBe(200);
    expect((await thread(alice, root.uri)).thread).toMatchObject({
      post: { likeCount: 0 },
      replies: [{ replies: [] }],
    });
  });

  it('says what is missing, unknown or refused', async () => {
    expect(await world.act('reply', { person: BOB })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Post'),
    });
    expect((await world.act('reply', { person: 'x', post: 'at://x', text: 'x' })).status).toBe(404);
    expect((await world.act('toString', {})).status).toBe(404);
    expect((await world.act('post', { person: BOB, text: { a: 1 } })).status).toBe(400);
    expect(await world.act('post', { person: BOB, text: 'x'.repeat(301) })).toMatchObject({
      status: 400,
      text: expect.stringContaining('grapheme too big'),
    });
  });
});
