import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Bubble, BubbleRequest } from '#platforms/messages.ts';
import type { PushTrust } from '#platforms/push.ts';
import { zalo } from '#platforms/zalo/index.ts';
import { opened } from '../../harness/opened.ts';
import { answer, lost, NOW, refused, type Script } from '../../harness/platforms/script.ts';
import { made, refusal, zaloOf } from './script.ts';

const { bubble, parts } = zalo.messages!;
const push = zalo.push!;
const PERSON = { platform_id: '501', participant: { id: '501', name: 'Lan' } };
const text = (words: string, more: object = {}): Bubble => ({ kind: 'text', text: words, ...more });
const ask = (content: Bubble, conversation: BubbleRequest['conversation'] = PERSON): BubbleRequest => ({
  conversation,
  bubble: content,
});
const state = (prepared: unknown = null) => ({ prepared, correlationId: 'snd_1.0', sentAt: NOW });
const SENT = made({ message_id: 'm-1', user_id: '501', sent_time: String(NOW), quota: { remain: 1 } });

const FILES = {
  png: opened(Buffer.from('picture'), 'image/png', { filename: 'a.png' }),
  gif: opened(Buffer.from('gif'), 'image/gif', { width: 100, height: 80 }),
  pdf: opened(Buffer.from('paper'), 'application/pdf', { filename: 'menu.pdf' }),
  large: { ...opened(Buffer.from('picture'), 'image/png'), size: 1024 * 1024 + 1 },
};
const attachment = (type: 'image' | 'file', ref: keyof typeof FILES): Bubble => ({
  kind: 'attachment',
  type,
  media: { ref, kind: type },
});

const CARDS: Bubble = { kind: 'cards', cards: [{ title: 'Rye' }] };

async function deliver(script: Script, content: Bubble, conversation = PERSON as BubbleRequest['conversation']) {
  const { acting, asked } = zaloOf(script);
  const call = { ...acting, open: async (ref: string) => FILES[ref as keyof typeof FILES] };
  const prepared = await bubble.prepare!(call, ask(content, conversation));
  const sent = await bubble.send(call, ask(content, conversation), state(JSON.parse(JSON.stringify(prepared))));
  return { sent, asked };
}

describe('messages', () => {
  it('go to the person, and have the id and time that Zalo answers', async () => {
    const { sent, asked } = await deliver({ 'oa/message/cs': SENT }, text('Hello'));
    expect(sent).toEqual({ message_id: 'm-1', created_at: NOW });
    expect(new URL(asked[0]!.request.url).pathname).toBe('/v3.0/oa/message/cs');
    expect(asked[0]!.body).toEqual({ recipient: { user_id: '501' }, message: { text: 'Hello' } });
  });

  it('have buttons, and quick replies that are buttons', async () => {
    const buttons = [
      { type: 'url', title: 'Shop', url: 'https://bakery.test' },
      { type: 'postback', title: 'Yes', payload: 'YES' },
    ];
    const { asked } = await deliver({ 'oa/message/cs': SENT }, text('Rye?', { buttons }));
    const shown = [
      { title: 'Shop', type: 'oa.open.url', payload: { url: 'https://bakery.test' } },
      { title: 'Yes', type: 'oa.query.hide', payload: 'YES' },
    ];
    const attachment = { type: 'template', payload: { buttons: shown } };
    expect(asked[0]!.body.message).toEqual({ text: 'Rye?', attachment });
    const quick_replies = [{ title: 'Rye' }, { title: 'Wheat', payload: 'W' }];
    const replies = await deliver({ 'oa/message/cs': SENT }, text('Which?', { quick_replies }));
    expect(replies.asked[0]!.body.message.attachment.payload.buttons).toEqual([
      { title: 'Rye', type: 'oa.query.show', payload: 'Rye' },
      { title: 'Wheat', type: 'oa.query.hide', payload: 'W' },
    ]);
    expect(parts).toMatchObject({ quick_replies: { max: 5 }, buttons: { types: ['url', 'postback'] } });
    const long = [{ type: 'postback', title: 'Yes', payload: 'x'.repeat(1001) }];
    await expect(deliver({}, text('?', { buttons: long }))).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it.each([
    ['image', 'png', 'upload/image', 'a.png image/png 7', { media_type: 'image' }],
    ['image', 'gif', 'upload/gif', 'file image/gif 3', { media_type: 'gif', width: 100, height: 80 }],
  ] as const)('have a %s, uploaded first (%s)', async (type, ref, upload, part, element) => {
    const script = { [`oa/${upload}`]: made({ attachment_id: 'u-1' }), 'oa/message/cs': SENT };
    const { asked } = await deliver(script, attachment(type, ref));
    expect(asked[0]!.form).toEqual({ file: part });
    const payload = { template_type: 'media', elements: [{ ...element, attachment_id: 'u-1' }] };
    expect(asked[1]!.body.message).toEqual({ attachment: { type: 'template', payload } });
  });

  it('have a file, by the token of its upload', async () => {
    const script = { 'oa/upload/file': made({ token: 'tok-1' }), 'oa/message/cs': SENT };
    const { asked } = await deliver(script, attachment('file', 'pdf'));
    expect(asked[0]!.form).toEqual({ file: 'menu.pdf application/pdf 5' });
    expect(asked[1]!.body.message).toEqual({ attachment: { type: 'file', payload: { token: 'tok-1' } } });
  });

  it('are not sent with a file of which Zalo gives no id', async () => {
    const script = { 'oa/upload/image': made({}), 'oa/message/cs': SENT };
    await expect(deliver(script, attachment('image', 'png'))).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('have what was uploaded earlier, by its id', async () => {
    const known = (type: 'image' | 'file'): Bubble => ({ kind: 'attachment', type, platform_attachment_id: 'u-9' });
    const image = await deliver({ 'oa/message/cs': SENT }, known('image'));
    expect(image.asked[0]!.body.message.attachment.payload.elements).toEqual([
      { media_type: 'image', attachment_id: 'u-9' },
    ]);
    const file = await deliver({ 'oa/message/cs': SENT }, known('file'));
    expect(file.asked[0]!.body.message).toEqual({ attachment: { type: 'file', payload: { token: 'u-9' } } });
  });

  it.each([
    ['too large', attachment('image', 'large')],
    ['of a type it does not take', attachment('file', 'png')],
    ['cards', CARDS],
  ])('are refused where a file is %s', async (_, content) => {
    await expect(deliver({}, content)).rejects.toMatchObject(refused('invalid_request'));
  });

  it('go to a visitor of a web page in the conversation they are in', async () => {
    const metadata = { anonymous_id: 'anon-1', conversation_id: 'conv-1' };
    const visitor = { platform_id: 'conv-1', participant: { id: 'anon-1', name: '' }, metadata };
    const { asked } = await deliver({ 'oa/message': SENT }, text('Hello'), visitor);
    expect(new URL(asked[0]!.request.url).pathname).toBe('/v2.0/oa/message');
    expect(asked[0]!.body.recipient).toEqual(metadata);
  });
});

const listed = (message_id: string, more: object = {}) => ({
  src: 0,
  time: NOW + 500,
  type: 'text',
  message: 'Hello',
  message_id,
  from_id: '777',
  from_display_name: 'Bakery',
  to_id: '501',
  to_display_name: 'Lan',
  to_avatar: 'https://cdn.test/lan.jpg',
  ...more,
});
const theirs = (message_id: string, more: object = {}) => {
  const ends = { from_id: '501', from_display_name: 'Lan', to_id: '777', to_display_name: 'Bakery' };
  return listed(message_id, { src: 1, ...ends, ...more });
};

describe('a message whose answer was lost', () => {
  const OLD = { time: NOW - 60_000 };
  const settle = async (
    chat: readonly object[],
    content = text('Hello'),
    taken = new Set<string>(),
    prepared?: unknown,
  ) => {
    const { acting, asked } = zaloOf({ 'oa/conversation': made(chat) });
    const found = await bubble.settle!(acting, ask(content), { ...state(prepared), taken });
    return { found, asked };
  };

  it('is found among the newest of the conversation', async () => {
    const chat = [theirs('m-3'), listed('m-2'), listed('m-1', OLD)];
    const { found, asked } = await settle(chat);
    expect(found).toEqual({ message_id: 'm-2', created_at: NOW + 500 });
    expect(JSON.parse(asked[0]!.query['data']!)).toEqual({ user_id: '501', offset: 0, count: 10 });
  });

  it('is another one than is known to be made by somebody else', async () => {
    expect((await settle([listed('m-2')], text('Hello'), new Set(['m-2']))).found).toBe('absent');
    expect((await settle([listed('m-2'), listed('m-3')])).found).toBe('unknown');
    expect((await settle([listed('m-1', OLD)])).found).toBe('absent');
  });

  it('stays unknown where newer messages hide the place, or the list cannot be read', async () => {
    expect((await settle([...Array(10)].map((_, at) => theirs(`m-${at}`)))).found).toBe('unknown');
    expect((await settle([])).found).toBe('unknown');
    expect((await settle([listed('m-1', OLD), { message_id: null }])).found).toBe('unknown');
  });

  it('may be a picture', async () => {
    const plan = { as: 'image', id: 'u-1', width: 0, height: 0 };
    const chat = [listed('m-2', { type: 'photo', message: '' }), listed('m-3', OLD)];
    const { found } = await settle(chat, attachment('image', 'png'), new Set(), plan);
    expect(found).toMatchObject({ message_id: 'm-2' });
  });
});

describe('errors', () => {
  const CODES = [
    ['refused', 'auth', [-216, -220, -124]],
    ['throttled', 'rate_limit', [-32]],
    ['refused', 'invalid_request', [-201, -210, -233, -100]],
    ['refused', 'publish_limit', [-211]],
    ['refused', 'not_deliverable', [-217, -213, -230, -232, -234, -244]],
    ['refused', 'permission_denied', [-221, -224, -248]],
    ['unknown', 'api_error', [-9999]],
  ] as const;
  const CASES = CODES.flatMap(([kind, reason, codes]) => codes.map((code) => [code, kind, reason] as const));
  it.each(CASES)('come with HTTP 200: %i', async (code, kind, reason) => {
    const failed = deliver({ 'oa/message/cs': refusal(code) }, text('Hello'));
    await expect(failed).rejects.toMatchObject({ kind, reason, upstream: `${code} 200: strange` });
  });

  it('may have a number that is text; a limit names no time, so a minute is waited', async () => {
    const failed = deliver({ 'oa/message/cs': answer(200, { error: '-32', message: 'Slow down' }) }, text('Hello'));
    await expect(failed).rejects.toMatchObject({ kind: 'throttled', retryAfter: 60 });
  });

  it.each([
    [lost(), 'unknown'],
    [lost(false), 'not_sent'],
    [answer(502, 'Bad Gateway'), 'unknown'],
    [answer(200, 'no JSON'), 'unknown'],
    [answer(404, {}), 'unknown'],
    [made({}), 'unknown'],
  ])('that say nothing leave it open what happened', async (reply, kind) => {
    await expect(deliver({ 'oa/message/cs': reply }, text('Hello'))).rejects.toMatchObject({ kind });
  });
});

describe('history', () => {
  it('reads the latest conversations with their newest messages', async () => {
    const chats = [...Array(10)].map((_, at) =>
      theirs(`r-${at}`, { from_id: at < 9 ? `50${at}` : '500', from_display_name: `P${at}` }),
    );
    const { acting, asked } = zaloOf({
      'oa/listrecentchat': [made(chats), made([])],
      'oa/conversation': ({ query }) => {
        const { user_id } = JSON.parse(query['data']!);
        if (user_id === '503') return { error: -213, message: 'gone' };
        const photo = { type: 'photo', message: '', url: 'https://cdn.test/p.jpg' };
        return { error: 0, data: [theirs(`a-${user_id}`, photo), listed(`b-${user_id}`), { nonsense: true }] };
      },
    });
    const first = await zalo.inbox!.history!(acting, undefined);
    expect(first).toMatchObject({ cursor: { offset: 10 }, more: true });
    expect(first.events).toHaveLength(8 * 2 + 1);
    expect(first.events[0]).toMatchObject({
      kind: 'message',
      conversation: { platform_id: '500', participant: { id: '500' } },
      message: {
        platform_id: 'a-500',
        direction: 'incoming',
        text: '',
        attachments: [{ type: 'image', url: 'https://cdn.test/p.jpg' }],
        created_at: NOW + 500,
      },
    });
    expect(first.events[1]).toMatchObject({ message: { direction: 'outgoing', text: 'Hello', status: 'sent' } });
    expect(JSON.parse(asked[0]!.query['data']!)).toEqual({ offset: 0, count: 10 });
    expect(await zalo.inbox!.history!(acting, first.cursor)).toMatchObject({ events: [], more: false });
  });

  it('goes on after a conversation that cannot be read', async () => {
    const chats = [...[...Array(9)].map((_, at) => theirs(`r-${at}`)), { nonsense: true }];
    const { acting } = zaloOf({ 'oa/listrecentchat': made(chats), 'oa/conversation': made([theirs('a')]) });
    expect(await zalo.inbox!.history!(acting, undefined)).toMatchObject({ cursor: { offset: 10 }, more: true });
  });
});

const SECRET = 'oa-secret-key';
const trust = { settings: { ZALO_OA_SECRET: SECRET } } as unknown as PushTrust;
const request = (body: object | string, headers: Record<string, string> = {}) => ({
  path: '',
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const signed = (body: string, secret = SECRET, app = '123', time = '1700000000000') =>
  request(body, {
    'x-zevent-signature': `mac=${createHash('sha256').update(`${app}${body}${time}${secret}`).digest('hex')}`,
  });

describe('signatures', () => {
  const BODY = '{"app_id":"123","event_name":"user_send_text","timestamp":"1700000000000"}';
  const unset = { settings: {}, app: ['app-secret'] } as unknown as PushTrust;

  it('are a plain SHA-256 with the secret key of official accounts', () => {
    const vector = 'mac=b0e32a0ee6de66a266f72aa8d02110386c7da9d760268a4287b0024972920198';
    const known = { settings: { ZALO_OA_SECRET: 'oa_secret' } } as unknown as PushTrust;
    expect(push.verify(request(BODY, { 'x-zevent-signature': vector }), known)).toBe(true);
    expect(push.verify(signed(BODY), trust)).toBe(true);
    expect(push.verify(signed(BODY, 'app-secret'), unset)).toBe(true);
    const numeric = '{"app_id":123,"timestamp":1700000000000}';
    expect(push.verify(signed(numeric), trust)).toBe(true);
  });

  it.each([
    ['of another secret', signed(BODY, 'app-secret'), trust],
    ['of another body', { ...signed(BODY), body: Buffer.from(BODY.replace('text', 'link')) }, trust],
    ['of another time', signed(BODY, SECRET, '123', '1700000000001'), trust],
    ['that is missing', request(BODY), trust],
    ['of a body that is no JSON', signed('nonsense'), trust],
    ['where no secret is set', signed(BODY, 'undefined'), unset],
    ['of more values than an event has', signed(BODY.replace('}', `,"x":[0${',0'.repeat(2000)}]}`)), trust],
    [
      'of deeper values than an event has',
      signed(BODY.replace('}', `,"x":${'['.repeat(64)}${']'.repeat(64)}}`)),
      trust,
    ],
  ])('%s are refused', (_, pushed, known) => {
    expect(push.verify(pushed, known)).toBe(false);
  });
});

describe('pushes', () => {
  const event = (event_name: string, more: object = {}) => ({
    app_id: '4400',
    event_name,
    sender: { id: '501' },
    recipient: { id: '777' },
    timestamp: String(NOW),
    ...more,
  });
  const file = (type: string, payload: object) => ({ message: { msg_id: 'm-1', attachments: [{ type, payload }] } });
  const read = (body: object) => push.read(request(body));

  it('report what a person writes', () => {
    const sent = { msg_id: 'm-1', text: 'Hello', quote_msg_id: 'm-0' };
    const conversation = { platform_id: '501', participant: { id: '501', name: '' } };
    const message = {
      platform_id: 'm-1',
      direction: 'incoming',
      created_at: NOW,
      text: 'Hello',
      attachments: [],
      reply_to: 'm-0',
      metadata: {},
    };
    const told = { kind: 'message', conversation, message };
    expect(read(event('user_send_text', { message: sent }))).toEqual([{ user: '777', event: told }]);
  });

  const URL_ = 'https://cdn.test/f';
  it.each([
    ['user_send_image', file('image', { url: URL_, thumbnail: 'https://cdn.test/t' }), [{ type: 'image', url: URL_ }]],
    ['user_send_gif', file('gif', { url: URL_ }), [{ type: 'image', url: URL_ }]],
    ['user_send_sticker', file('sticker', { url: URL_, id: 's' }), [{ type: 'image', url: URL_ }]],
    ['user_send_audio', file('audio', { url: URL_ }), [{ type: 'audio', url: URL_ }]],
    ['user_send_video', file('video', { url: URL_, thumbnail: URL_ }), [{ type: 'video', url: URL_ }]],
    ['user_send_file', file('file', { url: URL_, name: 'a.pdf', size: '3' }), [{ type: 'file', url: URL_ }]],
    ['user_send_link', file('link', { url: URL_, description: 'Menu' }), [{ type: 'link', url: URL_ }]],
  ])('report files: %s', (name, more, attachments) => {
    expect(read(event(name, more))).toMatchObject([{ event: { message: { attachments } } }]);
  });

  it('report places and cards as what they are', () => {
    const coordinates = { latitude: '10.7', longitude: '106.6' };
    expect(read(event('user_send_location', file('location', { coordinates })))).toMatchObject([
      { event: { message: { attachments: [], metadata: { location: { latitude: 10.7, longitude: 106.6 } } } } },
    ]);
    const card = { description: 'Lan, 0900', url: URL_ };
    expect(read(event('user_send_business_card', file('business_card', card)))).toMatchObject([
      { event: { message: { text: 'Lan, 0900', metadata: { business_card: card } } } },
    ]);
  });

  it('report what the account sends, from here or elsewhere', () => {
    const echo = { sender: { id: '777' }, recipient: { id: '501' }, message: { msg_id: 'm-2', text: 'Hi' } };
    const message = { platform_id: 'm-2', direction: 'outgoing' };
    const told = { conversation: { platform_id: '501' }, message };
    expect(read(event('oa_send_text', echo))).toMatchObject([{ user: '777', event: told }]);
    const attachments = [{ type: 'template', payload: { url: URL_ } }];
    const list = { ...echo, message: { msg_id: 'm-3', text: 'Choose', attachments } };
    expect(read(event('oa_send_list', list))).toMatchObject([{ event: { message: { attachments: [] } } }]);
  });

  it('report visitors of web pages in their own conversations', () => {
    const message = { msg_id: 'm-1', text: 'Hello' };
    const visit = { message, sender: { id: 'anon-1' }, conversation_id: 'conv-1' };
    const conversation = {
      platform_id: 'anon-1',
      participant: { id: 'anon-1', name: 'Anonymous' },
      metadata: { anonymous_id: 'anon-1', conversation_id: 'conv-1' },
    };
    expect(read(event('anonymous_send_text', visit))).toMatchObject([{ user: '777', event: { conversation } }]);
  });

  it.each([
    ['user_received_message', 'delivered'],
    ['user_seen_message', 'read'],
  ])('report receipts, whichever of the two is called the sender: %s', (name, status) => {
    const receipt = (user: string, conversation: string, ...message_ids: string[]) => ({
      user,
      event: { kind: 'receipt', status, conversation, message_ids, at: NOW },
    });
    expect(read(event(name, { message: { msg_ids: ['m-1', 'm-2'] } }))).toEqual([
      receipt('501', '777', 'm-1', 'm-2'),
      receipt('777', '501', 'm-1', 'm-2'),
    ]);
    expect(read(event(name, { message: { msg_id: 'm-1' } }))[1]).toEqual(receipt('777', '501', 'm-1'));
  });

  it('report taps and forms as postbacks', () => {
    const url = { url: 'https://bakery.test' };
    const tap = { message: { msg_id: 'm-4' }, button: { title: 'Shop', type: 'oa.open.url', payload: url } };
    const platform_id = `user_click_button:501:${NOW}`;
    expect(read(event('user_click_button', tap))).toMatchObject([
      { user: '777', event: { kind: 'postback', platform_id, title: 'Shop', payload: JSON.stringify(url), at: NOW } },
    ]);
    const info = { name: 'Lan', phone: '0900' };
    const form = { kind: 'postback', platform_id: `user_submit_info:501:${NOW}`, payload: JSON.stringify(info) };
    expect(read(event('user_submit_info', { info }))).toMatchObject([{ event: form }]);
  });

  it('read numbers in place of text without losing digits', () => {
    const body =
      '{"app_id":1,"event_name":"user_send_text","sender":{"id":7285912345678901234},' +
      `"recipient":{"id":777},"timestamp":${NOW},"message":{"msg_id":"m-1","text":"Hi"}}`;
    expect(push.read(request(body))).toMatchObject([
      { user: '777', event: { conversation: { platform_id: '7285912345678901234' } } },
    ]);
  });

  const nobody = { sender: undefined, recipient: undefined };
  it.each([
    ['a follow', event('follow', { ...nobody, follower: { id: '501' }, oa_id: '777' })],
    ['a reaction', event('user_reacted_message', { message: { msg_id: 'm-1', react_icon: '/-heart' } })],
    ['a group', event('user_send_group_text', { sender: undefined, message: { msg_id: 'm-1' } })],
    ['a message without an id', event('user_send_text', { message: { text: 'Hi' } })],
    ['something else', { hello: 'world' }],
  ])('of %s report nothing', (_, body) => {
    expect(read(body)).toEqual([]);
  });

  it('are completed with the name and picture of the person', async () => {
    const [{ event: reported } = {}] = read(event('user_send_text', { message: { msg_id: 'm-1', text: 'Hi' } }));
    const avatar = 'https://cdn.test/lan.jpg';
    const { acting, asked } = zaloOf({ 'oa/user/detail': made({ display_name: 'Lan', avatar }) });
    const participant = { id: '501', name: 'Lan', avatar_url: avatar };
    expect(await push.complete!(acting, reported!)).toMatchObject({ conversation: { participant } });
    expect(JSON.parse(asked[0]!.query['data']!)).toEqual({ user_id: '501' });
    const anonymous = { message: { msg_id: 'm-1', text: 'Hi' }, conversation_id: 'c' };
    const [{ event: visitor } = {}] = read(event('anonymous_send_text', anonymous));
    expect(await push.complete!(zaloOf({}).acting, visitor!)).toBeDefined();
  });
});
