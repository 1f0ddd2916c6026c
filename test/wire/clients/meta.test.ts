/** Instagram, Threads and WhatsApp through the public clients as npm has them: all that they offer for them. */
import { expect, it } from 'vitest';
import { publish } from '../../harness/calls/rest.ts';
import { FRED, instagramOf } from '../../harness/platforms/people/instagram.ts';
import { whatsappOf } from '../../harness/platforms/whatsapp.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';
import { connectByConsent } from '../../platforms/conformance/consent.ts';
import { describeClients } from './installed.ts';
import { driveMcp } from './mcp-drive.ts';
import { driveNode } from './n8n-drive.ts';

const OLIVIA = 'olivia.sandbox.test';

/** A profile of Threads, and the console of its stand-in. */
async function threadsOf({ rest, settle }: World) {
  async function control(path: string, body?: object): Promise<Json> {
    const { data } = (await rest(`${body ? 'POST' : 'GET'} /sandbox/__control/${path}`, body)).body;
    return data?.done ?? data;
  }
  const upload = () => Promise.reject(new Error('nothing is uploaded'));
  const account = await connectByConsent({ rest, control, upload }, 'threads', '/oauth/authorize', { person: OLIVIA });
  await settle();
  return { account, control };
}

describeClients('mcp-socialapi', () => {
  it('publishes to Instagram, and is in touch with who answers', async () => {
    const world = await makeWorld();
    const { connect, photo, act, look } = instagramOf(world);
    const { account: account_id, page } = await connect();
    const { call } = await driveMcp(world);
    const media_ids = [await photo()];
    const targets = [{ account_id }];
    const post = await call('create_post', 'post', { text: 'Fresh rye', media_ids, targets, publish_now: true });
    expect(post).toMatchObject({ status: 'published' });
    expect(await call('get_account_limits', 'limits', { account_id })).toEqual({ posts_remaining: expect.any(Number) });

    await act('comment', { person: FRED, on: post.targets[0].platform_post_id, text: 'Is it dark?' });
    await world.settle();
    const { data: posts } = await call('list_inbox_posts', 'inboxPosts', { account_id });
    const { data } = await call('list_post_comments', 'comments', { inbox_post_id: posts[0].id, account_id });
    expect(data).toMatchObject([{ text: 'Is it dark?', is_owner: false }]);
    const at = { account_id, post_id: post.id, comment_id: data[0].id };
    await call('reply_to_comment', 'commented', { ...at, text: 'Very.' });
    await call('private_reply_to_comment', 'done', { ...at, text: 'A slice for you' });
    await call('hide_comment', 'done', at);
    await call('unhide_comment', 'done', at);
    await call('delete_comment', 'done', at);

    await act('message', { person: FRED, page, text: 'Are you open?' });
    await world.settle();
    world.clock.move(1000);
    const [thread] = (await call('list_conversations', 'conversations', { platform: 'instagram' })).data;
    const conversation_id = thread.id as string;
    await call('send_dm', 'sent', { account_id, conversation_id, text: 'Until six.' });
    await call('mark_conversation_read', 'done', { conversation_id });
    const said = ((await look('instagram/messages')) as readonly Json[]).filter(({ from_page }) => from_page);
    expect(said.map(({ text }) => text)).toEqual(['A slice for you', 'Until six.']);
  });

  it('publishes to Threads, and is in touch with who answers', async () => {
    const world = await makeWorld();
    const { account: account_id, control } = await threadsOf(world);
    const { call } = await driveMcp(world);
    const targets = [{ account_id }];
    const post = await call('create_post', 'post', { text: 'Fresh rye', targets, publish_now: true });
    expect(post).toMatchObject({ status: 'published' });
    await call('get_account_limits', 'limits', { account_id });
    await control('threads/reply', { person: FRED, on: post.targets[0].platform_post_id, text: 'Is it dark?' });
    await control('threads/mention', { person: FRED, whom: OLIVIA, text: 'Best bread' });
    await world.settle();
    const { data: posts } = await call('list_inbox_posts', 'inboxPosts', { account_id });
    const { data } = await call('list_post_comments', 'comments', { inbox_post_id: posts[0].id, account_id });
    const at = { account_id, post_id: post.id, comment_id: data[0].id };
    await call('reply_to_comment', 'commented', { ...at, text: 'Very.' });
    await call('hide_comment', 'done', at);
    await call('unhide_comment', 'done', at);
    const mentions = await call('get_mentions', 'mentions', { account_id });
    expect(mentions.data).toMatchObject([{ content: { text: `@${OLIVIA} Best bread` } }]);
    await call('unpublish_post', 'any', { post_id: post.id, account_id });
  });

  it('answers people on WhatsApp', async () => {
    const world = await makeWorld();
    const whatsapp = whatsappOf(world);
    const account_id = (await whatsapp.consent()).get('account_id')!;
    await whatsapp.does('message', { text: 'Are you open?' });
    world.clock.move(1000);
    const { call } = await driveMcp(world);
    await call('get_account_limits', 'limits', { account_id });
    const [thread] = (await call('list_conversations', 'conversations', { platform: 'whatsapp' })).data;
    const conversation_id = thread.id as string;
    await call('send_dm', 'sent', { account_id, conversation_id, text: 'Until six.' });
    await world.settle();
    const { data } = await call('list_messages', 'messages', { conversation_id });
    expect(data.map(({ text }: Json) => text)).toEqual(['Until six.', 'Are you open?']);
    await call('mark_conversation_read', 'done', { conversation_id });
    expect((await whatsapp.look('messages'))[0]).toMatchObject({ isOwn: false, state: 'read' });
  });
});

describeClients('n8n-nodes-socialapi', () => {
  it('is in touch with who answers on Instagram', async () => {
    const world = await makeWorld();
    const { connect, photo, publish, act, look } = instagramOf(world);
    const { account: accountId, page } = await connect();
    const { run, items } = driveNode(world);
    const { id: postId, results } = await publish(accountId, { text: 'Fresh rye', media_ids: [await photo()] });
    await run('account getLimits', 'limits', { accountId });
    await act('comment', { person: FRED, on: results[0].platform_post_id, text: 'Is it dark?' });
    await act('message', { person: FRED, page, text: 'Are you open?' });
    await world.settle();
    world.clock.move(1000);
    const [comment] = await items('comment getAll', 'comment', { postId, returnAll: true });
    const one = { postId, commentId: comment.id as string };
    await run('comment reply', 'commented', { postId, text: 'Very.', replyToCommentId: one.commentId });
    await run('comment hide', 'done', one);
    await run('comment unhide', 'done', one);
    await run('comment privateReply', 'done', { ...one, text: 'A slice for you' });
    const filters = { account_id: accountId, platform: 'instagram' };
    const [{ id: conversationId }] = await items('conversation getAll', 'conversation', { filters, returnAll: true });
    await run('conversation send', 'sent', { conversationId, text: 'Until six.' });
    await run('conversation markRead', 'done', { conversationId });
    const said = ((await look('instagram/messages')) as readonly Json[]).filter(({ from_page }) => from_page);
    expect(said.map(({ text }) => text)).toEqual(['A slice for you', 'Until six.']);
  });

  it('is in touch with who answers on Threads', async () => {
    const world = await makeWorld();
    const { account: accountId, control } = await threadsOf(world);
    const { run, items } = driveNode(world);
    const { id: postId, results } = (await publish(world, accountId, { text: 'Fresh rye' })).body;
    await run('account getLimits', 'limits', { accountId });
    await control('threads/reply', { person: FRED, on: results[0].platform_post_id, text: 'Is it dark?' });
    await control('threads/mention', { person: FRED, whom: OLIVIA, text: 'Best bread' });
    await world.settle();
    const [comment] = await items('comment getAll', 'comment', { postId, returnAll: true });
    const one = { postId, commentId: comment.id as string };
    await run('comment reply', 'commented', { postId, text: 'Very.', replyToCommentId: one.commentId });
    const replies = await items('comment getReplies', 'comment', { ...one, returnAll: true });
    expect(replies).toMatchObject([{ text: 'Very.' }]);
    await run('comment hide', 'done', one);
    await run('comment unhide', 'done', one);
    const mentions = await items('mention getAll', 'mention', { accountId, returnAll: true });
    expect(mentions).toMatchObject([{ content: { text: `@${OLIVIA} Best bread` } }]);
  });

  it('answers people on WhatsApp', async () => {
    const world = await makeWorld();
    const whatsapp = whatsappOf(world);
    const accountId = (await whatsapp.consent()).get('account_id')!;
    await whatsapp.does('message', { text: 'Are you open?' });
    world.clock.move(1000);
    const { run, items } = driveNode(world);
    await run('account getLimits', 'limits', { accountId });
    const filters = { account_id: accountId, platform: 'whatsapp' };
    const [{ id: conversationId }] = await items('conversation getAll', 'conversation', { filters, returnAll: true });
    await run('conversation send', 'sent', { conversationId, text: 'Until six.' });
    await world.settle();
    const messages = await items('conversation listMessages', 'message', { conversationId, returnAll: true });
    expect(messages.map(({ text }) => text)).toEqual(['Until six.', 'Are you open?']);
    await run('conversation markRead', 'done', { conversationId });
    expect((await whatsapp.look('messages'))[0]).toMatchObject({ isOwn: false, state: 'read' });
  });
});
