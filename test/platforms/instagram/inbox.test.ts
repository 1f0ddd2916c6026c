import { describe, expect, it } from 'vitest';
import { instagram } from '#platforms/instagram/index.ts';
import type { Bubble } from '#platforms/messages.ts';
import type { PlatformConversation } from '#platforms/inbox-types.ts';
import { graphOf, PAGE_SESSION, USER } from '../../harness/platforms/instagram-samples.ts';
import { answer, NOW, ok } from '../../harness/platforms/script.ts';

const linked = instagram.kinds!['facebook']!;
const { comments, messages } = instagram;
const GRAPH = 'graph.facebook.com';
const refusal = (code: number, subcode?: number) =>
  answer(400, { error: { code, error_subcode: subcode, message: 'no' } });
const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', '+0000');
const written = (id: string, from: string, more: object = {}) => ({
  id,
  text: `text ${id}`,
  timestamp: time(NOW - 1000),
  from: { id: from, username: `user${from}` },
  ...more,
});
const state = { prepared: null, correlationId: 'mark', sentAt: NOW };
const lookup = { ...state, taken: new Set<string>() };

describe('comments', () => {
  it('are listed newest first, until one is old enough', async () => {
    const { acting, asked } = graphOf({
      'GET /m/comments': ok({
        data: [
          written('2', '5', { like_count: 2, hidden: true, replies: { data: [{ id: 'r' }] } }),
          written('1', USER, { timestamp: time(NOW - 9 * 86_400_000) }),
        ],
        paging: { cursors: { after: 'x' }, next: 'https://x' },
      }),
    });
    const { items, cursor } = await comments!.list!(acting, { post: 'm' }, { limit: 100 });
    expect([cursor, asked[0]!.query['limit']]).toEqual(['x', '50']);
    expect(items).toMatchObject([
      {
        platform_id: '2',
        author: { id: '5', username: 'user5' },
        is_owner: false,
        is_hidden: true,
        like_count: 2,
        reply_count: 1,
        capabilities: { can_reply: false, can_delete: true, can_hide: true, can_like: false, can_private_reply: true },
      },
      { is_owner: true, capabilities: { can_hide: false, can_private_reply: false } },
    ]);
    const since = { limit: 10, since: NOW - 5000 };
    const newer = await comments!.list!(acting, { post: 'm' }, since);
    expect([newer.items.length, newer.cursor]).toEqual([1, undefined]);
  });

  it('are answered, and an answer to a reply is looked for below the comment above it', async () => {
    const { acting, calls, asked } = graphOf({
      'POST /m/comments': ok({ id: 'new' }),
      'POST /c/replies': ok({ id: 'reply' }),
      'GET /c': ok({ id: 'c', parent_id: 'top' }),
      'GET /top/replies': ok({ data: [written('mine', USER, { text: 'Until six.', timestamp: time(NOW) })] }),
    });
    const ask = { post: 'm', comment: 'c', text: 'Until six.' };
    expect(await comments!.reply!.send(acting, { post: 'm', text: 'Hello' }, state)).toEqual({ comment_id: 'new' });
    expect(await comments!.reply!.send(acting, ask, state)).toEqual({ comment_id: 'reply' });
    expect(await comments!.reply!.settle!(acting, ask, lookup)).toEqual({ comment_id: 'mine' });
    expect(calls()).toEqual(['POST /m/comments', 'POST /c/replies', 'GET /c', 'GET /top/replies']);
    expect(asked[0]!.form).toEqual({ message: 'Hello' });
  });

  it('are told from posts by the media they name', async () => {
    const { acting } = graphOf({ 'GET /c': ok({ id: 'c', media: { id: 'm' } }), 'GET /p': refusal(100) });
    const { isComment } = comments!;
    expect(await isComment(acting, { post: 'm', comment: 'c' })).toBe(true);
    expect(await isComment(acting, { post: 'other', comment: 'c' })).toBe(false);
    expect(await isComment(acting, { post: 'm', comment: 'p' })).toBe(false);
    expect(await isComment(acting, { post: 'm', comment: 'm' })).toBe(false);
  });

  it('are hidden and deleted, one that is gone too', async () => {
    const { acting, asked } = graphOf({ 'POST /c': ok({ success: true }), 'DELETE /c': refusal(100, 33) });
    const place = { post: 'm', comment: 'c' };
    await comments!.hide!(acting, place, true);
    await comments!.remove!(acting, place);
    expect(asked.map(({ call, form }) => [call, form])).toEqual([
      ['POST /c', { hide: 'true' }],
      ['DELETE /c', {}],
    ]);
  });

  it('are liked as the person, and as the Page where the person is refused', async () => {
    const likes = `POST ${GRAPH} /${USER}/likes`;
    const { acting, asked } = graphOf({ [likes]: [refusal(200), ok({ success: true })] }, PAGE_SESSION);
    await linked.comments!.like!(acting, { post: 'm', comment: 'c' }, true);
    expect(asked.map(({ request }) => request.headers!['authorization'])).toEqual(['Bearer USER', 'Bearer PAGE']);
    expect(asked[0]!.form).toEqual({ comment_id: 'c' });
    expect(comments!.like).toBeUndefined();
  });

  it('are answered privately, once', async () => {
    const { acting, asked } = graphOf({
      [`POST /${USER}/messages`]: [ok({ recipient_id: '5', message_id: 'mid' }), refusal(100, 2534025)],
    });
    const ask = { post: 'm', comment: 'c', text: 'In private.' };
    expect(await comments!.privateReply!.send(acting, ask, state)).toMatchObject({
      message_id: 'mid',
      conversation: { platform_id: '5' },
    });
    expect(asked[0]!.body).toEqual({ recipient: { comment_id: 'c' }, message: { text: 'In private.' } });
    await expect(comments!.privateReply!.send(acting, ask, state)).rejects.toMatchObject({
      kind: 'refused',
      reason: 'private_reply_ineligible',
    });
  });
});

describe('messages', () => {
  const conversation: PlatformConversation = { platform_id: '5', participant: { id: '5', name: 'Fred' } };
  const bubble: Bubble = { kind: 'text', text: 'Until six.', reply_to: 'before' };

  it('go to the account itself by Instagram login, and may be tagged', async () => {
    const { acting, asked } = graphOf({ [`POST /${USER}/messages`]: ok({ recipient_id: '5', message_id: 'mid' }) });
    const tag = 'HUMAN_AGENT';
    expect(await messages!.bubble.send(acting, { conversation, bubble, tag }, state)).toEqual({ message_id: 'mid' });
    expect(asked[0]!.body).toEqual({
      recipient: { id: '5' },
      messaging_type: 'MESSAGE_TAG',
      tag,
      message: { text: 'Until six.' },
      reply_to: { mid: 'before' },
    });
    expect(messages!.parts.tags).toEqual({ HUMAN_AGENT: 7 * 86_400_000 });
  });

  it('go by the Page by Facebook login, with the address of a stored file', async () => {
    const { acting, asked } = graphOf({ [`POST ${GRAPH} /101/messages`]: ok({ message_id: 'mid' }) }, PAGE_SESSION);
    const media = { ref: 'media_1', kind: 'image' } as const;
    const image: Bubble = { kind: 'attachment', type: 'image', media };
    const call = { ...acting, link: async (ref: string) => `https://us.test/${ref}` };
    expect(await linked.messages!.bubble.prepare!(call, { conversation, bubble: image })).toBeNull();
    await linked.messages!.bubble.send(call, { conversation, bubble: image }, state);
    expect(asked[0]!.body).toEqual({
      recipient: { id: '5' },
      messaging_type: 'RESPONSE',
      message: { attachment: { type: 'image', payload: { url: 'https://us.test/media_1' } } },
    });
    expect(linked.messages!.parts.tags).toBeUndefined();
  });

  it('are looked for in their conversation, where the account has another id than its Page', async () => {
    const said = { id: 'mid', message: 'Until six.', created_time: time(NOW), from: { id: USER, username: 'harbour' } };
    const thread = { id: 't', participants: { data: [{ id: USER }, { id: '5' }] }, messages: { data: [said] } };
    const { acting, asked } = graphOf({ [`GET ${GRAPH} /101/conversations`]: ok({ data: [thread] }) }, PAGE_SESSION);
    const found = await linked.messages!.bubble.settle!(acting, { conversation, bubble }, lookup);
    expect(found).toEqual({ message_id: 'mid', created_at: NOW });
    expect(asked[0]!.query).toMatchObject({ platform: 'instagram', user_id: '5' });
    expect(asked[0]!.query['fields']).not.toMatch(/sticker|unread_count/);
  });

  it('are marked as read', async () => {
    const { acting, asked } = graphOf({ [`POST /${USER}/messages`]: ok({ recipient_id: '5' }) });
    await messages!.seen!(acting, conversation);
    expect(asked[0]!.body).toEqual({ recipient: { id: '5' }, sender_action: 'mark_seen' });
  });
});

describe('mentions', () => {
  it('are the posts that tag the account, and are answered where they are', async () => {
    const { acting, asked } = graphOf(
      {
        [`GET ${GRAPH} /${USER}/tags`]: ok({
          data: [
            {
              id: 'p',
              caption: 'At @harbour',
              timestamp: time(NOW),
              username: 'fred',
              media_type: 'IMAGE',
              media_url: 'https://cdn.test/i',
            },
          ],
        }),
        [`POST ${GRAPH} /${USER}/mentions`]: ok({ id: 'k' }),
      },
      PAGE_SESSION,
    );
    const { items } = await linked.mentions!.list!(acting, { limit: 10 });
    expect(items).toMatchObject([
      { platform_id: 'p', author: { id: 'fred', username: 'fred' }, text: 'At @harbour', media: [{ type: 'image' }] },
    ]);
    const made = await linked.mentions!.reply!.send(acting, { post: 'p', comment: 'c', text: 'Thanks' }, state);
    expect(made).toEqual({ comment_id: 'k' });
    expect(asked[1]!.form).toEqual({ media_id: 'p', comment_id: 'c', message: 'Thanks' });
    expect(instagram.mentions).toBeUndefined();
  });
});

describe('the backfill', () => {
  const people = {
    data: [
      { id: USER, username: 'harbour' },
      { id: '5', username: 'fred' },
    ],
  };
  const conversations = `GET /${USER}/conversations`;
  const listed = (...messages: readonly object[]) =>
    ok({ data: [{ id: 't', participants: people, messages: { data: messages } }] });
  const by = { created_time: time(NOW), from: { id: '5', username: 'fred' } };
  const told = async (...messages: readonly object[]) => {
    const { acting } = graphOf({ [conversations]: listed(...messages) });
    return (await instagram.inbox!.history!(acting, undefined)).events;
  };

  it('tells what messages are besides words', async () => {
    const reactions = { data: [{ reaction: 'love', users: [{ id: '5', username: 'fred' }, { id: USER }] }] };
    const product = { elements: [{ id: '1', title: 'Rye' }] };
    const story = { id: '3', link: 'https://s' };
    const events = await told(
      { ...by, id: '5', story: { mention: story } },
      { ...by, id: '4', story: { reply_to: story } },
      { ...by, id: '3', shares: { data: [{ template: { payload: { product } } }] } },
      { ...by, id: '2', is_unsupported: true },
      { ...by, id: '1', message: 'Open?', reactions },
    );
    const said = (message: object) => ({ kind: 'message', message });
    const reaction = { kind: 'reaction', conversation: '5', message: '1', emojis: ['❤️'], at: NOW };
    expect(events).toMatchObject([
      said({ text: 'Open?' }),
      { ...reaction, direction: 'incoming' },
      { ...reaction, direction: 'outgoing' },
      said({ metadata: { unsupported: { type: 'unknown' } } }),
      said({ text: 'Shared a product: Rye', metadata: { products: product.elements } }),
      said({ text: 'Replied to your story', metadata: { story: { id: '3', url: 'https://s' } } }),
      said({ text: 'Mentioned you in a story', attachments: [{ type: 'story_mention', url: 'https://s' }] }),
    ]);
  });

  it('does without the fields that Instagram refuses', async () => {
    const { acting, asked } = graphOf({
      [conversations]: [refusal(100), listed({ ...by, id: '1', message: 'Open?' })],
    });
    const { events } = await instagram.inbox!.history!(acting, undefined);
    expect(events).toMatchObject([{ message: { text: 'Open?' } }]);
    expect(asked.map(({ query }) => query['fields']!.includes('story'))).toEqual([true, false]);
  });

  it('reads conversations, then posts, and skips what the login may not see', async () => {
    const said = { id: 'mid', message: 'Open?', created_time: time(NOW), from: { id: '5', username: 'fred' } };
    const people = {
      data: [
        { id: USER, username: 'harbour' },
        { id: '5', username: 'fred' },
      ],
    };
    const { acting } = graphOf({
      [`GET /${USER}/conversations`]: ok({ data: [{ id: 't', participants: people, messages: { data: [said] } }] }),
      [`GET /${USER}/media`]: ok({ data: [{ id: 'm', timestamp: time(NOW), comments_count: 2 }] }),
    });
    const { history } = instagram.inbox!;
    const first = await history!(acting, undefined);
    expect(first).toMatchObject({
      events: [{ kind: 'message', conversation: { participant: { id: '5', username: 'fred', name: 'fred' } } }],
      more: true,
    });
    expect(await history!(acting, first.cursor)).toMatchObject({
      events: [{ kind: 'post', post: { platform_id: 'm', comment_count: 2 } }],
      more: false,
    });
    const shut = graphOf({ [`GET /${USER}/conversations`]: refusal(200) });
    expect(await history!(shut.acting, undefined)).toMatchObject({ events: [], more: true });
  });
});
