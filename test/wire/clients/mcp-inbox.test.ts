/** The inbox through the public MCP client as npm has it; the sandbox's followers write, the client answers. */
import { expect, it } from 'vitest';
import { aReview } from '../../harness/platforms/social.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld } from '../../harness/world.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { describeClients } from './installed.ts';
import { driveMcp } from './mcp-drive.ts';
import { INBOX_TOOLS } from './offered.ts';

const [FRED, MIA] = ['fred.sandbox.test', 'mia.sandbox.test'];
/** The tools that were called in the whole file. */
const used = new Set<string>();

/** A login with two pages, connected through the client with the code that the platform sent back. */
async function scene() {
  const world = await makeWorld();
  const facebook = facebookOf(world);
  const { call } = await driveMcp(world, used);
  const begun = await call('connect_account', 'connecting', { platform: 'facebook', brand_id: world.brandId });
  const { location } = await facebook.consent(begun.auth_url, 'olivia.sandbox.test');
  const made = await call('exchange_oauth', 'connected', {
    platform: 'facebook',
    code: location.searchParams.get('code'),
    metadata: { redirect_uri: location.origin + location.pathname, state: location.searchParams.get('state') },
  });
  await world.settle();
  const account_id = made.account_id as string;
  const { data: pages } = await call('list_account_pages', 'pages', { account_id });
  return { world, facebook, call, made, account_id, pages };
}

describeClients('mcp-socialapi in the inbox', () => {
  it('connects by a code, and chooses between the pages of an account', async () => {
    const { world, facebook, call, made, account_id, pages } = await scene();
    expect(made).toMatchObject({ platform: 'facebook', metadata: { sandbox: true } });
    expect((await call('list_accounts', 'accounts')).data).toMatchObject([
      { id: account_id, brand_id: world.brandId, status: 'active' },
    ]);
    expect(pages).toMatchObject([
      { name: 'Harbour Coffee', is_default: true, is_active: true },
      { name: 'Harbour Bakery', is_default: false, is_active: true },
    ]);
    const bakery = { account_id, page_id: pages[1].id };
    const changed = await call('update_account_page', 'page', { ...bakery, is_default: true });
    expect(changed).toMatchObject({ id: pages[1].id, is_default: true });
    const post = await call('create_post', 'post', { text: 'Rolls', publish_now: true, targets: [{ account_id }] });
    const [made_there] = await facebook.look('posts');
    expect(made_there).toMatchObject({ id: post.targets[0].platform_post_id, page_id: pages[1].platform_page_id });
    await call('update_account_page', 'page', { account_id, page_id: pages[0].id, is_active: false });
    expect((await call('list_account_pages', 'pages', { account_id })).data).toMatchObject([
      { is_active: false, is_default: false },
      { is_active: true, is_default: true },
    ]);
  });

  it('reads comments, answers them and keeps order among them', async () => {
    const { world, facebook, call, account_id, pages } = await scene();
    const targets = [{ account_id, page_id: pages[0].id }];
    const post = await call('create_post', 'post', { text: 'Fresh bread', publish_now: true, targets });
    const on = post.targets[0].platform_post_id as string;
    for (const [person, message] of [
      [FRED, 'Is it rye?'],
      [MIA, 'Buy followers here'],
    ]) {
      await facebook.act('comment', { person, on, message });
      world.clock.move(1000);
    }
    await world.settle();

    const where = { account_id, platform: 'facebook', page_id: pages[0].id, min_comments: '2', limit: '5' };
    const order = { since: '2020-01-01T00:00:00Z', sort_by: 'comments', sort_order: 'desc' };
    const { data: posts } = await call('list_inbox_posts', 'inboxPosts', { ...where, ...order });
    expect(posts).toMatchObject([{ platform_id: on, content: 'Fresh bread', comment_count: 2, account_id }]);
    expect((await call('list_inbox_posts', 'inboxPosts', { page_id: pages[1].id })).data).toEqual([]);

    const inbox_post_id = posts[0].id as string;
    const first = await call('list_post_comments', 'comments', { inbox_post_id, account_id, limit: '1' });
    expect(first.data).toMatchObject([{ text: 'Is it rye?', author_name: 'Fred Follower', is_owner: false }]);
    const rest = { inbox_post_id, account_id, limit: '1', cursor: first.next_cursor };
    const second = await call('list_post_comments', 'comments', rest);
    expect([second.data[0].text, second.next_cursor]).toEqual(['Buy followers here', '']);
    const [question, spam] = [first.data[0], second.data[0]];
    expect(question.capabilities).toMatchObject({ can_reply: true, can_hide: true, can_private_reply: true });

    // The post may be named by our id, by the inbox's and by the platform's.
    const at = { account_id, post_id: post.id, comment_id: question.id };
    const answer = await call('reply_to_comment', 'commented', { ...at, text: 'It is.' });
    await call('reply_to_comment', 'commented', { account_id, post_id: on, text: 'New bread at six.' });
    const bad = { account_id, post_id: inbox_post_id, comment_id: spam.id };
    const listed = async () => (await call('list_post_comments', 'comments', { inbox_post_id, account_id })).data;
    await call('hide_comment', 'done', bad);
    await call('like_comment', 'done', at);
    expect(await listed()).toMatchObject([
      { id: question.id, is_liked: true, liked_by_viewer: true, reply_count: 1, is_hidden: false },
      { id: spam.id, is_hidden: true },
      { text: 'New bread at six.', is_owner: true },
    ]);
    await call('unhide_comment', 'done', bad);
    await call('unlike_comment', 'done', at);
    expect(await listed()).toMatchObject([{ is_liked: false }, { is_hidden: false }, {}]);
    await call('delete_comment', 'done', bad);
    expect((await listed()).map(({ text }: { text: string }) => text)).toEqual(['Is it rye?', 'New bread at six.']);
    await call('private_reply_to_comment', 'done', { ...at, text: 'A slice for you' });

    const seen = await facebook.look('comments');
    expect(seen.map(({ message, deleted_at }: Record<string, unknown>) => [message, deleted_at === undefined])).toEqual(
      expect.arrayContaining([
        ['It is.', true],
        ['New bread at six.', true],
        ['Buy followers here', false],
      ]),
    );
    expect(seen).toHaveLength(4);
    expect(answer.comment_id).not.toBe(question.id);
    expect(await facebook.look('messages')).toMatchObject([{ text: 'A slice for you', from_page: true }]);
  });

  it('reads messages and answers them', async () => {
    const { world, facebook, call, account_id, pages } = await scene();
    const page = pages[0].platform_page_id as string;
    await facebook.act('message', { person: MIA, page, text: 'Are you open?' });
    await world.settle();
    world.clock.move(1000);
    await facebook.act('message', { person: FRED, page: pages[1].platform_page_id, text: 'Hello bakery' });
    await world.settle();

    const everything = await call('list_conversations', 'conversations', { limit: '1' });
    expect(everything.data).toMatchObject([{ last_message: 'Hello bakery', page_id: pages[1].id }]);
    const next = await call('list_conversations', 'conversations', { limit: '1', cursor: everything.next_cursor });
    expect([next.data[0].last_message, next.next_cursor]).toEqual(['Are you open?', '']);
    const filter = { account_id, page_id: pages[0].id, platform: 'facebook', status: 'active' };
    const { data: threads } = await call('list_conversations', 'conversations', filter);
    expect(threads).toMatchObject([
      { account_id, participant_name: 'Mia Message', last_message: 'Are you open?', unread_count: 1 },
    ]);
    const conversation_id = threads[0].id as string;
    expect((await call('get_conversation', 'conversationRead', { conversation_id })).data).toEqual(threads[0]);

    world.clock.move(1000);
    const sent = await call('send_dm', 'sent', { account_id, conversation_id, text: 'Until six.' });
    const newest = await call('list_messages', 'messages', { conversation_id, limit: '1' });
    expect(newest.data).toMatchObject([
      { platform_id: sent.message_id, direction: 'outgoing', text: 'Until six.', sender_name: 'Harbour Coffee' },
    ]);
    const older = await call('list_messages', 'messages', { conversation_id, cursor: newest.next_cursor });
    expect(older.data).toMatchObject([{ direction: 'incoming', text: 'Are you open?', sender_name: 'Mia Message' }]);
    const told = await facebook.look('messages');
    expect(told.filter(({ from_page }: { from_page: boolean }) => from_page)).toMatchObject([{ text: 'Until six.' }]);

    await call('mark_conversation_read', 'done', { conversation_id });
    expect((await call('get_conversation', 'conversationRead', { conversation_id })).data.unread_count).toBe(0);
    await call('update_conversation', 'done', { conversation_id, status: 'archived' });
    const archived = await call('list_conversations', 'conversations', { status: 'archived' });
    expect(archived.data).toMatchObject([{ id: conversation_id, status: 'archived' }]);
    // Whoever writes again comes back.
    await facebook.act('message', { person: MIA, page, text: 'Thank you' });
    await world.settle();
    expect((await call('list_conversations', 'conversations', filter)).data).toMatchObject([
      { id: conversation_id, status: 'active', last_message: 'Thank you' },
    ]);
  });

  it('reads mentions, limits, and the log of what happened', async () => {
    const { world, facebook, call, account_id, pages } = await scene();
    const since = '2020-01-01T00:00:00Z';
    const page = pages[0].platform_page_id as string;
    await facebook.act('mention', { person: FRED, page, message: 'Best coffee' });
    world.clock.move(1000);
    await facebook.act('mention', { person: MIA, page, message: 'Go there' });
    await world.settle();
    const first = await call('get_mentions', 'mentions', { account_id, since, limit: '1' });
    expect(first.data).toMatchObject([{ content: { text: 'Go there' }, author: { name: 'Mia Message' } }]);
    const second = await call('get_mentions', 'mentions', { account_id, since, limit: '1', cursor: first.next_cursor });
    expect(second.data).toMatchObject([{ content: { text: 'Best coffee' }, author: { name: 'Fred Follower' } }]);

    const bluesky = await world.connect(0);
    const limits = await call('get_account_limits', 'limits', { account_id: bluesky.id });
    expect(Object.keys(limits)).not.toEqual([]);

    const inbox = { category: 'inbox', status: 'success', platform: 'facebook', account_id, limit: 1 };
    const newest = await call('list_events', 'events', inbox);
    expect(newest.events).toEqual(newest.data);
    expect(newest.events).toMatchObject([{ category: 'inbox', account_id, summary: expect.stringMatching(/Mia/) }]);
    const more = await call('list_events', 'events', { ...inbox, cursor: newest.next_cursor });
    expect(more.events).toMatchObject([{ summary: expect.stringMatching(/Fred/) }]);
    const { action, resource_id } = newest.events[0];
    expect((await call('list_events', 'events', { action, resource_id })).events).toMatchObject(newest.events);
    const span = { from: '2026-01-15T00:00:00Z', to: '2026-01-16T00:00:00Z' };
    const counted = await call('events_summary', 'eventsSummary', span);
    expect(counted).toMatchObject({ failed: 0, by_category: { inbox: 2, account: 2 }, total_previous: 0 });
  });

  it('reads reviews and answers them, where a platform has some', async () => {
    const { world, net, connect } = await makeStage();
    const { call } = await driveMcp(world, used);
    const { id: account_id } = await connect('google', 'shop');
    const day = (number: number) => Date.UTC(2026, 0, number);
    net.reviews.set('shop', [aReview(day(14), { text: 'Good' }), aReview(day(12), { rating: 2, text: 'Slow' })]);
    const filter = { account_id, platform: 'google', since: '2026-01-01T00:00:00Z', limit: '1' };
    const first = await call('get_reviews', 'reviews', filter);
    expect(first.data).toMatchObject([{ rating: 4, text: 'Good', author: { name: 'Guest' }, reply: null }]);
    const second = await call('get_reviews', 'reviews', { ...filter, cursor: first.next_cursor });
    expect([second.data[0].text, second.next_cursor]).toEqual(['Slow', '']);

    const review = { account_id, review_id: second.data[0].id };
    const reply = async () => (await call('get_reviews', 'reviews')).data[1].reply?.text as string | undefined;
    await call('reply_to_review', 'answered', { ...review, text: 'Sorry' });
    expect(await reply()).toBe('Sorry');
    await call('update_review_reply', 'answered', { ...review, text: 'Come again' });
    expect(await reply()).toBe('Come again');
    await call('delete_review_reply', 'done', review);
    expect(await reply()).toBeUndefined();
  });

  it('reads what a creator may do, where a platform says', async () => {
    const creator = {
      nickname: 'Ann',
      avatar_url: null,
      can_post: true,
      max_video_duration_sec: 600,
      privacy_level_options: ['PUBLIC_TO_EVERYONE'],
      interaction_settings: { comment_disabled: false },
    };
    const { world, accountId: account_id } = await accountWorld({ creator: () => creator }, 'tiktok');
    const { call } = await driveMcp(world, used);
    expect(await call('get_creator_info', 'creator', { account_id })).toEqual({ platform: 'tiktok', ...creator });
  });

  it('has driven every tool of the inbox by now', () => {
    expect(INBOX_TOOLS.filter((tool) => !used.has(tool))).toEqual([]);
  });
});
