import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import type { SendCall } from '#platforms/sending.ts';
import {
  ALICE,
  at,
  BOB,
  CAROL,
  notice,
  postUri,
  profile,
  refusal,
  methodsOf,
  sessionWith,
  view,
} from '../../harness/platforms/bluesky-samples.ts';
import { readOn } from '../../harness/platforms/reading.ts';
import { NOW } from '../../harness/platforms/script.ts';

const inbox = bluesky.inbox!;
const ROOT = postUri(ALICE, 'root');

type Notice = ReturnType<typeof notice>;
type Switches = { appView: string; chat: string; lists: (() => void)[]; endless: boolean; stuck?: string };

/** A whole network: notifications as they are listed, conversations with their log, and what may fail. */
function network(scope?: string) {
  const notices: Notice[] = [];
  const convos: { id: string; members: string[]; unreadCount?: number; kind?: object; messages: object[] }[] = [];
  const log: { $type: string; rev: string; convoId: string; message?: object }[] = [];
  const switches: Switches = { appView: 'up', chat: 'up', lists: [], endless: false };
  const pageOf = <T>(all: readonly T[], params: URLSearchParams) => {
    const from = Number(params.get('cursor') ?? 0);
    const to = from + Number(params.get('limit') ?? 50);
    return { page: all.slice(from, to), cursor: to < all.length ? String(to) : undefined };
  };
  /** What a service answers, unless it is down or there is none. */
  const service = (name: 'appView' | 'chat', none: PlatformAnswer) => (made: () => unknown) => {
    if (switches[name] === 'down') return refusal(502, 'UpstreamFailure', 'Upstream service unreachable');
    return switches[name] === 'none' ? none : made();
  };
  const appView = service('appView', refusal(400, 'InvalidRequest', 'No service configured for x'));
  const chat = service('chat', refusal(400, 'InvalidToken', 'Bad token method'));
  const ours = (more: object = {}) =>
    view({ did: ALICE, rkey: 'root', text: 'our post', more: { replyCount: 7, ...more } });
  const convoView = ({ id, unreadCount, kind, members, messages }: (typeof convos)[0]) => ({
    id,
    unreadCount,
    kind,
    rev: log.findLast(({ convoId }) => convoId === id)?.rev ?? 'r0000',
    members: members.map(profile),
    lastMessage: messages.at(-1),
  });
  const server = methodsOf(
    {
      'app.bsky.notification.listNotifications': ({ params }) =>
        appView(() => {
          switches.lists.shift()?.();
          const sorted = notices
            .filter(({ reason }) => params.getAll('reasons').includes(reason))
            .toSorted((a, b) => (a.indexedAt < b.indexedAt ? 1 : -1));
          const { page, cursor } = pageOf(sorted, params);
          const next = page.length > 0 ? String(Number(params.get('cursor') ?? 0) + page.length) : undefined;
          return { notifications: page, cursor: switches.stuck ?? (switches.endless ? next : cursor) };
        }),
      'app.bsky.feed.getPosts': ({ params }) =>
        appView(() => {
          const threadgate = { record: { hiddenReplies: [postUri(BOB, 'hidden')] } };
          return { posts: params.getAll('uris').includes(ROOT) ? [ours({ threadgate })] : [] };
        }),
      'app.bsky.feed.getAuthorFeed': () => appView(() => ({ feed: [{ post: ours() }] })),
      'com.atproto.repo.listRecords': () => ({
        records: [{ uri: ROOT, value: { text: 'our post', createdAt: at(0) } }],
      }),
      'chat.bsky.convo.listConvos': ({ params }) =>
        chat(() => {
          const latest = convos.map(convoView).toSorted((a, b) => (a.rev < b.rev ? 1 : -1));
          const { page, cursor } = pageOf(latest, params);
          return { convos: page, cursor };
        }),
      'chat.bsky.convo.getConvo': ({ params }) =>
        chat(() => {
          const found = convos.find(({ id }) => id === params.get('convoId'));
          return found ? { convo: convoView(found) } : refusal(400, 'InvalidConvo', 'Convo not found');
        }),
      'chat.bsky.convo.getMessages': ({ params }) =>
        chat(() => ({ messages: convos.find(({ id }) => id === params.get('convoId'))!.messages.toReversed() })),
      'chat.bsky.convo.getLog': ({ params }) =>
        chat(() => {
          const logs = log.filter((entry) => entry.rev > (params.get('cursor') ?? '')).slice(0, 4);
          return { logs, cursor: logs.at(-1)?.rev ?? params.get('cursor') ?? undefined };
        }),
    },
    scope,
  );
  let place: unknown;
  return {
    ...server,
    /** Reads on from where it stands, or from another place, and stands behind what it read. */
    async poll(from = place, acting: SendCall = server.acting) {
      const polled = await readOn(inbox.poll!.read, acting, from);
      place = polled.cursor;
      return polled;
    },
    notices,
    convos,
    log,
    switches,
    open: (id: string, other: string, more: object = {}) =>
      convos.push({ id, members: [ALICE, other], messages: [], ...more }),
    happen(type: string, convoId: string, message?: object) {
      const next = `r${String(log.length + 1).padStart(4, '0')}`;
      log.push({ $type: `chat.bsky.convo.defs#${type}`, rev: next, convoId, ...(message && { message }) });
    },
    say(convoId: string, id: string, did = BOB) {
      const $type = 'chat.bsky.convo.defs#messageView';
      const said = { $type, id, rev: id, text: id, sender: { did }, sentAt: at(log.length * 1000) };
      convos.find((convo) => convo.id === convoId)?.messages.push(said);
      this.happen('logCreateMessage', convoId, said);
    },
  };
}

const ids = (facts: readonly InboundEvent[], kind: InboundEvent['kind']) =>
  facts.flatMap((fact) => {
    if (fact.kind !== kind) return [];
    if (fact.kind === 'comment') return [fact.comment.platform_id];
    if (fact.kind === 'mention') return [fact.mention.platform_id];
    return fact.kind === 'message' ? [fact.message.platform_id] : [];
  });

const reply = (rkey: string, time: number, did = BOB) =>
  notice('reply', { did, rkey, text: rkey, root: ROOT, subject: ROOT, at: time });

describe('polling notifications', () => {
  it('finds its place first, and then reports each thing once', async () => {
    const { poll, notices, calls } = network();
    notices.push(reply('just now', -MINUTE), reply('old', -HOUR));
    const begin = await poll();
    expect([begin.facts, ids(begin.met, 'comment')]).toEqual([[], [postUri(BOB, 'just now')]]);
    expect((await poll()).facts).toEqual([]);
    notices.push(reply('one', MINUTE), reply('hidden', 2 * MINUTE));
    const next = await poll(begin.cursor);
    expect(ids(next.facts, 'comment')).toEqual([postUri(BOB, 'hidden'), postUri(BOB, 'one')]);
    expect(next.facts).toMatchObject([
      { comment: { platform_post_id: ROOT, parent_id: undefined, is_hidden: true, author: { username: 'bob.test' } } },
      { comment: { text: 'one', is_hidden: false, is_owner: false } },
      { kind: 'post', post: { platform_id: ROOT, text: 'our post', comment_count: 7, like_count: 1 } },
    ]);
    const asked = calls().length;
    expect((await poll()).facts).toEqual([]);
    expect(calls().slice(asked)).not.toContain('app.bsky.feed.getPosts');
  });

  it('reports what stands below others because its author’s clock is slow', async () => {
    const { poll, notices } = network();
    notices.push(reply('first', 0));
    await poll();
    notices.push(reply('second', 10 * MINUTE));
    await poll();
    notices.push(reply('late', -20 * MINUTE), reply('same', 10 * MINUTE));
    const { facts } = await poll();
    expect(ids(facts, 'comment').toSorted()).toEqual([postUri(BOB, 'late'), postUri(BOB, 'same')]);
  });

  it('looks past a page that ends early, as the network’s pages do', async () => {
    const { poll, notices, switches } = network();
    switches.endless = true;
    notices.push(reply('first', 0), reply('earlier', -30 * MINUTE), reply('old', -5 * HOUR));
    const { cursor } = await poll();
    expect((await poll()).facts).toEqual([]);
    notices.push(reply('late', -40 * MINUTE));
    const late = await poll(cursor);
    expect(ids(late.facts, 'comment')).toEqual([postUri(BOB, 'late')]);
    expect((await poll()).facts).toEqual([]);
  });

  it('ends with a page that leads to itself', async () => {
    const { poll, notices, switches } = network();
    notices.push(reply('first', 0));
    await poll();
    switches.stuck = '0';
    notices.push(reply('second', HOUR));
    expect([...new Set(ids((await poll()).facts, 'comment'))]).toEqual([postUri(BOB, 'second')]);
    expect((await poll()).facts).toEqual([]);
  });

  it('begins with an account that nobody ever answered', async () => {
    const { poll, notices } = network();
    await poll();
    notices.push(reply('first', -9 * HOUR));
    expect(ids((await poll()).facts, 'comment')).toEqual([postUri(BOB, 'first')]);
  });

  it('reports what answers and mentions at once as both, and a thread of others only as far as it is ours', async () => {
    const { poll, notices } = network();
    await poll();
    const foreign = postUri(CAROL, 'foreign');
    const ours = postUri(ALICE, 'ours');
    const deep = postUri(BOB, 'deep');
    notices.push(
      notice('mention', { did: BOB, rkey: 'a', root: ROOT, parent: deep, at: 1 }),
      notice('mention', { did: BOB, rkey: 'b', root: foreign, at: 2 }),
      notice('reply', { did: BOB, rkey: 'c', root: foreign, parent: ours, subject: ours, at: 3 }),
      notice('reply', { did: BOB, rkey: 'd', root: foreign, parent: deep, subject: ours, at: 4 }),
      notice('quote', { did: BOB, rkey: 'e', at: 5 }),
      notice('like', { did: BOB, rkey: 'f', at: 6 }),
    );
    const { facts } = await poll();
    const told = facts.flatMap((fact) => (fact.kind === 'comment' ? [fact.comment] : []));
    expect(told.map(({ platform_id, ...at }) => [platform_id.at(-1), at.platform_post_id, at.parent_id])).toEqual([
      ['d', ours, deep],
      ['c', ours, undefined],
      ['a', ROOT, deep],
    ]);
    expect(ids(facts, 'mention').map((uri) => uri.at(-1))).toEqual(['e', 'b', 'a']);
  });

  it('reads on through more than it takes at once, and loses nothing while more arrives', async () => {
    const { poll, notices, switches, asked } = network();
    await poll();
    notices.push(...Array.from({ length: 730 }, (_, i) => reply(`n${i}`, (i + 1) * 1000)));
    switches.lists = Array.from({ length: 8 }, (_, i) => () => void notices.push(reply(`m${i}`, 800_000 + i)));
    const first = await poll();
    expect(first.steps).toBe(3);
    const second = await poll();
    const told = [...ids(first.facts, 'comment'), ...ids(second.facts, 'comment')];
    expect(new Set(told)).toEqual(new Set(notices.map(({ uri }) => uri)));
    expect(JSON.stringify(second.cursor).length).toBeLessThan(16_000);
    const before = asked.length;
    expect((await poll()).facts).toEqual([]);
    expect(asked.length - before).toBeLessThan(8);
  });

  it('begins at the top again when the list cannot be gone on with', async () => {
    const { acting, poll, notices } = network();
    const begin = await poll();
    notices.push(...Array.from({ length: 350 }, (_, i) => reply(`n${i}`, (i + 1) * 1000)));
    const step = await inbox.poll!.read(acting, begin.cursor);
    expect(step.more).toBe(true);
    const broken: SendCall = {
      ...acting,
      http: async (request) =>
        request.url.includes('cursor=300') && request.url.includes('listNotifications')
          ? refusal(400, 'InvalidRequest', 'Malformed cursor')
          : acting.http(request),
    };
    const again = await inbox.poll!.read(broken, step.cursor);
    expect(again.events.length).toBeGreaterThan(299);
  });

  it('takes what the AppView cannot look up from the notification', async () => {
    const { poll, notices } = network();
    await poll();
    notices.push({ ...reply('x', 1), author: { ...profile(CAROL), handle: 'handle.invalid' } });
    const author = { id: CAROL, name: 'CAROL' };
    expect((await poll()).facts[0]).toMatchObject({ comment: { text: 'x', like_count: 0, media: [], author } });
  });
});

describe('polling the chat log', () => {
  it('reports messages both ways with whom they are, and what was taken back', async () => {
    const world = network();
    world.open('c1', BOB);
    world.say('c1', 'old');
    const begin = await world.poll();
    expect([begin.facts, ids(begin.met, 'message')]).toEqual([[], ['old']]);
    world.open('c2', CAROL);
    world.say('c1', 'hi');
    world.say('c2', 'from the phone', ALICE);
    world.happen('logReadConvo', 'c1', world.convos[0]!.messages[1]);
    world.happen('logAddReaction', 'c1');
    const $type = 'chat.bsky.convo.defs#deletedMessageView';
    world.happen('logDeleteMessage', 'c1', { $type, id: 'old' });
    world.happen('logCreateMessage', 'c1', { $type, id: 'q', sender: { did: BOB }, sentAt: at(0) });
    const { facts } = await world.poll();
    expect(facts).toMatchObject([
      {
        kind: 'message',
        conversation: { platform_id: 'c1', participant: { id: BOB, name: 'BOB', username: 'bob.test' } },
        message: { platform_id: 'hi', direction: 'incoming', text: 'hi', attachments: [], created_at: NOW + 1000 },
      },
      {
        kind: 'message',
        conversation: { platform_id: 'c2', participant: { id: CAROL } },
        message: { platform_id: 'from the phone', direction: 'outgoing', status: 'sent' },
      },
      { kind: 'message_gone', platform_id: 'old' },
    ]);
    expect(facts).toHaveLength(3);
    expect((await world.poll()).facts).toEqual([]);
  });

  it('reads a long log to its end, once, and asks for conversations that are not among the latest', async () => {
    const world = network();
    await world.poll();
    for (let i = 0; i < 103; i++) world.open(`c${i}`, BOB);
    for (let i = 0; i < 103; i++) world.say(`c${i}`, `m${i}`);
    const { facts, steps } = await world.poll();
    expect(ids(facts, 'message')).toEqual(Array.from({ length: 103 }, (_, i) => `m${i}`));
    expect(steps).toBe(6);
    expect(world.calls()).toContain('chat.bsky.convo.getConvo');
  });

  it('leaves out groups and conversations that were left', async () => {
    const world = network();
    await world.poll();
    world.open('group', BOB, { kind: { $type: 'chat.bsky.convo.defs#groupConvo', name: 'all' } });
    world.open('three', BOB, { members: [ALICE, BOB, CAROL] });
    for (const convo of ['group', 'three', 'left']) world.say(convo, `in ${convo}`);
    expect((await world.poll()).facts).toEqual([]);
  });

  it('shows a shared post as an attachment', async () => {
    const world = network();
    await world.poll();
    world.open('c1', BOB);
    const $type = 'app.bsky.embed.record#viewRecord';
    const record = { $type, uri: postUri(CAROL, 'shared'), author: profile(CAROL) };
    const embed = { $type: 'app.bsky.embed.record#view', record };
    const said = { id: 'm', text: '', sender: { did: BOB }, sentAt: at(0) };
    world.happen('logCreateMessage', 'c1', { ...said, embed, replyTo: { id: 'q' } });
    const attachments = [{ type: 'post', url: 'https://bsky.app/profile/carol.test/post/shared' }];
    expect((await world.poll()).facts).toMatchObject([{ message: { reply_to: 'q', attachments } }]);
  });

  it('skips what was there before even where the log knows no other place than its beginning', async () => {
    const world = network();
    world.open('c1', BOB);
    for (let i = 0; i < 30; i++) world.say('c1', `m${i}`);
    const { acting } = world;
    const forgetful: SendCall = {
      ...acting,
      http: (request) => acting.http({ ...request, url: request.url.replace('cursor=r0030', '') }),
    };
    const one = await inbox.poll!.read(forgetful, undefined);
    expect(one.more).toBe(true);
    expect((await world.poll(one.cursor)).facts).toEqual([]);
    world.say('c1', 'new');
    expect(ids((await world.poll()).facts, 'message')).toEqual(['new']);
  });

  it('is off for a day where the login may not, and looks at once when it is another login', async () => {
    const world = network('com.atproto.appPass');
    world.switches.chat = 'none';
    const { acting, clock, calls } = world;
    const chats = () => calls().filter((name) => name.startsWith('chat.')).length;
    expect(await world.poll()).toMatchObject({ facts: [], met: [] });
    expect(chats()).toBe(1);
    clock.now += 23 * HOUR;
    await world.poll();
    expect(chats()).toBe(1);
    clock.now += HOUR;
    await world.poll();
    expect(chats()).toBe(2);

    world.switches.chat = 'up';
    world.open('c1', BOB);
    world.say('c1', 'before');
    const renewed = { ...acting, session: sessionWith('com.atproto.appPassPrivileged') };
    const { facts, met } = await world.poll(undefined, renewed);
    expect([facts, ids(met, 'message')]).toEqual([[], ['before']]);
    world.say('c1', 'after');
    expect(ids((await world.poll(undefined, renewed)).facts, 'message')).toEqual(['after']);
  });
});

describe('polling both', () => {
  it('lets neither hold up the other, and reports a failure when that is all there is', async () => {
    const world = network();
    const { acting, switches, notices } = world;
    world.open('c1', BOB);
    const { cursor } = await world.poll();
    switches.appView = 'down';
    await expect(inbox.poll!.read(acting, cursor)).rejects.toMatchObject({ kind: 'unknown' });
    world.say('c1', 'hi');
    notices.push(reply('meanwhile', 1));
    const chat = await world.poll();
    expect(ids(chat.facts, 'message')).toEqual(['hi']);
    await expect(inbox.poll!.read(acting, chat.cursor)).rejects.toMatchObject({ kind: 'unknown' });
    Object.assign(switches, { appView: 'up', chat: 'down' });
    world.say('c1', 'later');
    expect(ids((await world.poll()).facts, 'comment')).toEqual([postUri(BOB, 'meanwhile')]);
    switches.chat = 'up';
    expect(ids((await world.poll()).facts, 'message')).toEqual(['later']);
  });

  it('keeps the place that was found while the other part was down', async () => {
    const world = network();
    world.open('c1', BOB);
    world.say('c1', 'old');
    world.switches.appView = 'down';
    await world.poll();
    world.say('c1', 'new');
    world.switches.appView = 'up';
    expect(ids((await world.poll()).facts, 'message')).toEqual(['new']);
  });

  it.each([
    { down: 'chat', first: 'comment', late: 'message' },
    { down: 'appView', first: 'message', late: 'comment' },
  ] as const)('tells apart what $down met that begins later than the other part', async ({ down, first, late }) => {
    const world = network();
    const tell = (name: string) => {
      world.say('c1', name);
      world.notices.push(reply(name, 1000 * world.log.length));
    };
    const named = { comment: (name: string) => postUri(BOB, name), message: (name: string) => name };
    world.open('c1', BOB);
    tell('old');
    world.switches[down] = 'down';
    const one = await world.poll();
    expect([one.facts, ids(one.met, first), ids(one.met, late)]).toEqual([[], [named[first]('old')], []]);
    tell('meanwhile');
    world.switches[down] = 'up';
    const two = await world.poll();
    expect([ids(two.facts, first), ids(two.facts, late)]).toEqual([[named[first]('meanwhile')], []]);
    expect(ids(two.met, late).toSorted()).toEqual([named[late]('meanwhile'), named[late]('old')].toSorted());
    expect(ids(two.met, first)).toEqual([]);
    tell('new');
    const { facts, met } = await world.poll();
    expect([ids(facts, 'comment'), ids(facts, 'message'), met]).toEqual([[named.comment('new')], ['new'], []]);
  });

  it('does without an AppView where there is none, and begins anew with a place it cannot read', async () => {
    const world = network();
    world.switches.appView = 'none';
    await world.poll({ news: 7, chat: 'x' });
    expect((await world.poll()).facts).toEqual([]);
  });

  it('asks every half minute', () => expect(inbox.poll!.everyMs).toBe(30_000));
});

describe('history', () => {
  const readAll = (acting: SendCall) => readOn(inbox.history!, acting, undefined);

  it('reports posts with counts, two hundred notifications and all conversations', async () => {
    const world = network();
    world.notices.push(...Array.from({ length: 250 }, (_, i) => reply(`n${i}`, -i * MINUTE)));
    for (let i = 0; i < 12; i++) {
      world.open(`c${i}`, i === 3 ? CAROL : BOB, { unreadCount: i });
      world.say(`c${i}`, `a${i}`);
      world.say(`c${i}`, `b${i}`, ALICE);
    }
    const { facts, steps } = await readAll(world.acting);
    expect(steps).toBe(5);
    expect(facts[0]).toMatchObject({ kind: 'post', post: { platform_id: ROOT, text: 'our post', comment_count: 7 } });
    expect(ids(facts, 'comment')).toEqual(Array.from({ length: 200 }, (_, i) => postUri(BOB, `n${i}`)));
    expect(ids(facts, 'message')).toHaveLength(24);
    expect(facts.find((fact) => fact.kind === 'message' && fact.message.platform_id === 'b3')).toMatchObject({
      conversation: { platform_id: 'c3', participant: { id: CAROL }, unread: 3 },
      message: { direction: 'outgoing' },
    });
  });

  it('does without direct messages and without an AppView', async () => {
    const world = network('com.atproto.appPass');
    Object.assign(world.switches, { chat: 'none', appView: 'none' });
    const { facts } = await readAll(world.acting);
    expect(facts).toMatchObject([{ kind: 'post', post: { platform_id: ROOT, comment_count: 0 } }]);
  });

  it('waits for an AppView that is down', async () => {
    const { acting, switches } = network();
    switches.appView = 'down';
    await expect(readAll(acting)).rejects.toMatchObject({ kind: 'unknown' });
  });
});
