import { expect, it } from 'vitest';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Comments } from '#platforms/interactions.ts';
import { list, publish } from '../../harness/calls/rest.ts';
import {
  accountPush,
  comment,
  commented,
  DAWN,
  said,
  sendPush,
  thread,
  type InboundScript,
} from '../../harness/platforms/inbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import { inboxWith } from '../../harness/worlds/inbound.ts';
import type { Json } from '../../harness/world.ts';

const SLUG = 'telegram';
const MESSAGES = {
  parts: { text: { max: 100, counting: 'chars' } },
  bubble: { send: () => Promise.reject(new Error('not here')) },
} as const;
/** Comments of a platform that lists none. */
const STORED: Comments = { text: { max: 100, counting: 'chars' }, isComment: async () => false };

const alias = (thing: 'post' | 'conversation' | 'person', platform_id: string, other: string): InboundEvent => ({
  kind: 'alias',
  thing,
  platform_id,
  alias: other,
});
const from = (person: string, id: string, at: number) => said(id, { created_at: DAWN + at }, thread(person));

/** A world with an account, and the function that pushes events of it. */
async function pushingWorld(script: Partial<InboundScript> = {}) {
  const { push, targets } = accountPush();
  const { world, accountId } = await accountWorld({ push, messages: MESSAGES, comments: STORED, ...script }, SLUG);
  const tell = async (...events: readonly InboundEvent[]) => {
    const { callback, secret } = targets[0]!;
    const told = events.map((event) => ({ event }));
    expect((await sendPush(callback, told, secret)).status).toBe(200);
    await world.settle();
  };
  const conversations = () => list(world, '/v1/inbox/conversations');
  const messagesOf = async (id: string) => {
    const { status, body } = await world.rest(`GET /v1/inbox/conversations/${id}/messages`);
    expect(status).toBe(200);
    return (body.data as Json[]).map(({ platform_id }) => platform_id as string);
  };
  return { world, accountId, tell, conversations, messagesOf };
}

it('two conversations that turn out to be one are merged, and both ids lead to it', async () => {
  const { world, tell, conversations, messagesOf } = await pushingWorld();
  await tell(from('old', 'm1', 1), from('old', 'm2', 2));
  world.clock.move(1000);
  await tell(from('new', 'm3', 3));
  const [second, first] = (await conversations()) as readonly [Json, Json];
  expect([first.platform_id, second.platform_id]).toEqual(['old', 'new']);

  await tell(alias('conversation', 'new', 'old'), from('old', 'm4', 4));
  const [merged, more] = await conversations();
  expect(more).toBeUndefined();
  expect(merged).toMatchObject({ id: first.id, platform_id: 'new', unread_count: 4, last_message: 'message m4' });
  for (const { id } of [first, second]) expect(await messagesOf(id)).toEqual(['m4', 'm3', 'm2', 'm1']);
  expect((await world.rest(`GET /v1/inbox/conversations/${second.id}`)).body.data.id).toBe(first.id);
  await tell(from('new', 'm5', 5));
  expect((await messagesOf(first.id))[0]).toBe('m5');
});

it('an id that is an alias before anybody wrote by it leads to the conversation there is', async () => {
  const { tell, conversations, messagesOf } = await pushingWorld();
  await tell(from('old', 'm1', 1));
  const [{ id }] = await conversations();
  await tell(alias('conversation', 'new', 'old'), alias('conversation', 'newer', 'new'));
  await tell(from('newer', 'm2', 2), from('new', 'm3', 3), from('old', 'm4', 4));
  expect((await conversations()).map((one) => [one.id, one.platform_id])).toEqual([[id, 'newer']]);
  expect(await messagesOf(id)).toEqual(['m4', 'm3', 'm2', 'm1']);
});

describeStores('aliases', { kinds: ['memory', 'postgres'] }, (stores) => {
  it('in any order with what is written by either id come to one conversation', async () => {
    const same = alias('conversation', 'new', 'old');
    const events = [from('old', 'm1', 1), from('new', 'm2', 2), same, from('old', 'm3', 3)];
    for (let first = 0; first < events.length; first += 1) {
      const { world, account } = await inboxWith(stores);
      const turned = [...events.slice(first), ...events.slice(0, first)];
      for (const event of turned) await world.record(account, [event]);
      await world.record(account, turned);
      expect(await world.rows('conversations')).toMatchObject([{ platform_id: 'new', unread_count: 3 }]);
      const held = (await world.rows('messages')).map(({ conversation_id }) => conversation_id as string);
      expect([held.length, new Set(held).size]).toEqual([3, 1]);
      expect(await world.events('dm.received')).toHaveLength(3);
    }
  });

  it('of a person move what they wrote, and of nobody else', async () => {
    const { world, account } = await inboxWith(stores);
    const other = await world.account();
    for (const one of [account, other]) await world.record(one, [from('wa', `m-${one.id}`, 1)]);
    await world.record(account, [alias('person', 'bsuid', 'wa'), from('wa', 'm2', 2)]);
    const people = (await world.rows('conversations')).map((row) => [row.account_id, row.participant_id]);
    expect(Object.fromEntries(people)).toEqual({ [account.id]: 'bsuid', [other.id]: 'wa' });
    const senders = (await world.rows('messages')).filter(({ account_id }) => account_id === account.id);
    expect(senders.map(({ sender_id }) => sender_id)).toEqual(['bsuid', 'bsuid']);
  });

  it('of a post gather its comments and its row, whichever came first', async () => {
    const { world, account } = await inboxWith(stores);
    await world.record(account, [
      commented('c1', { platform_post_id: 'share' }),
      commented('c2', { platform_post_id: 'activity' }),
      alias('post', 'share', 'activity'),
      commented('c3', { platform_post_id: 'activity' }),
    ]);
    expect(await world.rows('inbox_posts')).toMatchObject([{ platform_id: 'share', comment_count: 3 }]);
    const posts = (await world.rows('comments')).map(({ platform_post_id }) => platform_post_id as string);
    expect(posts).toEqual(['share', 'share', 'share']);
  });
});

it('a post that gets its id late keeps one identity: its record, its comments and what a sync finds', async () => {
  const metrics = { likes: 7, comments: 2, shares: 0, saves: 0 };
  const listed = { platform_post_id: 'final', text: 'Hello', created_at: DAWN, media: [], metrics };
  const { world, accountId, tell } = await pushingWorld({ posts: [listed] });
  const made = await publish(world, accountId, { text: 'Hello' });
  expect([made.status, made.body.targets?.[0]?.platform_post_id]).toEqual([201, 'made of Hello']);
  const { id } = made.body;
  await tell(commented('c1', { platform_post_id: 'made of Hello' }));
  // A sync that comes before the name takes it for a post of somebody else.
  world.clock.move(4_000_000);
  expect((await world.rest(`POST /v1/accounts/${accountId}/sync`)).status).toBe(200);

  const permalink = 'https://told.test/final';
  await tell({ kind: 'post_named', was: 'made of Hello', platform_id: 'final', permalink });
  await tell(commented('c2', { platform_post_id: 'final', created_at: DAWN + 1 }));
  const shown = (await world.rest(`GET /v1/posts/${id}`)).body;
  expect(shown.targets).toMatchObject([{ platform_post_id: 'final', permalink }]);
  expect((await list(world, '/v1/posts')).map((post) => post.id)).toEqual([id]);
  for (const name of [id, 'final', 'made of Hello']) {
    const comments = await list(world, `/v1/inbox/comments/${encodeURIComponent(name)}`);
    expect([name, comments.map(({ platform_id }) => platform_id)]).toEqual([name, ['c1', 'c2']]);
  }
  world.clock.move(4_000_000);
  await world.rest(`POST /v1/accounts/${accountId}/sync`);
  expect((await list(world, '/v1/posts')).map((post) => post.id)).toEqual([id]);
});

it('comments of a platform that lists none are those that were pushed, page by page', async () => {
  const { world, accountId, tell } = await pushingWorld();
  await tell(...['c1', 'c2', 'c3'].map((id, at) => commented(id, { created_at: DAWN + at })));
  await tell(commented('r1', { parent_id: 'c1', created_at: DAWN + 9 }));
  await tell({ kind: 'comment_gone', platform_id: 'c2' });
  const page = async (query: string) => (await world.rest(`GET /v1/inbox/comments/post-1${query}`)).body;
  const first = await page('?limit=1');
  expect(first.data.map((one: Json) => one.platform_id)).toEqual(['c1']);
  expect((await page(`?limit=1&cursor=${first.next_cursor}`)).data.map((one: Json) => one.platform_id)).toEqual(['c3']);
  const replies = await list(world, `/v1/inbox/comments/post-1/${first.data[0].id}/replies`);
  expect(replies.map(({ platform_id }) => platform_id)).toEqual(['r1']);
  const unknown = await world.rest(`GET /v1/inbox/comments/post-9?account_id=${accountId}`);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'post.not_found']);
});

it('a list that is newest first ends at what is too old', async () => {
  const asked: unknown[] = [];
  const listing: NonNullable<Comments['list']> = async (_call, _place, { cursor, since }) => {
    asked.push([cursor, since]);
    const at = cursor === undefined ? 10 : 4;
    const items = [at, at - 1].map((n) => comment(`c${n}`, { created_at: DAWN + n * 1000 }));
    return { items, cursor: 'more' };
  };
  const { world, accountId, tell } = await pushingWorld({ comments: { ...STORED, list: listing, order: 'newest' } });
  await tell(commented('c1'));
  const since = new Date(DAWN + 3500).toISOString();
  const read = async (cursor: string) => {
    const query = `since=${encodeURIComponent(since)}&limit=2${cursor && `&cursor=${cursor}`}`;
    return (await world.rest(`GET /v1/accounts/${accountId}/posts/post-1/comments?${query}`)).body;
  };
  const first = await read('');
  expect(first.data.map((one: Json) => one.platform_id)).toEqual(['c10', 'c9']);
  const second = await read(first.next_cursor);
  expect([second.data.map((one: Json) => one.platform_id), second.next_cursor]).toEqual([['c4'], '']);
  expect(asked).toHaveLength(2);
});
