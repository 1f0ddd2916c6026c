/** The inbox through the public n8n nodes as npm has them: they name no account where they answer somebody. */
import { expect, it } from 'vitest';
import { publish } from '../../harness/calls/rest.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { aReview } from '../../harness/platforms/social.ts';
import { makeWorld } from '../../harness/world.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { describeClients } from './installed.ts';
import { driveNode, startWorkflow } from './n8n-drive.ts';
import { INBOX_OPERATIONS } from './offered.ts';

const [FRED, MIA, ZOE] = ['fred.sandbox.test', 'mia.sandbox.test', 'zoe.sandbox.test'];
/** The operations that were run in the whole file. */
const used = new Set<string>();

/** A world with the people of facebook, and the node that is driven against it. */
async function scene() {
  const world = await makeWorld();
  return { world, facebook: facebookOf(world), ...driveNode(world, used) };
}

const texts = (rows: readonly { text: string }[]) => rows.map(({ text }) => text);

describeClients('n8n-nodes-socialapi in the inbox', () => {
  it('connects by a code and its state alone', async () => {
    const { world, facebook, run, items } = await scene();
    const begun = await run('account connect', 'connecting', { platform: 'facebook' });
    const { location } = await facebook.consent(begun.auth_url, 'olivia.sandbox.test');
    const [code, state] = ['code', 'state'].map((name) => location.searchParams.get(name));
    expect(state).toBe(begun.state);
    const { account_id: accountId } = await run('account exchange', 'connected', { code, state });
    await world.settle();
    expect(await run('account getAll', 'account')).toMatchObject({ id: accountId, platform: 'facebook' });
    expect(await items('account listPages', 'page', { accountId })).toMatchObject([
      { name: 'Harbour Coffee' },
      { name: 'Harbour Bakery' },
    ]);
    const bluesky = await world.connect();
    expect(Object.keys(await run('account getLimits', 'limits', { accountId: bluesky.id }))).not.toEqual([]);
  });

  it('reads comments, answers them and keeps order among them', async () => {
    const { world, facebook, run, items } = await scene();
    const account = await facebook.connect();
    const { body: post } = await publish(world, account.id, { text: 'Fresh bread' });
    const on = post.targets[0].platform_post_id as string;
    for (const message of ['one', 'two', 'three']) {
      await facebook.act('comment', { person: FRED, on, message });
      world.clock.move(1000);
    }
    await world.settle();

    const listed = await run('comment listPosts', 'inboxPost', { account_id: account.id, limit: 5 });
    expect(listed).toMatchObject({ platform_id: on, comment_count: 3 });
    expect(await items('comment listPosts', 'inboxPost', { returnAll: true })).toEqual([listed]);
    const postId = listed.id as string;
    expect(texts(await items('comment getAll', 'comment', { postId, limit: 2 }))).toEqual(['one', 'two']);
    const comments = await items('comment getAll', 'comment', { postId: post.id, returnAll: true });
    expect(texts(comments)).toEqual(['one', 'two', 'three']);

    const one = { postId: on, commentId: comments[0].id as string };
    const text = 'Thank you';
    await run('comment reply', 'commented', { postId, text, replyToCommentId: one.commentId });
    await run('comment reply', 'commented', { postId, text: 'To everybody' });
    const reply = await run('comment getReplies', 'comment', { ...one, returnAll: true });
    expect(reply).toMatchObject({ text, parent_id: one.commentId, is_owner: true });
    await run('comment hide', 'done', one);
    await run('comment like', 'done', one);
    const first = async () => (await items('comment getAll', 'comment', { postId, limit: 1 }))[0];
    expect(await first()).toMatchObject({ is_hidden: true, is_liked: true, reply_count: 1 });
    await run('comment unhide', 'done', one);
    await run('comment unlike', 'done', one);
    expect(await first()).toMatchObject({ is_hidden: false, is_liked: false });
    await run('comment privateReply', 'done', { ...one, text: 'For you alone' });
    expect(await facebook.look('messages')).toMatchObject([{ text: 'For you alone', from_page: true }]);
    await run('comment delete', 'done', { postId, commentId: comments[1].id });
    const left = await items('comment getAll', 'comment', { postId, returnAll: true });
    expect(texts(left)).toEqual(['one', 'three', 'To everybody']);
  });

  it('reads messages and answers them', async () => {
    const { world, facebook, run, items } = await scene();
    const account = await facebook.connect('sam.sandbox.test');
    for (const person of [FRED, MIA, ZOE]) {
      await facebook.act('message', { person, page: 'Single Origin Studio', text: `I am ${person}` });
      await world.settle();
      world.clock.move(1000);
    }
    const filters = { account_id: account.id, platform: 'facebook' };
    const threads = await items('conversation getAll', 'conversation', { filters, returnAll: true });
    expect(threads.map(({ last_message }) => last_message)).toEqual([ZOE, MIA, FRED].map((who) => `I am ${who}`));
    expect(await items('conversation getAll', 'conversation', { limit: 2 })).toEqual(threads.slice(0, 2));
    const [{ id: conversationId }] = threads;
    const read = async () => (await run('conversation get', 'conversationRead', { conversationId })).data;
    expect(await read()).toMatchObject({ participant_name: 'Zoë Ünder', unread_count: 1 });
    const { message_id } = await run('conversation send', 'sent', { conversationId, text: 'Hello Zoë' });
    const messages = await items('conversation listMessages', 'message', { conversationId, returnAll: true });
    expect(messages).toMatchObject([
      { platform_id: message_id, text: 'Hello Zoë', direction: 'outgoing' },
      { text: `I am ${ZOE}`, direction: 'incoming' },
    ]);
    await run('conversation markRead', 'done', { conversationId });
    expect((await read()).unread_count).toBe(0);
    await run('conversation update', 'done', { conversationId, is_read: false });
    expect((await read()).unread_count).toBe(1);
    await run('conversation update', 'done', { conversationId, is_read: true });
    expect((await read()).unread_count).toBe(0);
  });

  it('reads mentions, and reviews where a platform has some', async () => {
    const { world, items } = await scene();
    const { id: accountId } = await world.connect(0);
    const [, bob] = world.product.sandbox!.people();
    for (const text of ['first @alice.sandbox.test', 'second @alice.sandbox.test']) {
      const act = { action: 'post', person: bob!.handle, text };
      expect((await world.rest('POST /sandbox/__control/act', act)).status).toBe(200);
      world.clock.move(1000);
    }
    const mentions = await items('mention getAll', 'mention', { accountId, returnAll: true });
    const said = mentions.map(({ content }) => content.text);
    expect(said).toEqual(['second @alice.sandbox.test', 'first @alice.sandbox.test']);
    expect(await items('mention getAll', 'mention', { accountId, limit: 1 })).toEqual([mentions[0]]);

    const stage = await makeStage();
    const played = driveNode(stage.world, used);
    const { id: account_id } = await stage.connect('google', 'shop');
    stage.net.reviews.set('shop', [aReview(Date.UTC(2026, 0, 14), { text: 'Good' }), aReview(Date.UTC(2026, 0, 12))]);
    const reviews = await played.items('review getAll', 'review', { account_id, returnAll: true });
    expect(reviews).toMatchObject([{ rating: 4, text: 'Good', reply: null }, {}]);
    await played.run('review reply', 'answered', { reviewId: reviews[0].id, text: 'Thank you' });
    expect(await played.run('review getAll', 'review', { limit: 1 })).toMatchObject({ reply: { text: 'Thank you' } });
  });

  it('has run every operation of the inbox by now', () => {
    expect(INBOX_OPERATIONS.filter((operation) => !used.has(operation))).toEqual([]);
  });
});

describeClients('a workflow of n8n that begins in the inbox', () => {
  it('answers new comments as its documentation shows, and messages', async () => {
    const { world, facebook, run } = await scene();
    const account = await facebook.connect();
    const other = await facebook.connect('sam.sandbox.test');
    const events = ['comment.received', 'dm.received'];
    const all = await startWorkflow(world, { events });
    const own = await startWorkflow(world, { events, accountId: account.id });
    await all.trigger.create();
    await own.trigger.create();

    // Of the two posts one is ours, the other was written on the platform.
    const { body: post } = await publish(world, account.id, { text: 'By us' });
    const written = await facebook.act('page_post', { page: 'Harbour Coffee', message: 'By hand' });
    const [published] = post.targets;
    for (const on of [published.platform_post_id, written.id]) {
      await facebook.act('comment', { person: FRED, on, message: 'Nice!' });
      world.clock.move(1000);
    }
    await facebook.act('message', { person: MIA, page: 'Single Origin Studio', text: 'Hello?' });
    await world.settle();

    const heard = all.runs.map(({ json }) => json);
    expect(heard).toHaveLength(3);
    const comments = heard.filter(({ event }) => event === 'comment.received');
    expect(comments).toHaveLength(2);
    for (const { data } of comments) {
      expect(data).toMatchObject({
        account_id: account.id,
        content: { text: 'Nice!' },
        is_reply: false,
        inbox_post_id: expect.any(String),
      });
      await run('comment reply', 'commented', { postId: data.post_id, text: `Thank you, ${data.author.name}` });
    }
    expect(comments.map(({ data }) => data.post_id)).toContain(post.id);
    const message = heard.find(({ event }) => event === 'dm.received');
    expect(message.data).toMatchObject({ account_id: other.id, content: { text: 'Hello?' } });
    await run('conversation send', 'sent', { conversationId: message.data.conversation_id, text: 'Hello!' });

    expect(own.runs.map(({ json }) => json.data.account_id)).toEqual([account.id, account.id]);
    expect(new Set([...all.answered, ...own.answered])).toEqual(new Set([200]));

    const answers = (await facebook.look('comments')).filter(({ by_app }: { by_app: boolean }) => by_app);
    expect(answers).toMatchObject([{ message: 'Thank you, Fred Follower' }, { message: 'Thank you, Fred Follower' }]);
    const sent = (await facebook.look('messages')).filter(({ from_page }: { from_page: boolean }) => from_page);
    expect(sent).toMatchObject([{ text: 'Hello!' }]);
    // What the account says itself begins no run, or the workflow would answer itself for ever.
    await world.settle();
    expect(all.runs).toHaveLength(3);
  });
});
