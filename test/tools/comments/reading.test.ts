import { describe, expect, test } from 'vitest';
import type { PlatformPost } from '#platforms/inbox-types.ts';
import { aComment, noSuchThing, revoked, silent, throttled } from '../../harness/platforms/social.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { allOf, expectLacking, makeStage } from '../../harness/worlds/social.ts';
import { publish } from './published.ts';

const it = test.extend('stage', () => scene());

const START = Date.UTC(2026, 0, 10);

function aPost(platform_id: string, more: Partial<PlatformPost> = {}): { kind: 'post'; post: PlatformPost } {
  const post = { platform_id, text: `About ${platform_id}`, comment_count: 0, like_count: 0, published_at: START };
  return { kind: 'post', post: { ...post, ...more } };
}

const ids = (rows: readonly { platform_id: string }[]) => rows.map(({ platform_id }) => platform_id);

/** A post with three comments and a reply, which nobody has read yet. */
async function scene(platform: 'twitter' | 'facebook' = 'twitter') {
  const stage = await makeStage();
  const account = await stage.connect(platform);
  const page_id = platform === 'facebook' ? 'p1' : undefined;
  const comments = ['c1', 'c2', 'c3'].map((platform_id, at) =>
    aComment('post-1', { platform_id, page_id, created_at: START + at * 1000 }),
  );
  const reply = aComment('post-1', { platform_id: 'c4', parent_id: 'c2', created_at: START + 5000, page_id });
  stage.net.comments.set('post-1', [...comments, reply]);
  await stage.tell(account, [aPost('post-1', { page_id, comment_count: 4 })], { silent: true });
  const { data } = (await call(stage.world, 'list_inbox_posts')).body;
  return { ...stage, account, row: data[0].id as string, reply };
}

describe('list_inbox_posts', () => {
  it('sorts, filters and pages', async () => {
    const { world, connect, tell } = await makeStage();
    const [one, two] = [await connect('twitter', 'one'), await connect('facebook', 'two')];
    await tell(one, [
      aPost('a', { published_at: START, comment_count: 2, like_count: 9, permalink: 'https://x.example.org/a' }),
      aPost('b', { published_at: START + 1000, comment_count: 5 }),
      aPost('c', { published_at: START + 2000, comment_count: 0 }),
    ]);
    await tell(two, [aPost('d', { published_at: START + 3000, comment_count: 5, page_id: 'p2' })]);
    const list = async (input: object, limit = 1) => ids(await allOf(world, 'list_inbox_posts', input, limit));
    expect(await list({})).toEqual(['d', 'c', 'b', 'a']);
    expect(await list({ sort_order: 'asc' }, 3)).toEqual(['a', 'b', 'c', 'd']);
    expect((await list({ sort_by: 'comments' })).slice(2)).toEqual(['a', 'c']);
    expect((await list({ sort_by: 'comments', sort_order: 'asc' }, 2)).slice(0, 2)).toEqual(['c', 'a']);
    expect(await list({ min_comments: 5 }, 5)).toEqual(['d', 'b']);
    expect(await list({ since: new Date(START + 1000).toISOString() })).toEqual(['d', 'c']);
    expect(await list({ account_id: one.id }, 2)).toEqual(['c', 'b', 'a']);
    expect(await list({ brand_id: two.brand_id })).toEqual(['d']);
    expect(await list({ platform: 'twitter' }, 5)).toEqual(['c', 'b', 'a']);
    expect(await list({ page_id: 'p2' })).toEqual(['d']);
    expect(await list({ page_id: 'p1' })).toEqual([]);
    const { data } = (await call(world, 'list_inbox_posts', { account_id: one.id, sort_order: 'asc' })).body;
    expect(data[0]).toMatchObject({
      user_id: world.userId,
      account_id: one.id,
      platform: 'twitter',
      content: 'About a',
      permalink: 'https://x.example.org/a',
      thumbnail: null,
      page_id: null,
      comment_count: 2,
      like_count: 9,
      published_at: new Date(START).toISOString(),
    });
    await expectRefusal(call(world, 'list_inbox_posts', { account_id: 'acc_none' }), 'account.not_found');
    await expectRefusal(call(world, 'list_inbox_posts', { brand_id: 'brd_none' }), 'brand.not_found');
    for (const [field, value] of [
      ['min_comments', -1],
      ['since', '2026-01-01'],
      ['sort_by', 'luck'],
      ['sort_order', 'up'],
    ] as const)
      await expectInvalid(call(world, 'list_inbox_posts', { [field]: value }), field);
    const { next_cursor: cursor } = (await call(world, 'list_inbox_posts', { limit: 1 })).body;
    await expectInvalid(call(world, 'list_inbox_posts', { sort_by: 'comments', cursor }), 'cursor');
  });
});

describe('the comments of a post', () => {
  it('are read live, stored without an event, and reported when they are pushed', async () => {
    const { world, net, account, row, tell, reply } = await scene();
    const receiver = await world.receive(['comment.received']);
    const rows = await allOf(world, 'list_post_comments', { post_id: row }, 2);
    expect(ids(rows)).toEqual(['c1', 'c2', 'c3']);
    expect(net.calls).toEqual(['ours comments.list', 'ours comments.list']);
    const [first] = rows;
    expect(first).toMatchObject({
      type: 'comment',
      account_id: account.id,
      platform: 'twitter',
      inbox_post_id: row,
      platform_post_id: 'post-1',
      parent_id: null,
      author: { id: 'fan', name: 'Fan', username: 'fan', avatar_url: null },
      content: { text: first.text, media: [] },
      author_id: 'fan',
      author_name: 'Fan',
      author_username: 'fan',
      author_picture: null,
      is_owner: false,
      is_hidden: false,
      is_liked: false,
      liked_by_viewer: false,
      like_count: 0,
      reply_count: 0,
      has_replies: false,
      capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true },
      created_at: new Date(START).toISOString(),
      metadata: { sandbox: true },
    });
    const replies = { post_id: row, comment_id: rows[1].id };
    const answered = await allOf(world, 'get_comment_replies', replies, 1);
    expect(answered).toMatchObject([{ platform_id: 'c4', parent_id: rows[1].id, inbox_post_id: row }]);
    await world.settle();
    expect(receiver.received).toEqual([]);
    await tell(account, [{ kind: 'comment', comment: reply }]);
    await world.settle();
    expect(receiver.received.map(({ body }) => body.data['id'])).toEqual([answered[0].id]);
    // What changed on the platform changes here.
    net.comments.set('post-1', [aComment('post-1', { platform_id: 'c1', like_count: 7, is_liked: true })]);
    const { body } = await call(world, 'list_post_comments', { post_id: row });
    expect(body).toMatchObject({ count: 1, data: [{ like_count: 7, is_liked: true, liked_by_viewer: true }] });
  });

  it('are found by any id of the post, whose account is found by it', async ({ stage }) => {
    const { world, net, connect, account, row } = stage;
    const own = await publish(stage, [{ account, post: 'post-1' }]);
    const list = (input: object) => call(world, 'list_post_comments', { ...input });
    for (const post_id of [row, 'post-1', own]) {
      const { body } = await list({ post_id });
      expect([post_id, ids(body.data), body.data[0].inbox_post_id]).toEqual([post_id, ['c1', 'c2', 'c3'], row]);
      const named = { post_id, account_id: account.id };
      expect((await list(named)).body.count).toBe(3);
      expect((await call(world, 'list_account_post_comments', named)).body.count).toBe(3);
    }
    const other = await connect('twitter', 'other');
    await expectInvalid(list({ post_id: row, account_id: other.id }), 'account_id');
    await expectRefusal(list({ post_id: row, account_id: 'acc_none' }), 'account.not_found', { id: 'acc_none' });
    await expectRefusal(list({ post_id: 'post-9' }), 'post.not_found', { resource: 'post', id: 'post-9' });
    // A post that only the platform knows is asked for there, for the account that is named.
    net.comments.set('post-2', [aComment('post-2', { platform_id: 'c9' })]);
    expect(ids((await list({ post_id: 'post-2', account_id: account.id })).body.data)).toEqual(['c9']);
    const unknown = { post_id: 'post-3', account_id: account.id };
    for (const name of ['list_post_comments', 'list_account_post_comments'])
      await expectRefusal(call(world, name, unknown), 'post.not_found', { resource: 'post', id: 'post-3' });
    // Two accounts have a post of ours: one must be named.
    const both = await publish(stage, [
      { account, post: 'post-2' },
      { account: other, post: 'post-2' },
    ]);
    await expectRequired(list({ post_id: both }), 'account_id');
    expect((await list({ post_id: both, account_id: other.id })).ok).toBe(true);
    const draft = await publish(stage, [{ account, post: null }]);
    await expectRefusal(list({ post_id: draft }), 'post.not_found', { id: draft });
  });

  it('go on where they left off, for whoever is asked', async ({ stage: { world, net, account, row } }) => {
    const { next_cursor: cursor } = (await call(world, 'list_post_comments', { post_id: row, limit: 2 })).body;
    const rest = await call(world, 'list_post_comments', { post_id: row, cursor });
    expect([ids(rest.body.data), rest.body.next_cursor]).toEqual([['c3'], '']);
    const same = { post_id: row, account_id: account.id, cursor };
    expect((await call(world, 'list_post_comments', same)).ok).toBe(true);
    for (const [name, input] of [
      ['list_post_comments', { post_id: 'post-2' }],
      ['get_comment_replies', { post_id: row, comment_id: 'c2' }],
      ['list_post_comments', { post_id: row, order: 'recent' }],
    ] as const)
      await expectInvalid(call(world, name, { ...input, cursor }), 'cursor');
    const since = { account_id: account.id, post_id: row, since: new Date(START + 500).toISOString() };
    expect(ids(await allOf(world, 'list_account_post_comments', since, 50))).toEqual(['c2', 'c3']);
    const replies = { post_id: row, comment_id: 'c2', since: new Date(START + 5000).toISOString() };
    expect((await call(world, 'get_comment_replies', replies)).body.count).toBe(0);
    expect(net.callsOf('comments.replies')).toBe(1);
  });

  it('answer with the refusals of the platform and of the account', async () => {
    const { world, net, account, row, connect, tell } = await scene();
    const list = () => call(world, 'list_post_comments', { post_id: row });
    net.script('ours', 'comments.list', throttled, silent, noSuchThing, revoked);
    await expectRefusal(list(), 'platform.twitter.rate_limit');
    await expectRefusal(list(), 'platform.twitter.api_error');
    await expectRefusal(list(), 'post.not_found', { resource: 'post', id: row });
    const missing = call(world, 'get_comment_replies', { post_id: row, comment_id: 'c9' });
    await expectRefusal(missing, 'resource.not_found', { resource: 'comment', id: 'c9' });
    await expectRefusal(list(), 'platform.twitter.auth');
    await expectRefusal(list(), 'account.reconnection_required', { id: account.id });
    const google = await connect('google', 'shop');
    await tell(google, [aPost('post-g')]);
    await expectLacking(call(world, 'list_post_comments', { post_id: 'post-g' }), 'comments.list', 'google');
    const zalo = await connect('zalo', 'zalo');
    await tell(zalo, [aPost('post-z')]);
    net.comments.set('post-z', [aComment('post-z')]);
    const poor = await call(world, 'list_post_comments', { post_id: 'post-z' });
    // What the connector cannot do, nobody may do here.
    expect(Object.values(poor.body.data[0].capabilities)).toEqual([false, false, false, false, false]);
    const replies = call(world, 'get_comment_replies', { post_id: 'post-z', comment_id: 'c1' });
    await expectLacking(replies, 'comments.replies', 'zalo');
    const foreign = { post_id: 'post-z', comment_id: poor.body.data[0].id.replace('cmt_', 'rev_') };
    expect((await call(world, 'get_comment_replies', foreign)).ok).toBe(false);
  });

  it('are read as the page of the post', async () => {
    const { world, account, row } = await scene('facebook');
    expect((await call(world, 'list_post_comments', { post_id: row })).body.count).toBe(3);
    await call(world, 'update_account_page', { account_id: account.id, page_id: 'p1', is_active: false });
    expect((await call(world, 'list_post_comments', { post_id: row })).body.count).toBe(3);
  });
});
