import { describe, expect, it } from 'vitest';
import { inbox } from '#platforms/facebook/inbox/history.ts';
import { messages } from '#platforms/facebook/inbox/messages.ts';
import type { Bubble } from '#platforms/messages.ts';
import type { PrepareCall } from '#platforms/sending.ts';
import type { AccountCall } from '#platforms/call.ts';
import { graphOf, listed, refusal, TIME, withOnePage } from '../../harness/platforms/facebook-samples.ts';
import { lost, NOW, ok } from '../../harness/platforms/script.ts';
import { opened } from '../../harness/opened.ts';

const conversation = { platform_id: 'P1', page_id: '101', participant: { id: 'P1', name: 'Ann' } };
const PNG = opened(Buffer.from('png'), 'image/png');
const sending = (acting: PrepareCall): PrepareCall => ({ ...acting, open: async () => PNG });
const media = { ref: 'r', kind: 'image' as const, filename: 'a"\r\n/ü.png' };
const text = (more: Partial<Extract<Bubble, { kind: 'text' }>> = {}): Bubble => ({ kind: 'text', text: 'Hi', ...more });
const image = (more: Partial<Extract<Bubble, { kind: 'attachment' }>>): Bubble => ({
  kind: 'attachment',
  type: 'image',
  ...more,
});
const sent = ok({ recipient_id: 'P1', message_id: 'm_1' });

const { bubble: bubbles, parts, seen } = messages;
const send = (acting: PrepareCall, bubble: Bubble, plan: unknown = null) =>
  bubbles.send(sending(acting), { conversation, bubble }, { prepared: plan, correlationId: 'snd_1.0', sentAt: NOW });

describe('a message', () => {
  it('goes to the person, as an answer, with our mark', async () => {
    const { acting, asked } = graphOf({ 'POST /101/messages': sent });
    expect(await send(acting, text({ reply_to: 'm_0' }))).toEqual({ message_id: 'm_1' });
    const { bearer, request, body } = asked[0]!;
    expect([bearer, request.headers!['content-type']]).toEqual(['PAGE-101', 'application/json']);
    expect(body).toEqual({
      recipient: { id: 'P1' },
      messaging_type: 'RESPONSE',
      message: { text: 'Hi', metadata: 'snd_1.0' },
      reply_to: { mid: 'm_0' },
    });
  });

  const template = (payload: object) => ({ attachment: { type: 'template', payload } });
  const open = { type: 'url', title: 'Open', url: 'https://x' } as const;
  const openSent = { ...open, type: 'web_url' };
  const go = { type: 'postback', title: 'Go', payload: 'GO' } as const;
  const card = { title: 'One', subtitle: 'First', image_url: 'https://i' };
  it.each([
    [text({ text: 'half \ud83d' }), { text: 'half \ufffd' }],
    [
      text({ quick_replies: [{ title: 'Yes', payload: 'Y' }, { title: 'No' }] }),
      {
        text: 'Hi',
        quick_replies: [
          { content_type: 'text', title: 'Yes', payload: 'Y' },
          { content_type: 'text', title: 'No', payload: 'No' },
        ],
      },
    ],
    [
      text({ buttons: [open, go, { type: 'postback', title: 'Stop' }] }),
      template({
        template_type: 'button',
        text: 'Hi',
        buttons: [openSent, go, { type: 'postback', title: 'Stop', payload: 'Stop' }],
      }),
    ],
    [text({ buttons: [], quick_replies: [] }), { text: 'Hi' }],
    [
      { kind: 'cards', cards: [{ ...card, buttons: [open] }, { title: 'Two' }] } satisfies Bubble,
      template({ template_type: 'generic', elements: [{ ...card, buttons: [openSent] }, { title: 'Two' }] }),
    ],
    [image({ media, url: 'https://i' }), { attachment: { type: 'image', payload: { url: 'https://i' } } }],
    [
      image({ type: 'video', platform_attachment_id: '7' }),
      { attachment: { type: 'video', payload: { attachment_id: '7' } } },
    ],
  ])('is sent as the Send API takes it: %#', async (bubble, message) => {
    const { acting, asked } = graphOf({ 'POST /101/messages': sent });
    expect(await bubbles.prepare!(sending(acting), { conversation, bubble })).toBeNull();
    await send(acting, bubble);
    expect(asked[0]!.body.message).toEqual({ ...message, metadata: 'snd_1.0' });
  });

  it('takes files of ours along by an upload before it', async () => {
    const { acting, asked } = graphOf({
      'POST /101/message_attachments': ok({ attachment_id: '77' }),
      'POST /101/messages': sent,
    });
    const bubble = image({ media });
    const plan = await bubbles.prepare!(sending(acting), { conversation, bubble });
    expect(plan).toEqual({ attachment_id: '77' });
    expect(JSON.parse(asked[0]!.form['message']!)).toEqual({
      attachment: { type: 'image', payload: { is_reusable: true } },
    });
    const head = Buffer.from(asked[0]!.request.body as Uint8Array).toString();
    expect(head).toContain('name="filedata"; filename="a____ü.png"\r\nContent-Type: image/png\r\n\r\npng\r\n');
    await send(acting, bubble, plan);
    expect(asked[1]!.body.message).toEqual({
      attachment: { type: 'image', payload: { attachment_id: '77' } },
      metadata: 'snd_1.0',
    });
    const nameless = image({ type: 'file', media: { ref: 'r', kind: 'file' } });
    await bubbles.prepare!(sending(acting), { conversation, bubble: nameless });
    expect(Buffer.from(asked[2]!.request.body as Uint8Array).toString()).toContain('filename="file"');
  });

  it.each([
    [refusal(10, 2018278), 'refused', 'window_closed'],
    [refusal(551, 1545041), 'refused', 'window_closed'],
    [refusal(200, 1545041), 'refused', 'window_closed'],
    [refusal(100, 2018001), 'refused', 'not_found'],
    [refusal(200, 2018108), 'refused', 'blocked'],
    [refusal(100), 'refused', 'invalid_request'],
    [refusal(10), 'refused', 'permission_denied'],
    [refusal(190, 463), 'refused', 'auth'],
    [refusal(613), 'throttled', 'rate_limit'],
    [refusal(80006), 'throttled', 'rate_limit'],
    [refusal(1200), 'unknown', 'api_error'],
    [refusal(2, undefined, {}, 500), 'unknown', 'api_error'],
    [ok('<html>'), 'unknown', 'api_error'],
    [lost(), 'unknown', 'api_error'],
    [lost(false), 'not_sent', 'api_error'],
  ])('fails as Graph says: %#', async (reply, outcome, reason) => {
    const { acting } = graphOf({ 'POST /101/messages': reply });
    await expect(send(acting, text())).rejects.toMatchObject({ kind: outcome, reason });
  });

  it('has the parts that Messenger has', () => {
    expect(parts).toMatchObject({
      text: { max: 2000 },
      attachments: { kinds: ['image', 'video', 'audio', 'file'], max_bytes: 26_214_400, captions: 'bubble' },
      buttons: { types: ['url', 'postback'], text_max: 640 },
      cards: { max: 10 },
      quick_replies: { max: 13 },
      reply_to: true,
    });
    expect(parts.tags ?? parts.lists ?? parts.attachments!.voice).toBeUndefined();
    expect(bubbles.idempotent).toBeUndefined();
  });
});

describe('a message whose answer was lost', () => {
  const said = { id: 'm_1', created_time: TIME, from: { id: '101', name: 'Page' }, message: 'Hi' };
  const file = (mime_type: string) => ({
    ...said,
    message: '',
    attachments: { data: [{ mime_type, file_url: 'https://f' }] },
  });
  const another = { ...said, id: 'm_2' };
  const settle = async (bubble: Bubble, threads: readonly object[], sentAt = NOW + 400, ...ids: string[]) => {
    const { acting, asked } = graphOf({
      'GET /101/conversations': listed(threads.map((each) => ({ id: 't_1', messages: { data: [each].flat() } }))),
    });
    const lookup = { prepared: null, correlationId: 'm', sentAt, taken: new Set(ids) };
    const found = await bubbles.settle!(sending(acting), { conversation, bubble }, lookup);
    return [found, asked[0]!.query] as const;
  };

  it('is looked for in its conversation, by what it said', async () => {
    const earlier = { ...said, id: 'm_0', created_time: '2026-11-21T11:59:59+0000' };
    const theirs = { ...another, from: { id: 'P1' } };
    const [found, query] = await settle(text(), [[theirs, said, earlier]]);
    expect(found).toEqual({ message_id: 'm_1', created_at: NOW });
    expect(query).toMatchObject({ platform: 'messenger', user_id: 'P1' });
    expect(query['fields']).toContain('messages.limit(25){id,created_time,from,to,message,attachments,sticker,shares}');
  });

  it('is found beside a message that cannot be read', async () => {
    expect((await settle(text(), [[{ id: 'm_9' }, said]]))[0]).toMatchObject({ message_id: 'm_1' });
  });

  it('is never said not to be there, nor chosen among equals', async () => {
    expect((await settle(text(), []))[0]).toBe('unknown');
    expect((await settle(text({ text: 'Else' }), [said]))[0]).toBe('unknown');
    expect((await settle(text(), [[said, another]]))[0]).toBe('unknown');
    const known = await settle(text(), [[said, another]], NOW + 400, 'm_1');
    expect(known[0]).toMatchObject({ message_id: 'm_2' });
    expect((await settle(text(), [said], NOW + 400, 'm_1'))[0]).toBe('unknown');
    expect((await settle({ kind: 'cards', cards: [{ title: 'Hi' }] }, [said]))[0]).toBe('unknown');
  });

  it('with an attachment is not taken for the one that was sent right before', async () => {
    expect((await settle(image({}), [file('image/png')]))[0]).toBe('unknown');
    expect((await settle(image({}), [file('image/png')], NOW))[0]).toBe('unknown');
    expect((await settle(image({}), [file('image/png')], NOW - 1))[0]).toMatchObject({ message_id: 'm_1' });
    expect((await settle(image({}), [file('video/mp4')], NOW - 1))[0]).toBe('unknown');
  });
});

describe('what was read', () => {
  it('is told to the person', async () => {
    const { acting, asked } = graphOf({ 'POST /101/messages': ok({ recipient_id: 'P1' }) });
    await seen!(acting, conversation);
    expect(asked[0]!.body).toEqual({ recipient: { id: 'P1' }, sender_action: 'mark_seen' });
  });
});

describe('history', () => {
  /** Reads on, from a place that was kept as JSON. */
  const read = (acting: AccountCall, cursor?: unknown) =>
    inbox.history!(withOnePage(acting), cursor === undefined ? undefined : JSON.parse(JSON.stringify(cursor)));
  const page = { id: '101', name: 'Page' };
  const ann = { id: 'P1', name: 'Ann' };
  const thread = {
    id: 't_1',
    unread_count: 2,
    participants: { data: [page, ann] },
    messages: {
      data: [
        { id: 'm_2', created_time: '2026-11-21T12:00:01+0000', from: { id: '101' }, sticker: 'https://s' },
        {
          id: 'm_1',
          created_time: TIME,
          from: ann,
          message: 'Hi',
          attachments: {
            data: [
              { mime_type: 'image/png', image_data: { url: 'https://i' } },
              { mime_type: 'video/mp4', video_data: { url: 'https://v' } },
              { mime_type: 'audio/mpeg', file_url: 'https://a' },
              { mime_type: 'application/pdf', file_url: 'https://f' },
              { mime_type: 'image/png' },
            ],
          },
          shares: { data: [{ link: 'https://l' }, {}] },
        },
      ],
    },
  };
  const post = {
    id: '101_1',
    message: 'News',
    created_time: TIME,
    permalink_url: 'https://p',
    full_picture: 'https://i',
    comments: { summary: { total_count: 4 } },
    reactions: { summary: { total_count: 5 } },
  };

  it('tells conversations, then posts, to its end', async () => {
    const nobody = { id: 't_2', participants: { data: [page] }, messages: thread.messages };
    const { acting, asked } = graphOf({
      'GET /101/conversations': [listed([thread, nobody], 'A'), listed([])],
      'GET /101/published_posts': [listed([post]), listed([])],
    });
    const first = await read(acting);
    const known = { ...conversation, unread: 2, metadata: { thread_id: 't_1' } };
    expect(first.events).toEqual([
      {
        kind: 'message',
        conversation: known,
        message: {
          platform_id: 'm_1',
          direction: 'incoming',
          text: 'Hi',
          attachments: [
            { type: 'image', url: 'https://i' },
            { type: 'video', url: 'https://v' },
            { type: 'audio', url: 'https://a' },
            { type: 'file', url: 'https://f' },
            { type: 'link', url: 'https://l' },
          ],
          created_at: NOW,
          metadata: { shared: { type: 'link', url: 'https://l' }, unsupported: { type: 'link' } },
        },
      },
      {
        kind: 'message',
        conversation: known,
        message: {
          platform_id: 'm_2',
          direction: 'outgoing',
          text: '',
          attachments: [{ type: 'image', url: 'https://s' }],
          created_at: NOW + 1000,
        },
      },
    ]);
    expect(first.more).toBe(true);
    const second = await read(acting, first.cursor);
    expect([second.events, second.more, asked[1]!.query['after']]).toEqual([[], true, 'A']);
    const third = await read(acting, second.cursor);
    expect(third).toMatchObject({ more: false });
    expect(third.events).toEqual([
      {
        kind: 'post',
        post: {
          platform_id: '101_1',
          page_id: '101',
          text: 'News',
          thumbnail: 'https://i',
          permalink: 'https://p',
          comment_count: 4,
          like_count: 5,
          published_at: NOW,
        },
      },
    ]);
    expect(asked[2]!.query['fields']).toContain('comments.limit(0).summary(true)');
    expect(await read(acting, third.cursor)).toMatchObject({ events: [], more: false });
    expect(asked).toHaveLength(3);
  });

  it('is read for every page, as far back as is sensible', async () => {
    const { acting, calls } = graphOf({
      'GET /101/conversations': listed([], 'A'),
      'GET /101/published_posts': listed([], 'A'),
      'GET /202/conversations': listed([]),
      'GET /202/published_posts': listed([]),
    });
    let reading = await inbox.history!(acting, undefined);
    while (reading.more) reading = await inbox.history!(acting, reading.cursor);
    expect(calls()).toEqual([
      ...Array.from({ length: 8 }, () => 'GET /101/conversations'),
      ...Array.from({ length: 5 }, () => 'GET /101/published_posts'),
      'GET /202/conversations',
      'GET /202/published_posts',
    ]);
  });

  it('goes on behind what a page does not show, and stops at what may pass', async () => {
    const { acting } = graphOf({
      'GET /101/conversations': [refusal(200), refusal(190, 463), refusal(4), lost()],
      'GET /101/published_posts': listed([post]),
    });
    const refused = await read(acting);
    expect(refused).toMatchObject({ events: [], more: true });
    expect((await read(acting, refused.cursor)).events).toHaveLength(1);
    await expect(read(acting)).rejects.toMatchObject({ reason: 'auth' });
    await expect(read(acting)).rejects.toMatchObject({ kind: 'throttled' });
    await expect(read(acting)).rejects.toMatchObject({ kind: 'unknown' });
  });
});
