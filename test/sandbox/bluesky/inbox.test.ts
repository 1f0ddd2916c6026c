import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALICE, BOB, CAROL, invalid, openWorld, type Query, type World } from '../../harness/worlds/twins/bluesky.ts';

const POST = 'app.bsky.feed.post';
const LIKE = 'app.bsky.feed.like';
const GATE = 'app.bsky.feed.threadgate';
const NOTICES = 'app.bsky.notification.listNotifications';
const OTHER_KEY = '3lbexample222';

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
const get = (session: any, nsid: string, params: Query = {}) => world.xrpc(nsid, { token: session?.accessJwt, params });
const send = (session: any, nsid: string, input: unknown) => world.xrpc(nsid, { token: session.accessJwt, input });
const keyOf = ({ uri }: Ref) => uri.split('/').at(-1)!;

/** A record by its own repository's createRecord; the clock goes on a second, so that everything has its place. */
async function create(session: any, collection: string, record: object): Promise<Ref> {
  world.clock.move(1000);
  const input = { collection, record: { createdAt: now(), ...record } };
  const reply = await world.write(session, 'createRecord', input);
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
  return world.write(session, 'deleteRecord', { collection, rkey });
};
const gate = (session: any, root: Ref, rules: object, rkey = keyOf(root)) => {
  const record = { $type: GATE, post: root.uri, createdAt: now(), ...rules };
  return world.write(session, 'putRecord', { collection: GATE, rkey, record });
};
/** The first two characters of a text are a mention. */
const mention = ({ did }: any) => {
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did }];
  return { facets: [{ index: { byteStart: 0, byteEnd: 2 }, features }] };
};
const threadAnswer = async (session: any, uri: string, more: object = {}) =>
  (await get(session, 'app.bsky.feed.getPostThread', { uri, ...more })).json;
const thread = async (session: any, uri: string, more: object = {}) => (await threadAnswer(session, uri, more)).thread;
const told = async (session: any, params: Query = {}) => (await get(session, NOTICES, params)).json;
const reasons = (page: any) => page.notifications.map(({ reason }: any) => reason);

describe('a thread', () => {
  it('goes as deep and as high as asked, and says where it ends', async () => {
    const root = await post(alice, 'root');
    const first = await reply(bob, root, root, 'first');
    const second = await reply(alice, root, first, 'second');
    const third = await reply(carol, root, second, 'third');
    const other = await reply(carol, root, root, 'other');
    expect((await thread(alice, root.uri)).replies).toMatchObject([
      { post: { uri: other.uri }, replies: [] },
      { post: { uri: first.uri }, replies: [{ replies: [{ post: { uri: third.uri } }] }] },
    ]);
    expect((await thread(alice, root.uri, { depth: '1' })).replies[1]).not.toHaveProperty('replies');
    expect(await thread(alice, root.uri, { depth: '0' })).not.toHaveProperty('replies');
    expect((await thread(alice, third.uri)).parent.parent.parent.post.uri).toBe(root.uri);
    expect((await thread(alice, third.uri, { parentHeight: '1' })).parent).not.toHaveProperty('parent');
    await remove(alice, second);
    const $type = 'app.bsky.feed.defs#notFoundPost';
    expect((await thread(alice, third.uri)).parent).toEqual({ $type, uri: second.uri, notFound: true });
    expect((await thread(alice, root.uri)).replies[1].replies).toEqual([]);
    expect(await get(alice, 'app.bsky.feed.getPostThread', { uri: 'nonsense' })).toMatchObject(invalid());
  });

  it('shows people across a block as blocked, both ways, and nobody their talk', async () => {
    const root = await post(alice, 'root');
    const byBob = await reply(bob, root, root, 'bob');
    const byCarol = await reply(carol, root, byBob, 'carol');
    const blocking = await block(alice, bob);
    // A reply to somebody who has blocked its author is shown to nobody.
    for (const who of [alice, carol]) expect((await thread(who, root.uri)).replies).toEqual([]);
    expect(await thread(alice, byBob.uri)).toEqual({
      $type: 'app.bsky.feed.defs#blockedPost',
      uri: byBob.uri,
      blocked: true,
      author: { did: bob.did, viewer: { blockedBy: false, blocking: blocking.uri } },
    });
    expect(await thread(bob, root.uri)).toMatchObject({ blocked: true, author: { viewer: { blockedBy: true } } });
    expect((await thread(alice, byCarol.uri)).parent).toMatchObject({ blocked: true, uri: byBob.uri });
    await remove(alice, blocking);
    await block(carol, alice);
    const [again] = (await thread(alice, root.uri)).replies;
    expect(again).toMatchObject({ post: { uri: byBob.uri }, replies: [{ blocked: true, uri: byCarol.uri }] });
  });

  it('carries the gate, which names hidden replies without taking them out', async () => {
    const root = await post(alice, 'root');
    const rude = await reply(bob, root, root, 'rude');
    const rules = { hiddenReplies: [rude.uri], allow: [{ $type: `${GATE}#followingRule` }] };
    const { status, json } = await gate(alice, root, rules);
    expect(status).toBe(200);
    const shown = await threadAnswer(alice, root.uri);
    expect(shown.threadgate).toMatchObject({ uri: json.uri, cid: json.cid, record: rules, lists: [] });
    expect(shown.thread.post.threadgate).toEqual(shown.threadgate);
    expect(shown.thread.replies).toMatchObject([{ post: { uri: rude.uri } }]);
    expect(shown.thread.replies[0].post).not.toHaveProperty('threadgate');
    expect((await threadAnswer(alice, rude.uri)).threadgate.uri).toBe(json.uri);
  });

  it('lets in whom its gate allows, and files nobody else', async () => {
    const root = await post(alice, '@c', mention(carol));
    await gate(alice, root, { allow: [{ $type: `${GATE}#mentionRule` }, { $type: `${GATE}#followerRule` }] });
    const shut = await reply(bob, root, root, 'shut out');
    await reply(carol, root, root, 'mentioned');
    expect((await thread(bob, root.uri)).post).toMatchObject({ replyCount: 1, viewer: { replyDisabled: true } });
    expect((await thread(carol, root.uri)).post.viewer).not.toHaveProperty('replyDisabled');
    expect((await thread(bob, root.uri)).replies).toMatchObject([{ post: { author: { handle: CAROL } } }]);
    const alone = await thread(bob, shut.uri);
    expect(alone.post.uri).toBe(shut.uri);
    expect(alone).not.toHaveProperty('parent');
    expect(reasons(await told(alice))).toEqual(['reply']);
    await follow(bob, alice);
    await reply(bob, root, root, 'a follower now');
    await gate(alice, root, { allow: [] });
    await reply(carol, root, root, 'too late');
    await reply(alice, root, root, 'always');
    expect((await thread(bob, root.uri)).post.replyCount).toBe(3);
  });

  it('heeds a gate only beside its own post, and takes no more than 300 hidden replies', async () => {
    const root = await post(alice, 'root');
    expect((await gate(alice, root, { allow: [] }, OTHER_KEY)).status).toBe(200);
    expect((await gate(bob, root, { allow: [] })).status).toBe(200);
    await reply(carol, root, root, 'in');
    const open = await threadAnswer(alice, root.uri);
    expect(open).not.toHaveProperty('threadgate');
    expect(open.thread.replies).toHaveLength(1);
    const tooMany = await gate(alice, root, { hiddenReplies: Array(301).fill(root.uri) });
    expect(tooMany).toMatchObject(invalid(/array too big \(maximum 300, got 301\)/));
    const unlisted = await gate(alice, root, { allow: [{ $type: `${GATE}#listRule`, list: 'x' }] });
    expect(unlisted).toMatchObject(invalid());
  });
});

describe('likes', () => {
  it('are one a person: a second one takes the place of the first', async () => {
    const root = await post(alice, 'root');
    const view = async () => (await thread(bob, root.uri)).post;
    const first = await like(bob, root);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: first.uri } });
    const second = await like(bob, root);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: second.uri } });
    const gone = { repo: bob.did, collection: LIKE, rkey: keyOf(first) };
    expect((await get(bob, 'com.atproto.repo.getRecord', gone)).status).toBe(400);
    // Other ways of writing leave both records, and readers still count one like.
    const record = { $type: LIKE, subject: root, createdAt: now() };
    const put = await world.write(bob, 'putRecord', { collection: LIKE, rkey: OTHER_KEY, record });
    expect(put.status).toBe(200);
    expect(await view()).toMatchObject({ likeCount: 1, viewer: { like: second.uri } });
    await like(carol, root);
    const own = await like(alice, root);
    expect(await view()).toMatchObject({ likeCount: 3 });
    expect((await thread(bob, root.uri)).threadContext).toEqual({ rootAuthorLike: own.uri });
    await remove(bob, second);
    await remove(bob, { uri: `at://${bob.did}/${LIKE}/${OTHER_KEY}`, cid: '' });
    expect((await view()).viewer).not.toHaveProperty('like');
  });
});

describe('notifications', () => {
  it('tell of replies, mentions, quotes, likes, reposts and follows, each once, newest first', async () => {
    const root = await post(alice, 'root');
    const first = await reply(bob, root, root, 'one');
    await reply(carol, root, first, 'below');
    await post(bob, '@a', mention(alice));
    await post(bob, 'look', { embed: { $type: 'app.bsky.embed.record', record: root } });
    await like(carol, root);
    await create(carol, 'app.bsky.feed.repost', { subject: root });
    await follow(carol, alice);
    // A mention in a reply is a mention, and nobody is told of what they do themselves.
    await reply(bob, root, root, '@a', mention(alice));
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
    for (let at = 0; at < 3; at += 1) await post(carol, '@a', mention(alice));
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
      expect(await get(alice, NOTICES, { [name]: value })).toMatchObject(invalid());
    expect((await get(undefined, NOTICES)).status).toBe(401);
  });

  it('bear the time their record claims, when that is earlier than its arrival', async () => {
    const root = await post(alice, 'root');
    await reply(bob, root, root, 'on time');
    const claimed = new Date(world.clock.now() - 500).toISOString();
    await reply(carol, root, root, 'late to arrive', { createdAt: claimed });
    await reply(carol, root, root, 'from the future', { createdAt: '2999-01-01T00:00:00Z' });
    const { notifications } = await told(alice);
    expect(notifications).toMatchObject([
      { record: { text: 'from the future' }, indexedAt: now() },
      { record: { text: 'on time' } },
      { record: { text: 'late to arrive' }, indexedAt: claimed },
    ]);
  });

  it('are counted and read up to a moment', async () => {
    const root = await post(alice, 'root');
    await like(bob, root);
    await like(carol, root);
    const count = async () => (await get(alice, 'app.bsky.notification.getUnreadCount')).json;
    expect(await count()).toEqual({ count: 2 });
    expect((await told(alice)).notifications.map(({ isRead }: any) => isRead)).toEqual([false, true]);
    const see = (seenAt: string) => send(alice, 'app.bsky.notification.updateSeen', { seenAt });
    const seenAt = now();
    expect(await see(seenAt)).toMatchObject({ status: 200, text: '' });
    expect(await count()).toEqual({ count: 0 });
    await follow(bob, alice);
    expect(await count()).toEqual({ count: 1 });
    expect(await told(alice)).toMatchObject({ seenAt, notifications: [{ isRead: false }, {}, { isRead: true }] });
    expect(await see('today')).toMatchObject(invalid());
  });
});

describe('what stands in place of a person', () => {
  it('writes, replies, likes and takes back, as their own app would', async () => {
    const root = await post(alice, 'root');
    const text = `hello @${ALICE} https://example.com/a.`;
    const replied = await world.act('reply', { person: BOB, post: root.uri, text });
    expect(replied.status).toBe(200);
    const nested = await world.act('reply', { person: carol.did, post: replied.json.data.uri, text: 'below' });
    await world.act('like', { person: BOB, post: root.uri });
    await world.act('post', { person: CAROL, text: `é @${ALICE}`, quote: root.uri });
    const shown = await thread(alice, root.uri);
    expect(shown.post).toMatchObject({ likeCount: 1, replyCount: 1, quoteCount: 1 });
    const [first] = shown.replies;
    expect(first.post.record.facets).toMatchObject([
      { index: { byteStart: 6, byteEnd: 25 }, features: [{ did: alice.did }] },
      { features: [{ uri: 'https://example.com/a' }] },
    ]);
    expect(first.replies[0].post.record.reply).toEqual({ root, parent: { uri: first.post.uri, cid: first.post.cid } });
    expect(new Set(reasons(await told(alice)))).toEqual(new Set(['mention', 'like', 'reply']));
    for (const status of [200, 404])
      expect((await world.act('unlike', { person: BOB, post: root.uri })).status).toBe(status);
    expect((await world.act('delete_post', { post: nested.json.data.uri })).status).toBe(200);
    expect(await thread(alice, root.uri)).toMatchObject({ post: { likeCount: 0 }, replies: [{ replies: [] }] });
  });

  it('says what is missing, unknown or refused', async () => {
    for (const [action, input, status, words] of [
      ['reply', { person: BOB }, 400, 'Post'],
      ['reply', { person: 'x', post: 'at://x', text: 'x' }, 404],
      ['toString', {}, 404],
      ['post', { person: BOB, text: { a: 1 } }, 400],
      ['post', { person: BOB, text: 'x'.repeat(301) }, 400, 'grapheme too big'],
    ] as const)
      expect(await world.act(action, input)).toMatchObject({ status, text: expect.stringContaining(words ?? '') });
  });
});
