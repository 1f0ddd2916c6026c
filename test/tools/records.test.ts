import { describe, expect } from 'vitest';
import { png } from '../harness/media-samples.ts';
import { aComment, aMention, aReview } from '../harness/platforms/social.ts';
import { it as test, type World, type Json } from '../harness/world.ts';
import { block, call, onFreePlan } from '../harness/calls/operations.ts';
import { credentialsOf, upset } from '../harness/platforms/bluesky-people.ts';
import { aMessage, makeStage } from '../harness/worlds/social.ts';

/**
 * What the public clients cannot do without, per record: one null among these and their whole call fails. `:int` and
 * `:array` say what is more than there, `?` what is checked inside only where it is not null.
 */
const REQUIRED = Object.freeze({
  Account: 'id platform name username',
  'connect 201': 'account_id platform username',
  'connect 202': 'auth_url state message',
  Brand: 'id name created_at updated_at',
  Post: 'id status created_at updated_at hidden retry_count:int targets:array results:array media:array media_ids:array segments:array',
  target: 'platform status account_id brand_id attempts:int media:array media_ids:array metadata',
  'published target': 'platform_post_id permalink published_at',
  media: 'source source_type type',
  segment: 'media:array media_ids:array',
  error: 'message category caused_by code',
  metrics: 'likes:int comments:int shares:int saves:int',
  'metrics answer': 'post_id targets:array results:array',
  validate: 'valid errors:array warnings:array',
  issue: 'platform field message',
  'publishing log':
    'id account_id post_id platform action status attempt:int created_at duration_ms:int status_code:int',
  CommentedPost: 'id user_id account_id platform platform_id created_at updated_at comment_count:int like_count:int',
  InboxComment:
    'id inbox_post_id platform_id platform text author_id created_at capabilities account_id type author content metadata is_owner is_hidden is_liked liked_by_viewer like_count:int reply_count:int has_replies',
  reply: 'success comment_id',
  Conversation:
    'id user_id account_id platform platform_id participant_id participant_name created_at updated_at status unread_count:int last_message_at',
  Message: 'id conversation_id platform_id direction sender_id sender_name created_at status',
  send: 'success message_id message_ids:array',
  Review: 'id platform account_id rating:int author created_at',
  'review reply': 'success reply_id',
  Mention: 'id platform type author content created_at received_at account_id platform_id platform_post_id',
  Person: 'id name',
  Content: 'text media:array',
  MediaItem: 'id filename content_type size_bytes:int status url created_at',
  'upload-url': 'media_id upload_url expires_at',
  upload: 'media_id',
  storage: 'used_bytes:int limit_bytes:int count:int',
  Key: 'id name preview is_active created_at scopes:array brand_ids:array',
  'created key': 'id name raw_key message scopes:array brand_ids:array',
  Webhook: 'id url events:array created_at is_active',
  'created webhook': 'id url events:array secret message',
  Delivery: 'id event_type status attempt_count:int created_at',
  Event: 'id category action status summary created_at metadata',
  events: 'events:array data:array pagination next_cursor retention_days:int',
  'events summary':
    'total:int total_previous:int failed:int by_category by_error_category inbox_breakdown retention_days:int',
  Usage:
    'brands_used:int brands_limit:int posts_used:int posts_limit:int interactions_used:int interactions_limit:int period_start period_end',
  User: 'id email plan',
  Done: 'success ok id',
  page: 'data:array pagination next_cursor',
});

/** What a record lacks, in words. */
function lacks(kind: keyof typeof REQUIRED, record: Json): string[] {
  return REQUIRED[kind].split(' ').flatMap((rule) => {
    const [field, type] = rule.split(':') as [string, string?];
    const value = record?.[field];
    if (value === undefined || value === null) return [`${kind}.${field} is ${value}`];
    if (type === 'int' && !Number.isInteger(value)) return [`${kind}.${field} is no whole number`];
    if (type === 'array' && !Array.isArray(value)) return [`${kind}.${field} is no array`];
    return [];
  });
}

/** Times are RFC 3339 in UTC or null, never empty; ids are text. */
function misspelt(value: Json, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => misspelt(item, `${at}.${index}`));
  if (typeof value !== 'object' || value === null) {
    const name = at.split('.').at(-1)!;
    if (/_at$|^period_/.test(name) && value !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value))
      return [`${at}: ${value}`];
    if (/(?:^|_)id$/.test(name) && value !== null && (typeof value !== 'string' || value === ''))
      return [`${at}: ${value}`];
    return [];
  }
  return Object.entries(value).flatMap(([name, inner]) => misspelt(inner, `${at}.${name}`));
}

function expectRecord(kind: keyof typeof REQUIRED, record: Json): void {
  expect([kind, lacks(kind, record), misspelt(record)]).toEqual([kind, [], []]);
}

/** A page of a list, and every record on it; answers the records. */
function expectPage(kind: keyof typeof REQUIRED, page: Json): readonly Json[] {
  expectRecord('page', page);
  for (const record of page.data) expectRecord(kind, record);
  return page.data;
}

function expectPost(post: Json): void {
  expectRecord('Post', post);
  expect(post.targets).toEqual(post.results);
  expect(post.targets).not.toEqual([]);
  expectMedia(post);
  for (const segment of post.segments) expectMedia(segment, 'segment');
  for (const target of post.targets) expectTarget(target);
}

function expectTarget(target: Json): void {
  expectRecord('target', target);
  expectMedia(target);
  if (target.status === 'published') expectRecord('published target', target);
  // Null on a platform without pages, but never left out.
  expect(Object.keys(target)).toEqual(expect.arrayContaining(['page_id', 'published_at', 'scheduled_at']));
  if (target.error !== null) expectRecord('error', target.error);
  if (target.metrics !== null) expectRecord('metrics', target.metrics);
}

/** Whatever shows media says of each item what it is. */
function expectMedia(record: Json, kind?: 'segment'): void {
  if (kind) expectRecord(kind, record);
  for (const item of record.media) expectRecord('media', item);
  const stored = record.media.filter(({ source_type }: Json) => source_type === 'media_id');
  expect(record.media_ids).toEqual(stored.map(({ source }: Json) => source));
}

/** Calls operations that must succeed, but for posts, which are answered beside their error; answers what they answer. */
const asking =
  (world: World) =>
  async (name: string, input: object = {}) => {
    const { ok, body } = await call(world, name, { ...input });
    expect([name, ok || 'post' in body || 'results' in body]).toEqual([name, true]);
    return body;
  };

/** A workspace with one of everything, the bare and the failed included. */
async function furnished(world: World) {
  const ask = asking(world);
  const [account, revoked] = [await world.connect(), await world.connect(1)];
  const media = await ask('upload_media', { base64: png().toString('base64'), filename: 'a.png' });
  const draft = await ask('create_post', { account_ids: [account.id], text: 'draft' });
  const published = await ask('create_post', {
    account_ids: [account.id],
    text: 'now',
    media_ids: [media.id],
    publish_now: true,
  });
  upset(world, 'revoked', {}, 1);
  const failed = await call(world, 'create_post', { account_ids: [revoked.id], text: 'never', publish_now: true });
  await world.settle();
  return { ask, account, media, draft, published, failed };
}

describe('every record has what clients need', () => {
  const it = test.extend('ready', ({ world }) => furnished(world));

  it('accounts and brands', async ({ world, ready: { ask } }) => {
    const accounts = expectPage('Account', await ask('list_accounts'));
    expect(accounts.map(({ status }): string => status).toSorted()).toEqual(['active', 'reconnect_required']);
    expectPage('Brand', await ask('list_brands'));
    expectRecord('Brand', await ask('create_brand', { name: 'a' }));
    const [{ id: account_id }] = accounts;
    expectRecord('connect 202', await ask('connect_account', { platform: 'bluesky' }));
    expectRecord('connect 202', await ask('get_oauth_url', { account_id }));
    const metadata = credentialsOf(world, 2);
    expectRecord('connect 201', await ask('connect_account', { platform: 'bluesky', metadata }));
    expectRecord('Done', await ask('disconnect_account', { account_id }));
    expectRecord('Done', await ask('delete_brand', { brand_id: world.brandId, confirm: 'Default' }));
  });

  it('posts, their targets, errors, metrics and log', async ({ ready: { ask, draft, published, failed } }) => {
    for (const post of [draft, published, failed.body]) expectPost(post);
    expect(failed.body.results[0].error).not.toBeNull();
    const posts = expectPage('Post', await ask('list_posts'));
    expect(posts).toHaveLength(3);
    for (const post of posts) expectPost(post);
    expectPost(await ask('get_post', { post_id: published.id }));
    expectPost(await ask('update_post', { post_id: draft.id, text: 'changed' }));
    const { data } = await ask('get_post_metrics', { post_id: published.id });
    expectRecord('metrics answer', data);
    for (const target of data.targets) {
      expectTarget(target);
      expectRecord('metrics', target.metrics);
    }
    expect(expectPage('publishing log', await ask('list_post_logs')).length).toBeGreaterThan(1);
    const verdict = await ask('validate_post', { text: 'x'.repeat(301), platforms: ['bluesky'] });
    expectRecord('validate', verdict);
    expect(verdict.errors).not.toEqual([]);
    for (const issue of verdict.errors) expectRecord('issue', issue);
  });

  it('media of posts, however it was named', async ({ ready: { ask, account, media } }) => {
    const picture = { source: 'https://example.org/a.png', source_type: 'url' };
    const clip = { source: 'https://example.org/a.mp4', source_type: 'url' };
    const kindsOf = ({ media: all }: Json) => all.map(({ type }: Json) => type);
    const ids = await ask('create_post', {
      media_ids: [media.id],
      targets: [{ account_id: account.id, media: [clip] }],
      segments: [{ text: 'a', media_ids: [media.id] }, { media: [clip] }, { text: 'b' }],
    });
    expectPost(ids);
    expect(kindsOf(ids)).toEqual(['image']);
    expect([ids.segments, ids.targets].map((parts) => parts.map(kindsOf))).toEqual([
      [['image'], ['video'], []],
      [['video']],
    ]);
    const urls = await ask('create_post', { media: [picture, clip], account_ids: [account.id] });
    expectPost(urls);
    // A target without media of its own has that of its post.
    const both = ['image', 'video'];
    expect([kindsOf(urls), urls.targets.map(kindsOf)]).toEqual([both, [both]]);
    const changed = await ask('update_post', { post_id: urls.id, media_ids: [media.id] });
    expectPost(changed);
    expect([kindsOf(changed), ...changed.targets.map(kindsOf)]).toEqual([['image'], ['image']]);
    const bare = await ask('update_post', { post_id: urls.id, text: 'a', media: [] });
    expectPost(bare);
    expect([bare.media_ids, bare.targets[0].media_ids]).toEqual([[], []]);
  });

  it('metrics that could not be read', async ({ world, ready: { ask, account } }) => {
    const bob = await world.connect(2);
    const post = await ask('create_post', { account_ids: [account.id, bob.id], text: 'two', publish_now: true });
    await ask('disconnect_account', { account_id: bob.id });
    const { data } = await ask('get_post_metrics', { post_id: post.id });
    expect(data.targets.map(({ metrics }: Json) => metrics === null)).toEqual([false, true]);
    for (const target of data.targets) expectTarget(target);
    expectRecord('error', data.targets[1].error);
  });

  it('the inbox, of people of whom only the ids are known', async () => {
    const { world, net, connect, converse, tell } = await makeStage();
    const ask = async (name: string, input: object = {}) => {
      const { ok, body } = await call(world, name, { ...input });
      expect([name, ok]).toEqual([name, true]);
      return body;
    };
    const [account, pages, shop] = [
      await connect('twitter'),
      await connect('facebook', 'pages'),
      await connect('google', 'shop'),
    ];
    const nobody = { id: 'nobody', name: '' };
    const comments = [aComment('post-1', { platform_id: 'c1', author: nobody, text: '' }), aComment('post-1')];
    net.comments.set('post-1', [...comments, aComment('post-1', { parent_id: 'c1' })]);
    net.mentions.push(aMention({ author: nobody, text: '' }));
    net.reviews.set('shop', [aReview(world.clock.now(), { author: nobody, text: '' })]);
    await tell(account, [
      { kind: 'comment', comment: comments[0]! },
      {
        kind: 'message',
        conversation: { platform_id: 'bare', participant: nobody },
        message: aMessage('bare', world.clock.now(), { text: '' }),
      },
      { kind: 'mention', mention: aMention({ author: nobody }) },
    ]);
    await converse(pages, { thread: 'paged', page: 'p2' });
    // A page that nobody knows any more.
    await converse(pages, { thread: 'lost', page: 'p9' });

    const posts = expectPage('CommentedPost', await ask('list_inbox_posts'));
    expect(posts).toHaveLength(1);
    const post_id = posts[0].id as string;
    const lists = [
      await ask('list_post_comments', { post_id }),
      await ask('get_comment_replies', { post_id, comment_id: 'c1' }),
      await ask('list_account_post_comments', { account_id: account.id, post_id: 'post-1' }),
    ];
    for (const list of lists) {
      expect(list.count).toBe(list.data.length);
      for (const comment of expectPage('InboxComment', list)) {
        expectRecord('Person', comment.author);
        expect([comment.author_name === '', comment.content.text]).toEqual([false, comment.text]);
      }
    }
    expect(lists.map(({ count }) => count)).toEqual([2, 1, 2]);
    const ref = { post_id, comment_id: 'c1' };
    expectRecord('reply', await ask('reply_to_comment', { post_id, text: 'a' }));
    expectRecord('Done', await ask('private_reply_to_comment', { ...ref, text: 'a' }));
    for (const name of ['like_comment', 'unlike_comment', 'hide_comment', 'unhide_comment', 'delete_comment'])
      expectRecord('Done', await ask(name, ref));

    const conversations = expectPage('Conversation', await ask('list_conversations'));
    expect(conversations).toHaveLength(4);
    for (const conversation of conversations) {
      const conversation_id = conversation.id as string;
      expect(conversation.participant_name).not.toBe('');
      expectRecord('Conversation', (await ask('get_conversation', { conversation_id })).data);
      expectRecord('Conversation', (await ask('update_conversation', { conversation_id, is_read: false })).data);
      expectRecord('Done', await ask('mark_conversation_read', { conversation_id }));
      if (conversation.platform_id !== 'lost')
        expectRecord('send', await ask('send_dm', { conversation_id, text: 'a' }));
      expect(expectPage('Message', await ask('list_messages', { conversation_id }))).not.toEqual([]);
    }

    const [review] = expectPage('Review', await ask('get_reviews'));
    expectRecord('Person', review.author);
    const answer = { review_id: review.id, text: 'a' };
    expectRecord('review reply', await ask('reply_to_review', answer));
    expectRecord('review reply', await ask('update_review_reply', { ...answer, text: 'b' }));
    expectRecord('Review', (await ask('get_reviews', { account_id: shop.id })).data[0]);
    expectRecord('Done', await ask('delete_review_reply', { review_id: review.id }));

    const mentions = await ask('get_mentions', { account_id: account.id });
    expect(mentions.count).toBe(2);
    for (const mention of expectPage('Mention', mentions)) {
      expectRecord('Person', mention.author);
      expectRecord('Content', mention.content);
      expect(mention.author.name).not.toBe('');
    }
    const media_id = mentions.data[0].platform_post_id as string;
    expectRecord('reply', await ask('reply_to_mention', { account_id: account.id, media_id, text: 'a' }));
  });

  it('media', async ({ ready: { ask, media } }) => {
    expectPage('MediaItem', await ask('list_media'));
    expectRecord('MediaItem', media);
    expectRecord('upload', media);
    const address = await ask('get_media_upload_url', { media_type: 'image/png', filename: 'b.png' });
    expectRecord('upload-url', address);
    await fetch(address.upload_url, { method: 'PUT', body: png() });
    expectRecord('MediaItem', await ask('verify_media_upload', { media_id: address.media_id }));
    expectRecord('storage', await ask('get_storage_usage'));
    expectRecord('Done', await ask('delete_media', { media_id: address.media_id }));
  });

  it('webhooks and their deliveries', async ({ world }) => {
    const receiver = await world.receive([
      'account.connected',
      'post.published',
      'post.failed',
      'account.disconnected',
    ]);
    receiver.answer(400, 503, 503);
    const { ask } = await furnished(world);
    const webhook_id = receiver.id;
    expectRecord('created webhook', await ask('create_webhook', { url: receiver.url, events: ['dm.sent'] }));
    expectPage('Webhook', await ask('list_webhooks'));
    expectRecord('Webhook', await ask('get_webhook', { webhook_id }));
    expectRecord('Webhook', await ask('update_webhook', { webhook_id, is_active: true }));
    await ask('test_webhook', { webhook_id, event_type: 'a', payload: {} });
    const deliveries = expectPage('Delivery', await ask('list_webhook_deliveries', { webhook_id }));
    expect(deliveries.length).toBeGreaterThan(3);
    for (const { id } of deliveries)
      expectRecord('Delivery', await ask('get_webhook_delivery', { webhook_id, delivery_id: id }));
    const retried = deliveries.find(({ description }) => description === null);
    expectRecord('Delivery', await ask('retry_webhook_delivery', { webhook_id, delivery_id: retried.id }));
    expectRecord('page', await ask('list_webhook_events'));
    expectRecord('Done', await ask('delete_webhook', { webhook_id }));
  });

  it('the events log', async ({ ready: { ask } }) => {
    const page = await ask('list_events');
    expectRecord('events', page);
    expect(page.events).toEqual(page.data);
    expect(page.events.length).toBeGreaterThan(3);
    for (const entry of page.events) expectRecord('Event', entry);
    expectRecord('events summary', await ask('events_summary'));
  });

  it('keys, the user and usage, on every plan and past due', async ({ world, ready: { ask } }) => {
    const made = await ask('create_key', { name: 'a' });
    expectRecord('created key', made);
    expectRecord('created key', await ask('rotate_key', { key_id: made.id }));
    expectRecord('Key', await ask('update_key', { key_id: made.id, name: 'b' }));
    expectRecord('Done', await ask('revoke_key', { key_id: made.id }));
    expectPage('Key', await ask('list_keys'));
    expectRecord('page', await ask('list_key_scopes'));
    expectRecord('Usage', await ask('get_usage'));
    await onFreePlan(world);
    expectRecord('Usage', await ask('get_usage'));
    expectRecord('User', await ask('patch_me', { onboarding: false }));
    await block(world);
    expectRecord('User', await ask('get_me'));
    expect((await ask('list_plans')).plans).toHaveLength(5);
  });
});
