import { expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { heardBy, list, openThread, publish } from '../../harness/calls/rest.ts';
import { it } from '../../harness/world.ts';

const EVENTS = ['comment.received', 'dm.received', 'dm.sent', 'dm.status.sent', 'post.published', 'account.connected'];

it('connects a login with its pages and publishes on the one that is named', async ({ world }) => {
  const facebook = facebookOf(world);
  const account = await facebook.connect();
  expect(account).toMatchObject({ platform: 'facebook', status: 'active', metadata: { sandbox: true } });
  const pages = await list(world, `/v1/accounts/${account.id}/pages`);
  expect(pages.map(({ name }) => name)).toEqual(['Harbour Coffee', 'Harbour Bakery']);

  const targets = pages.map(({ id }) => ({ account_id: account.id, page_id: id }));
  const posted = await world.rest('POST /v1/posts', { text: 'Two pages, one post', targets, publish_now: true });
  expect(posted).toMatchObject({ status: 201, body: { status: 'published' } });
  const made = await facebook.look('posts');
  expect(made.filter(({ message }: { message: string }) => message === 'Two pages, one post')).toHaveLength(2);
  expect(made.every((post: { is_published: boolean }) => post.is_published)).toBe(true);
});

it('hears a comment and a message, answers both and hides the comment, by REST', async ({ world }) => {
  const facebook = facebookOf(world);
  const receiver = await world.receive(EVENTS);
  const account = await facebook.connect();
  const { body: posted } = await publish(world, account.id, { text: 'Fresh bread' });
  const post = posted.results[0].platform_post_id as string;

  await facebook.act('comment', { person: 'fred.sandbox.test', on: post, message: 'Is it rye?' });
  await world.settle();
  const told = heardBy(receiver);
  const { profile_url, platform_user_id } = told('account.connected')[0].data;
  expect(profile_url).toMatch(new RegExp(`/${platform_user_id}$`));
  const [heard] = told('comment.received');
  expect(heard.data).toMatchObject({
    account_id: account.id,
    brand_id: account.brand_id,
    platform: 'facebook',
    content: { text: 'Is it rye?' },
    platform_post_id: post,
  });
  const at = `/v1/inbox/comments/${posted.id}` as const;
  const comments = await list(world, at);
  expect(comments).toEqual([expect.objectContaining({ id: heard.data.id, text: 'Is it rye?', is_hidden: false })]);
  const [{ id: comment_id }] = comments;
  const reply = await world.rest(`POST ${at}`, { text: 'It is.', comment_id });
  expect(reply.body).toMatchObject({ success: true, comment_id: expect.any(String) });
  expect((await world.rest(`POST ${at}/${comment_id}/hide`)).status).toBe(200);
  expect((await list(world, at))[0]).toMatchObject({ is_hidden: true, reply_count: 1 });

  const [page] = await list(world, `/v1/accounts/${account.id}/pages`);
  await facebook.act('message', { person: 'mia.sandbox.test', page: page.platform_page_id, text: 'Are you open?' });
  await world.settle();
  const thread = { account_id: account.id, last_message: 'Are you open?', unread_count: 1 };
  expect(await list(world, '/v1/inbox/conversations')).toEqual([expect.objectContaining(thread)]);
  const { say, messages } = await openThread(world);
  world.clock.move(1000);
  expect((await say({ text: 'Until six.' })).body).toMatchObject({ success: true, message_ids: [expect.any(String)] });
  expect((await messages()).map(({ direction, text }) => [direction, text])).toEqual([
    ['outgoing', 'Until six.'],
    ['incoming', 'Are you open?'],
  ]);
  const names = receiver.received.map(({ body }) => body.event);
  expect(names.toSorted()).toEqual(EVENTS.toSorted());
  expect(world.product.sandbox!.requests().filter(({ violation }) => violation)).toEqual([]);
});

it('does the same through MCP', async ({ world }) => {
  const facebook = facebookOf(world);
  const account = await facebook.connect('sam.sandbox.test');
  const posted = await world.mcp('create_post', { text: 'New beans', account_ids: [account.id], publish_now: true });
  const post = posted.body.targets[0].platform_post_id as string;
  await facebook.act('comment', { person: 'zoe.sandbox.test', on: post, message: 'Which ones?' });
  const [page] = (await world.mcp('list_account_pages', { account_id: account.id })).body.data;
  await facebook.act('message', { person: 'zoe.sandbox.test', page: page.platform_page_id, text: 'Hello' });
  await world.settle();

  const listed = await world.mcp('list_post_comments', { post_id: posted.body.id });
  const [comment] = listed.body.data;
  expect(comment.text).toBe('Which ones?');
  const place = { post_id: posted.body.id, comment_id: comment.id };
  for (const [tool, input] of [
    ['reply_to_comment', { ...place, text: 'Ethiopia' }],
    ['like_comment', place],
    ['hide_comment', place],
    ['unhide_comment', place],
    ['private_reply_to_comment', { ...place, text: 'A discount for you' }],
  ] as const) {
    const { isError, body } = await world.mcp(tool, input);
    expect([tool, isError, body.success]).toEqual([tool, false, true]);
  }
  const [thread] = (await world.mcp('list_conversations')).body.data;
  const sent = await world.mcp('send_dm', { conversation_id: thread.id, text: 'Hello Zoe' });
  expect([sent.isError, sent.body.success]).toEqual([false, true]);
  expect((await world.mcp('mark_conversation_read', { conversation_id: thread.id })).body.success).toBe(true);
});
