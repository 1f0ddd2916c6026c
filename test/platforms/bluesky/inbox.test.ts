import { describe, expect, it } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import { likeKey } from '#platforms/bluesky/posts/tid.ts';
import {
  ALICE,
  at,
  BOB,
  CAROL,
  notice,
  postUri,
  refusal,
  methodsOf,
  view,
  refusalOf,
} from '../../harness/platforms/bluesky-samples.ts';
import { answer, NOW, refused } from '../../harness/platforms/script.ts';

const comments = bluesky.comments!;
const messages = bluesky.messages!;
const mentions = bluesky.mentions!;

const ROOT = postUri(ALICE, '3kroot2222222');
const COMMENT = postUri(BOB, '3kcomment2222');
const GET_POSTS = 'app.bsky.feed.getPosts';
const GET_THREAD = 'app.bsky.feed.getPostThread';
const GET_RECORD = 'com.atproto.repo.getRecord';
const PUT_RECORD = 'com.atproto.repo.putRecord';
const DELETE_RECORD = 'com.atproto.repo.deleteRecord';
const NOTICES = 'app.bsky.notification.listNotifications';

const place = { post: ROOT, comment: COMMENT };
/** What a step of sending is given besides its request. */
const state = (prepared: unknown) => ({
  prepared: JSON.parse(JSON.stringify(prepared)) as unknown,
  correlationId: 'snd_1.0',
  sentAt: NOW,
});
const noRecord = () => refusal(400, 'RecordNotFound', 'Could not locate record: at://x');
const noAppView = () => refusal(502, 'UpstreamFailure', 'Upstream service unreachable');

describe('comments', () => {
  const root = view({ did: ALICE, rkey: '3kroot2222222', text: 'post' });
  const liked = { viewer: { like: 'at://x' } };
  const first = view({ did: BOB, rkey: '3kcomment2222', text: 'one', root: ROOT, at: 10, more: liked });
  const second = view({ did: CAROL, rkey: 'b', text: 'two', root: ROOT, at: 20 });
  const third = view({ did: CAROL, rkey: 'c', text: 'three', root: ROOT, at: 20 });
  const mine = view({ did: ALICE, rkey: 'd', text: 'four', root: ROOT, at: 30 });
  const thread = {
    thread: {
      $type: 'app.bsky.feed.defs#threadViewPost',
      post: root,
      replies: [
        { post: mine },
        { uri: postUri(BOB, 'x'), blocked: true, author: { did: BOB } },
        { post: third },
        { uri: postUri(BOB, 'y'), notFound: true },
        { post: { ...second, indexedAt: 'yesterday' } },
        { post: second },
        { post: first },
      ],
    },
    threadgate: { uri: 'at://gate', record: { hiddenReplies: [postUri(CAROL, 'b')] } },
  };
  /** What is below a post in a thread that shows these. */
  const below = (post: string, shown: object, ...replies: readonly object[]) => {
    const { acting } = methodsOf({ [GET_THREAD]: () => ({ thread: { post: shown, replies } }) });
    return comments.list!(acting, { post }, { limit: 10 });
  };

  it('lists direct replies oldest first and leaves out what cannot be seen', async () => {
    const { acting, asked } = methodsOf({ [GET_THREAD]: () => thread });
    const { items, cursor } = await comments.list!(acting, { post: ROOT }, { limit: 25 });
    expect(cursor).toBeUndefined();
    expect(items.map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
    expect(items[0]).toEqual({
      platform_id: COMMENT,
      platform_post_id: ROOT,
      parent_id: undefined,
      author: {
        id: BOB,
        name: 'BOB',
        username: 'bob.test',
        avatar_url: 'https://cdn.test/bob.test.jpg',
        profile_url: 'https://bsky.app/profile/bob.test',
      },
      is_owner: false,
      text: 'one',
      media: [],
      created_at: NOW + 10,
      permalink: 'https://bsky.app/profile/bob.test/post/3kcomment2222',
      like_count: 1,
      reply_count: 2,
      is_hidden: false,
      is_liked: true,
      capabilities: { can_reply: true, can_delete: false, can_hide: true, can_like: true, can_private_reply: false },
    });
    expect(items[1]).toMatchObject({ is_hidden: true, is_liked: false });
    expect(items[3]).toMatchObject({ is_owner: true, capabilities: { can_delete: true, can_hide: false } });
    expect(Object.fromEntries(asked[0]!.params)).toEqual({ uri: ROOT, depth: '1', parentHeight: '0' });
  });

  it('pages by time and address, so that nothing is reported twice or lost when the thread changes', async () => {
    let replies = thread.thread.replies;
    const { acting } = methodsOf({ [GET_THREAD]: () => ({ thread: { ...thread.thread, replies } }) });
    const list = (page: Parameters<NonNullable<typeof comments.list>>[2]) =>
      comments.list!(acting, { post: ROOT }, page);
    const one = await list({ limit: 2 });
    expect(one.items.map(({ text }) => text)).toEqual(['one', 'two']);
    const older = view({ did: CAROL, rkey: 'older', text: 'of long ago', root: ROOT, at: -10 });
    replies = [{ post: older }, ...replies.filter((reply) => reply.post !== second)];
    const two = await list({ limit: 2, cursor: one.cursor });
    expect(two).toMatchObject({ items: [{ text: 'three' }, { text: 'four' }], cursor: undefined });
    const since = await list({ limit: 9, since: NOW + 20 });
    expect(since.items.map(({ text }) => text)).toEqual(['four']);
    await expect(list({ limit: 2, cursor: 'x' })).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('lists replies of a comment with their parent, also in threads of others', async () => {
    const answered = view({ did: CAROL, rkey: 'r', text: 'answer', root: ROOT, parent: COMMENT, at: 50 });
    const { acting, asked } = methodsOf({
      [GET_THREAD]: () => ({ thread: { post: first, replies: [{ post: answered }] } }),
    });
    const { items } = await comments.replies!(acting, place, { limit: 10 });
    expect(items).toMatchObject([{ text: 'answer', platform_post_id: ROOT, parent_id: COMMENT }]);
    expect(asked[0]!.params.get('uri')).toBe(COMMENT);

    const foreign = postUri(CAROL, 'foreign');
    const own = postUri(ALICE, 'own');
    const there = view({ did: BOB, rkey: 's', root: foreign, parent: own });
    const met = await below(own, first, { post: there });
    expect(met.items).toMatchObject([
      { platform_post_id: own, parent_id: undefined, capabilities: { can_hide: false, can_reply: true } },
    ]);
  });

  it('refuses what the network does not know', async () => {
    const list = (made: unknown, post = ROOT) =>
      comments.list!(methodsOf({ [GET_THREAD]: () => made }).acting, { post }, { limit: 5 });
    await expect(list(refusal(400, 'NotFound', 'Post not found'))).rejects.toMatchObject(refused('not_found'));
    await expect(list({ thread: { uri: ROOT, notFound: true } })).rejects.toMatchObject(refused('not_found'));
    await expect(list({ thread: { uri: ROOT, blocked: true } })).rejects.toMatchObject({ reason: 'blocked' });
    await expect(list({}, 'post_123')).rejects.toMatchObject(refused('not_found'));
    await expect(list(noAppView())).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('takes the time of being seen where the author says a later one, and hides handles that are not theirs', async () => {
    const odd = { ...view({ did: BOB, rkey: 'o', root: ROOT, at: 9_000_000 }), indexedAt: at(5) };
    const post = { ...odd, author: { did: BOB, handle: 'handle.invalid', displayName: ' ' } };
    const { items } = await below(ROOT, root, { post });
    expect(items).toMatchObject([{ created_at: NOW + 5, author: { name: BOB, username: undefined } }]);
    expect(items[0]!.permalink).toBe(`https://bsky.app/profile/${BOB}/post/o`);
  });

  it('shows pictures and videos of replies', async () => {
    const embed = { $type: 'app.bsky.embed.images#view', images: [{ fullsize: 'https://cdn.test/1', alt: '' }] };
    const video = { $type: 'app.bsky.embed.video#view', playlist: 'https://cdn.test/v.m3u8' };
    const replies = [embed, { media: video }].map((part, i) => ({
      post: view({ did: BOB, rkey: `${i}`, root: ROOT, more: { embed: part } }),
    }));
    const { items } = await below(ROOT, root, ...replies);
    expect(items.map(({ media }) => media)).toEqual([
      [{ type: 'image', url: 'https://cdn.test/1' }],
      [{ type: 'video', url: 'https://cdn.test/v.m3u8' }],
    ]);
  });
});

describe('replying', () => {
  const strong = (uri: string) => ({ uri, cid: `cid of ${uri}` });

  it('fixes everything before it writes, and writes the same every time', async () => {
    const written = new Map<string, unknown>();
    const { acting, asked } = methodsOf({
      [GET_RECORD]: ({ params }) => {
        if (params.get('collection') === 'app.bsky.feed.post' && params.get('repo') === BOB)
          return { ...strong(COMMENT), value: { text: 'x', reply: { root: strong(ROOT), parent: strong(ROOT) } } };
        return { ...strong('mine'), value: {} };
      },
      'com.atproto.identity.resolveHandle': () => ({ did: CAROL }),
      [PUT_RECORD]: ({ body }) => {
        if (written.has(body.rkey)) return refusal(400, 'InvalidSwap', 'Record was at x');
        written.set(body.rkey, body.record);
        return strong('written');
      },
    });
    const ask = { post: ROOT, comment: COMMENT, text: 'thanks @carol.test' };
    const plan = await comments.reply!.prepare!(acting, ask);
    const one = await comments.reply!.send(acting, ask, state(plan));
    const two = await comments.reply!.send(acting, ask, state(plan));
    expect(two).toEqual(one);
    expect(comments.reply!.idempotent).toBe(true);
    expect(written.size).toBe(1);
    const [[key, record]] = [...written] as [[string, any]];
    const permalink = `https://bsky.app/profile/alice.test/post/${key}`;
    expect(one).toEqual({ comment_id: postUri(ALICE, key), permalink });
    expect(record).toMatchObject({
      $type: 'app.bsky.feed.post',
      text: 'thanks @carol.test',
      reply: { root: strong(ROOT), parent: strong(COMMENT) },
      facets: [{ features: [{ did: CAROL }] }],
    });
    const puts = asked.filter(({ call }) => call === PUT_RECORD);
    expect(puts[0]!.body).toEqual(puts[1]!.body);
    expect(puts[0]!.body.swapRecord).toBeNull();
  });

  it('answers the post itself without a comment, and refuses what is gone or too long', async () => {
    const { acting } = methodsOf({ [GET_RECORD]: () => ({ ...strong(ROOT), value: { text: 'x' } }) });
    const plan = await comments.reply!.prepare!(acting, { post: ROOT, text: 'hello' });
    expect(plan).toMatchObject({ record: { reply: { root: strong(ROOT), parent: strong(ROOT) } } });
    const long = comments.reply!.prepare!(acting, { post: ROOT, text: 'x'.repeat(301) });
    await expect(long).rejects.toMatchObject(refused('invalid_request'));
    const gone = comments.reply!.prepare!(methodsOf({ [GET_RECORD]: noRecord }).acting, { post: ROOT, text: 'x' });
    await expect(gone).rejects.toMatchObject(refused('not_found'));
  });

  it('deletes own replies only', async () => {
    const { acting, asked } = methodsOf({ [DELETE_RECORD]: () => ({}) });
    await comments.remove!(acting, { post: ROOT, comment: postUri(ALICE, 'mine') });
    expect(asked[0]!.body).toEqual({ repo: ALICE, collection: 'app.bsky.feed.post', rkey: 'mine' });
    await expect(comments.remove!(acting, place)).rejects.toMatchObject(refused('permission_denied'));
    const unknown = comments.remove!(acting, { post: ROOT, comment: '17' });
    await expect(unknown).rejects.toMatchObject({ reason: 'not_found' });
    expect(asked).toHaveLength(1);
  });
});

describe('hiding', () => {
  /** A repository with one gate, which others may change at any moment. */
  function repository(gate: object | undefined, meanwhile: (() => object)[] = [], root = ROOT) {
    const stored = { version: 1, gate };
    const server = methodsOf({
      [GET_RECORD]: ({ params }) => {
        const answered = { uri: root, cid: 'r' };
        if (params.get('collection') === 'app.bsky.feed.post')
          return { uri: COMMENT, cid: 'c', value: { reply: { root: answered, parent: answered } } };
        if (!stored.gate) return noRecord();
        return { uri: 'at://gate', cid: `v${stored.version}`, value: stored.gate };
      },
      [PUT_RECORD]: ({ body }) => {
        const change = meanwhile.shift();
        if (change) Object.assign(stored, { version: stored.version + 1, gate: change() });
        const there = stored.gate ? `v${stored.version}` : null;
        if (body.swapRecord !== there) return refusal(400, 'InvalidSwap', 'Record was at another');
        Object.assign(stored, { version: stored.version + 1, gate: body.record });
        return { uri: 'at://gate', cid: `v${stored.version}` };
      },
    });
    return { ...server, stored };
  }
  const other = postUri(CAROL, 'other');
  const $type = 'app.bsky.feed.threadgate';

  it('makes the list where there is none, and takes a reply off it again', async () => {
    const { acting, stored, asked } = repository(undefined);
    await comments.hide!(acting, place, true);
    expect(stored.gate).toEqual({ $type, post: ROOT, createdAt: at(0), hiddenReplies: [COMMENT] });
    expect(asked.at(-1)!.body).toMatchObject({ repo: ALICE, rkey: '3kroot2222222' });
    const writes = asked.length;
    await comments.hide!(acting, place, true);
    expect(asked.slice(writes).map(({ call }) => call)).not.toContain(PUT_RECORD);
    await comments.hide!(acting, place, false);
    expect(stored.gate).toMatchObject({ hiddenReplies: [] });
    expect(stored.gate).not.toHaveProperty('allow');
  });

  it('keeps who may reply, and what somebody else hides at the same moment', async () => {
    const allow = [{ $type: 'app.bsky.feed.threadgate#followingRule' }];
    const before = { $type, post: ROOT, createdAt: at(-9), allow, future: { x: 1 } };
    const { acting, stored } = repository(before, [() => ({ ...before, hiddenReplies: [other] })]);
    await comments.hide!(acting, place, true);
    expect(stored.gate).toEqual({ ...before, hiddenReplies: [other, COMMENT] });
    await comments.hide!(acting, place, false);
    expect(stored.gate).toEqual({ ...before, hiddenReplies: [other] });
  });

  it('gives up when it is changed all the time, and when the list is full', async () => {
    const replies = Array.from({ length: 300 }, (_, i) => postUri(CAROL, `${i}`));
    const changes = replies.slice(0, 9).map((reply) => () => ({ post: ROOT, hiddenReplies: [reply] }));
    const busy = repository(undefined, changes);
    await expect(comments.hide!(busy.acting, place, true)).rejects.toMatchObject(refused('duplicate'));
    const full = repository({ post: ROOT, hiddenReplies: replies });
    await expect(comments.hide!(full.acting, place, true)).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('is for whoever began the thread', async () => {
    const { acting, calls } = repository(undefined, [], postUri(CAROL, 'root'));
    await expect(comments.hide!(acting, place, true)).rejects.toMatchObject(refused('permission_denied'));
    expect(calls()).not.toContain(PUT_RECORD);
  });

  it('knows nothing of a reply that is gone, but shows it again', async () => {
    const stored = { gate: { post: ROOT, hiddenReplies: [COMMENT] } };
    const { acting } = methodsOf({
      [GET_RECORD]: ({ params }) =>
        params.get('repo') === BOB ? noRecord() : { uri: 'x', cid: 'v', value: stored.gate },
      [PUT_RECORD]: ({ body }) => {
        stored.gate = body.record;
        return {};
      },
    });
    await expect(comments.hide!(acting, place, true)).rejects.toMatchObject({ reason: 'not_found' });
    await comments.hide!(acting, place, false);
    expect(stored.gate).toEqual({ post: ROOT, hiddenReplies: [] });
  });
});

describe('liking', () => {
  /** A repository of likes, and an AppView that may lag behind it or not answer at all. */
  function network(seen: Readonly<{ like?: string }> | 'down' = {}, keys: readonly string[] = []) {
    const likes = new Map<string, any>(keys.map((key) => [key, {}]));
    const server = methodsOf({
      [GET_POSTS]: () =>
        seen === 'down'
          ? noAppView()
          : { posts: [view({ did: BOB, rkey: '3kcomment2222', root: ROOT, more: { viewer: seen } })] },
      [GET_RECORD]: ({ params }) => {
        if (params.get('collection') === 'app.bsky.feed.post') return { uri: COMMENT, cid: 'from the pds', value: {} };
        return likes.has(params.get('rkey')!) ? { uri: 'x', cid: 'x', value: {} } : noRecord();
      },
      [PUT_RECORD]: ({ body }) => {
        if (likes.has(body.rkey)) return refusal(400, 'InvalidSwap', 'Record was at x');
        likes.set(body.rkey, body.record);
        return { uri: 'x', cid: 'x' };
      },
      [DELETE_RECORD]: ({ body }) => (likes.delete(body.rkey) ? { commit: { cid: 'x', rev: 'x' } } : {}),
    });
    return { ...server, likes };
  }
  const KEY = likeKey(COMMENT);
  const likeAt = (key: string) => ({ like: `at://${ALICE}/app.bsky.feed.like/${key}` });

  it('writes one like however often, and takes it back while the AppView does not know of it', async () => {
    const { acting, likes, clock } = network();
    await comments.like!(acting, place, true);
    clock.now += 5000;
    await comments.like!(acting, place, true);
    expect([...likes]).toEqual([
      [KEY, { $type: 'app.bsky.feed.like', subject: { uri: COMMENT, cid: 'cid-3kcomment2222' }, createdAt: at(0) }],
    ]);
    await comments.like!(acting, place, false);
    await comments.like!(acting, place, false);
    expect(likes.size).toBe(0);
  });

  it('finds the like that the owner gave elsewhere', async () => {
    const { acting, likes } = network(likeAt('3kelsewhere22'), ['3kelsewhere22']);
    await comments.like!(acting, place, true);
    expect([...likes.keys()]).toEqual(['3kelsewhere22']);
    await comments.like!(acting, place, false);
    expect(likes.size).toBe(0);
    // The AppView still shows it; the server of the account knows better.
    await comments.like!(acting, place, true);
    expect([...likes.keys()]).toEqual([KEY]);
  });

  it('does without an AppView what can be done without one', async () => {
    const { acting, likes } = network('down');
    await comments.like!(acting, place, true);
    expect(likes.get(KEY)).toMatchObject({ subject: { uri: COMMENT, cid: 'from the pds' } });
    await comments.like!(acting, place, false);
    expect(likes.size).toBe(0);
    // Whether the owner likes it by another key nobody can say now.
    await expect(comments.like!(acting, place, false)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('refuses what is gone, and has nothing to take back there', async () => {
    const gone = { [GET_POSTS]: () => ({ posts: [] }), [GET_RECORD]: noRecord, [DELETE_RECORD]: () => ({}) };
    const { acting } = methodsOf(gone);
    await expect(comments.like!(acting, place, true)).rejects.toMatchObject(refused('not_found'));
    await comments.like!(acting, place, false);
  });

  it('has keys of the protocol that keep the time of the post', () => {
    const form = /^[234567a-j][234567a-z]{12}$/;
    expect(KEY).toMatch(/^3kcomment22/);
    const key = likeKey(postUri(BOB, '3k2a4b5c6d7ef'));
    expect(key).toMatch(form);
    expect(key.slice(0, 11)).toBe('3k2a4b5c6d7');
    expect(likeKey(postUri(CAROL, '3k2a4b5c6d7ef'))).not.toBe(key);
    expect(likeKey(postUri(BOB, 'no-tid'))).toMatch(form);
    expect(likeKey(postUri(BOB, 'zzzzzzzzzzzzz'))).toMatch(form);
  });
});

describe('mentions', () => {
  it('are listed with what the AppView shows of them, newest first', async () => {
    const first = { did: BOB, rkey: 'm1', text: 'hey @alice.test', at: 30 };
    const list = [
      notice('mention', first),
      notice('like', { did: BOB, rkey: 'l1', at: 25 }),
      notice('quote', { did: CAROL, rkey: 'q1', text: 'look', at: 20 }),
      { reason: 'mention', broken: true },
      notice('mention', { did: CAROL, rkey: 'm2', text: 'and @alice.test', root: postUri(BOB, 'r'), at: 10 }),
    ];
    const shown = view({ ...first, more: { embed: { images: [{ fullsize: 'https://cdn.test/1' }] } } });
    const { acting, asked } = methodsOf({
      [NOTICES]: () => ({ notifications: list, cursor: 'next' }),
      [GET_POSTS]: ({ params }) => ({ posts: params.getAll('uris').includes(shown.uri) ? [shown] : [] }),
    });
    const { items, cursor } = await mentions.list!(acting, { limit: 20 });
    expect(cursor).toBe('next');
    expect(items).toMatchObject([
      {
        platform_id: postUri(BOB, 'm1'),
        platform_post_id: postUri(BOB, 'm1'),
        comment_id: undefined,
        mention_type: 'post',
        author: { username: 'bob.test' },
        media: [{ type: 'image', url: 'https://cdn.test/1' }],
        created_at: NOW + 30,
      },
      { platform_id: postUri(CAROL, 'q1'), mention_type: 'post', text: 'look' },
      {
        platform_id: postUri(CAROL, 'm2'),
        platform_post_id: postUri(BOB, 'r'),
        comment_id: postUri(CAROL, 'm2'),
        mention_type: 'comment',
      },
    ]);
    expect(asked[0]!.params.getAll('reasons')).toEqual(['mention', 'quote']);
    const since = await mentions.list!(acting, { limit: 20, cursor: 'c', since: NOW + 20 });
    expect(since).toMatchObject({ items: [{ platform_id: postUri(BOB, 'm1') }], cursor: undefined });
    expect(mentions.reply).toBe(comments.reply);
  });
});

describe('direct messages', () => {
  const conversation = { platform_id: 'convo1', participant: { id: BOB, name: 'BOB' } };
  const ask = { conversation, bubble: { kind: 'text', text: 'see https://example.com' } } as const;
  const message = (id: string, text: string, did = ALICE, time = 0) => ({
    $type: 'chat.bsky.convo.defs#messageView',
    id,
    rev: id,
    text,
    sender: { did },
    sentAt: at(time),
  });
  const deleted = { ...message('gone', ''), $type: 'chat.bsky.convo.defs#deletedMessageView', text: undefined };
  const LIST = 'chat.bsky.convo.getMessages';
  const SEND = 'chat.bsky.convo.sendMessage';

  it('go through the chat service with facets, and only text goes', async () => {
    const { acting, asked } = methodsOf({
      [LIST]: () => ({ messages: [] }),
      [SEND]: () => message('m1', ask.bubble.text, ALICE, 5),
    });
    const plan = await messages.bubble.prepare!(acting, ask);
    const sent = await messages.bubble.send(acting, ask, state(plan));
    expect(sent).toEqual({ message_id: 'm1', created_at: NOW + 5 });
    const last = asked.at(-1)!;
    const features = [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' }];
    expect(last.body).toEqual({
      convoId: 'convo1',
      message: { text: ask.bubble.text, facets: [{ index: { byteStart: 4, byteEnd: 23 }, features }] },
    });
    expect(last.request.headers).toMatchObject({ 'atproto-proxy': 'did:web:api.bsky.chat#bsky_chat' });
    expect(messages.parts).toEqual({ text: { max: 1000, counting: 'graphemes', max_bytes: 10_000 } });
    expect(messages.bubble.idempotent).toBeUndefined();
    for (const text of [' ', 'x'.repeat(1001), '👨‍👩‍👧‍👦'.repeat(900)]) {
      const wrong = messages.bubble.prepare!(acting, { conversation, bubble: { kind: 'text', text } });
      await expect(wrong).rejects.toMatchObject(refused('invalid_request'));
    }
  });

  it('are found after a lost answer, and never mistaken for an equal one', async () => {
    const there = [message('old', ask.bubble.text, ALICE, -60_000), message('his', ask.bubble.text, BOB, 3000)];
    const { acting } = methodsOf({ [LIST]: () => ({ messages: [deleted, ...there].toReversed() }) });
    const plan = await messages.bubble.prepare!(acting, ask);
    expect(plan).toMatchObject({ before: ['old'] });
    const look = (...taken: string[]) =>
      messages.bubble.settle!(acting, ask, { ...state(plan), taken: new Set(taken) });
    expect(await look()).toBe('absent');
    there.push(message('mine', `${ask.bubble.text} `, ALICE, 2000));
    expect(await look()).toEqual({ message_id: 'mine', created_at: NOW + 2000 });
    expect(await look('mine')).toBe('absent');
    there.push(message('next', ask.bubble.text, ALICE, 4000));
    expect(await look('mine')).toMatchObject({ message_id: 'next' });
  });

  it('are looked for as far back as they can be, and no further', async () => {
    const pages: Record<string, object> = {
      '': { messages: [message('b', 'other', BOB, 9000)], cursor: 'p2' },
      p2: { messages: [message('mine', ask.bubble.text, ALICE, 100)], cursor: 'p3' },
    };
    const { acting, asked } = methodsOf({ [LIST]: ({ params }) => pages[params.get('cursor') ?? ''] });
    const plan = { text: ask.bubble.text, facets: [], before: [] };
    const look = () => messages.bubble.settle!(acting, ask, { ...state(plan), taken: new Set() });
    expect(await look()).toMatchObject({ message_id: 'mine' });
    pages['p2'] = { messages: [message('old', ask.bubble.text, ALICE, -6 * 60_000)], cursor: 'p3' };
    expect(await look()).toBe('absent');
    pages['p2'] = { messages: [], cursor: 'p2' };
    asked.length = 0;
    expect(await look()).toBe('unknown');
    expect(asked).toHaveLength(5);
  });

  it.each([
    [400, 'InvalidToken', 'Bad token method', 'dm_scope_missing'],
    [403, 'ScopeMissingError', 'Missing required scope', 'dm_scope_missing'],
    [401, 'AuthMissing', '', 'permission_denied'],
    [400, 'InvalidConvo', '', 'not_found'],
    [400, 'ConvoLocked', '', 'not_deliverable'],
    [400, 'MessagesDisabled', '', 'not_deliverable'],
    [400, 'InvalidRequest', 'recipient has disabled incoming messages', 'not_deliverable'],
    [400, 'AccountSuspended', '', 'blocked'],
  ])('are refused with %i %s %s as %s, and the account stays connected', async (status, error, text, reason) => {
    const { acting } = methodsOf({ [SEND]: () => refusal(status, error, text) });
    const plan = { text: 'x', facets: [], before: [] };
    await expect(messages.bubble.send(acting, ask, state(plan))).rejects.toMatchObject(refused(reason));
  });

  it('know an expired session, and a service that is down, from a refusal', () => {
    const of = (status: number, error: string, message = '') => refusalOf(refusal(status, error, message), NOW, 'chat');
    expect(of(400, 'ExpiredToken')).toMatchObject({ reason: 'auth', expired: true });
    expect(of(502, 'UpstreamFailure')).toMatchObject({ kind: 'unknown' });
    expect(of(500, 'AccountSuspended')).toMatchObject({ kind: 'unknown' });
    expect(of(429, 'ConvoLocked')).toMatchObject({ kind: 'throttled' });
    expect(refusalOf(refusal(403, 'ScopeMissingError'), NOW)).toMatchObject({ reason: 'permission_denied' });
  });

  it('are marked as read', async () => {
    const { acting, asked } = methodsOf({ 'chat.bsky.convo.updateRead': () => ({}) });
    await messages.seen!(acting, conversation);
    expect(asked[0]!.body).toEqual({ convoId: 'convo1' });
  });
});

describe('limits', () => {
  it.each([
    [{ 'ratelimit-remaining': '2999', 'ratelimit-limit': '3000' }, { requests_remaining: 2999 }],
    [{}, {}],
    [{ 'ratelimit-remaining': 'many' }, {}],
  ])('reads %j as %j', async (headers: Record<string, string>, limits) => {
    const { acting } = methodsOf({ 'com.atproto.server.getSession': () => answer(200, {}, headers) });
    expect(await bluesky.limits!(acting)).toEqual(limits);
  });
});
