import { describe, expect, test } from 'vitest';
import { blind, lost, noSuchThing, refused, revoked, throttled } from '../../harness/platforms/social.ts';
import {
  call,
  callThrough,
  DOORS,
  expectInvalid,
  expectRefusal,
  onFreePlan,
  useInteractions,
} from '../../harness/calls/operations.ts';
import { expectLacking, letTimePass, makeStage, type Stage } from '../../harness/worlds/social.ts';
import { uploaded } from '../media/samples.ts';

const it = test.extend('at', () => scene());

async function scene(platform: 'twitter' | 'zalo' | 'facebook' | 'telegram' = 'twitter') {
  const stage = await makeStage();
  const account = await stage.connect(platform);
  const conversation_id = await stage.converse(account, { page: platform === 'facebook' ? 'p1' : undefined });
  return { ...stage, account, conversation_id };
}

const URL_BUTTON = { type: 'url', title: 'Open', url: 'https://shop.example.org/1' } as const;
const POSTBACK = { type: 'postback', title: 'Yes', payload: 'YES' } as const;
const CARD = { title: 'Shoe' };
const REPLIES = [{ title: 'Yes', payload: 'y' }];
const many = (count: number) => Array<(typeof REPLIES)[number]>(count).fill(REPLIES[0]!);
const row = (id: string) => ({ id, title: id });
const sections = (count: number, rows = 1) =>
  Array.from({ length: count }, (_, n) => ({ rows: Array.from({ length: rows }, (_, m) => row(`${n}-${m}`)) }));
const LIST = { list_button: 'Choose', list_sections: [{ title: 'All', rows: [row('a'), row('b')] }] };
const IMAGE = { source: 'https://pictures.example.org/a.png' };
const UNTYPED = { source: 'a', source_type: 'platform_attachment_id' };

/** What the network got, bubble by bubble. */
const bubbles = ({ net }: Pick<Stage, 'net'>) =>
  net.seen.map(({ ask }) => (ask as { bubble: Record<string, unknown> }).bubble);

const send = ({ world }: Pick<Stage, 'world'>, input: object) => call(world, 'send_dm', { ...input });

const usedOf = async ({ world }: Pick<Stage, 'world'>) => (await call(world, 'get_usage')).body.interactions_used;

describe('send_dm', () => {
  it('sends a text, stores it, and emits its events', async ({ at }) => {
    const { world, net, conversation_id, account } = at;
    const receiver = await world.receive(['dm.sent', 'dm.status.sent']);
    const { status, body } = await send(at, { conversation_id, text: 'Hi', account_id: account.id });
    const [{ id }] = net.seen as unknown as [{ id: string }];
    expect([status, body]).toEqual([200, { success: true, message_ids: [id], message_id: id }]);
    const { data } = (await call(world, 'list_messages', { conversation_id })).body;
    expect(data[0]).toMatchObject({
      platform_id: id,
      direction: 'outgoing',
      text: 'Hi',
      status: 'sent',
      sender_name: 'The ours',
      metadata: {},
    });
    const { data: thread } = (await call(world, 'get_conversation', { conversation_id })).body;
    expect(thread).toMatchObject({ last_message: 'Hi', unread_count: 1 });
    await world.settle();
    expect(receiver.received.map(({ body: told }) => told)).toMatchObject([
      { event: 'dm.sent', data: { conversation_id, platform_id: id, id: data[0].id } },
      { event: 'dm.status.sent', data: { conversation_id, message_ids: [id], account_id: account.id } },
    ]);
  });

  it('makes a bubble of each attachment, then one of the text with what hangs on it', async ({ at }) => {
    const { world, net, conversation_id } = at;
    const media = await uploaded(world);
    const attachments = [
      { source: media, source_type: 'media_id' },
      { source: 'https://pictures.example.org/b.mp4', source_type: 'url', caption: 'Look' },
      { source: 'att-1', source_type: 'platform_attachment_id', type: 'image' },
    ];
    const [hello] = (await call(world, 'list_messages', { conversation_id })).body.data;
    const input = { conversation_id, text: 'Well?', attachments, buttons: [URL_BUTTON, POSTBACK] };
    const { body } = await send(at, { ...input, reply_to_message_id: hello.id });
    expect(body.message_ids).toEqual(net.seen.map(({ id }) => id));
    expect(body.message_id).toBe(net.seen[0]!.id);
    expect(bubbles(at)).toMatchObject([
      { kind: 'attachment', type: 'image', media: { ref: media }, reply_to: 'hello-thread' },
      { kind: 'attachment', type: 'video', url: attachments[1]!.source, caption: 'Look' },
      { kind: 'attachment', type: 'image', platform_attachment_id: 'att-1' },
      { kind: 'text', text: 'Well?', buttons: [URL_BUTTON, POSTBACK] },
    ]);
    expect(bubbles(at).map((bubble) => ['reply_to' in bubble, 'media' in bubble])).toEqual([
      [true, true],
      [false, true],
      [false, false],
      [false, false],
    ]);
    const { data } = (await call(world, 'list_messages', { conversation_id })).body;
    expect(data).toHaveLength(5);
    expect(data.find(({ reply_to_message_id }: Record<string, unknown>) => reply_to_message_id)).toMatchObject({
      reply_to_message_id: hello.id,
      attachment_type: 'image',
      attachment_url: null,
    });
    // One interaction for all of them.
    expect(await usedOf(at)).toBe(1);
  });

  it('sends each kind of template', async ({ at }) => {
    const { conversation_id } = at;
    await send(at, { conversation_id, cards: [{ ...CARD, buttons: [POSTBACK] }] });
    await send(at, { conversation_id, text: 'Sure?', quick_replies: REPLIES });
    await send(at, { conversation_id, text: 'Which?', ...LIST });
    await send(at, { conversation_id, text: 'These', cards: [CARD] });
    expect(bubbles(at)).toMatchObject([
      { kind: 'cards', cards: [{ title: 'Shoe', buttons: [POSTBACK] }] },
      { kind: 'text', text: 'Sure?', quick_replies: REPLIES },
      { kind: 'text', text: 'Which?', list: { button: 'Choose', sections: LIST.list_sections } },
      { kind: 'text', text: 'These' },
      { kind: 'cards', cards: [CARD] },
    ]);
  });

  it('takes the single address for an attachment, typed by its extension, unless there are others', async ({ at }) => {
    const { conversation_id } = at;
    await send(at, { conversation_id, attachment_url: 'https://pictures.example.org/a.mp4?x=1' });
    await send(at, { conversation_id, attachment_url: 'https://x.example.org/a.mp4', attachments: [IMAGE] });
    await send(at, { conversation_id, attachment_url: 'https://x.example.org/b.jpeg', attachments: [] });
    expect(bubbles(at)).toMatchObject([
      { type: 'video', url: 'https://pictures.example.org/a.mp4?x=1' },
      { type: 'image', url: IMAGE.source },
      { type: 'image', url: 'https://x.example.org/b.jpeg' },
    ]);
  });

  const wrong: readonly (readonly [string, object, 'required' | 'invalid', string])[] = [
    ['nothing at all', {}, 'required', 'text'],
    ['blank text', { text: ' \n' }, 'required', 'text'],
    ['buttons without text', { buttons: [POSTBACK] }, 'required', 'text'],
    ['quick replies without text', { quick_replies: REPLIES, attachments: [IMAGE] }, 'required', 'text'],
    ['a list without text', { ...LIST }, 'required', 'text'],
    ['a list without its button', { text: 'a', list_sections: LIST.list_sections }, 'required', 'list_button'],
    ['a list without rows', { text: 'a', ...LIST, list_sections: [{ rows: [] }] }, 'required', 'list_sections.0.rows'],
    ['two templates', { text: 'a', buttons: [POSTBACK], quick_replies: REPLIES }, 'invalid', 'quick_replies'],
    ['cards and a list', { text: 'a', cards: [CARD], ...LIST }, 'invalid', 'list_sections'],
    ['a long text', { text: 'x'.repeat(1001) }, 'invalid', 'text'],
    ['a long text with buttons', { text: 'x'.repeat(641), buttons: [POSTBACK] }, 'invalid', 'text'],
    ['no button', { text: 'a', buttons: [] }, 'invalid', 'buttons'],
    ['four buttons', { text: 'a', buttons: [1, 2, 3, 4].map(() => URL_BUTTON) }, 'invalid', 'buttons'],
    ['a long title', { text: 'a', buttons: [{ ...POSTBACK, title: 'x'.repeat(21) }] }, 'invalid', 'buttons.0.title'],
    ['an odd button', { text: 'a', buttons: [{ ...POSTBACK, type: 'call' }] }, 'invalid', 'buttons.0.type'],
    ['no address', { text: 'a', buttons: [{ type: 'url', title: 'a' }] }, 'required', 'buttons.0.url'],
    ['no payload', { text: 'a', buttons: [{ type: 'postback', title: 'a' }] }, 'required', 'buttons.0.payload'],
    ['a bad address', { text: 'a', buttons: [{ ...URL_BUTTON, url: 'ftp://a' }] }, 'invalid', 'buttons.0.url'],
    ['equal payloads', { text: 'a', buttons: [POSTBACK, POSTBACK] }, 'invalid', 'buttons.1.payload'],
    [
      'a bad card',
      { cards: [{ ...CARD, buttons: [{ type: 'url', title: 'a' }] }] },
      'required',
      'cards.0.buttons.0.url',
    ],
    ['a card without title', { cards: [{ subtitle: 'a' }] }, 'required', 'cards.0.title'],
    ['a long subtitle', { cards: [{ ...CARD, subtitle: 'x'.repeat(81) }] }, 'invalid', 'cards.0.subtitle'],
    ['eleven cards', { cards: Array.from({ length: 11 }, () => CARD) }, 'invalid', 'cards'],
    ['more cards than fit here', { cards: Array.from({ length: 6 }, () => CARD) }, 'invalid', 'cards'],
    ['more quick replies than fit here', { text: 'a', quick_replies: many(4) }, 'invalid', 'quick_replies'],
    ['14 quick replies', { text: 'a', quick_replies: many(14) }, 'invalid', 'quick_replies'],
    ['11 sections', { text: 'a', ...LIST, list_sections: sections(11) }, 'invalid', 'list_sections'],
    ['12 rows', { text: 'a', ...LIST, list_sections: sections(2, 6) }, 'invalid', 'list_sections'],
    ['a long list button', { text: 'a', ...LIST, list_button: 'x'.repeat(21) }, 'invalid', 'list_button'],
    ['an odd source', { attachments: [{ source: 'a', source_type: 'disk' }] }, 'invalid', 'attachments.0.source_type'],
    ['an address that is none', { attachments: [IMAGE, { source: 'file:///etc/passwd' }] }, 'invalid', 'attachments.1'],
    ['a file instead of an address', { attachment_url: 'file:///etc/passwd' }, 'invalid', 'attachment_url'],
    ['an id without type', { attachments: [UNTYPED] }, 'required', 'attachments.0.type'],
  ];
  it('refuses what cannot be sent, before anything is', async ({ at }) => {
    const { conversation_id, net } = at;
    for (const [what, input, kind, field] of wrong) {
      const { code, meta } = await send(at, { conversation_id, ...input });
      expect([what, code, meta.field]).toEqual([what, `validation.field_${kind}`, field]);
    }
    const tag = send(at, { conversation_id, text: 'a', message_tag: 'OTHER' });
    await expectRefusal(tag, 'validation.invalid_message_tag', { field: 'message_tag' });
    const attach = (source: string) =>
      send(at, { conversation_id, attachments: [{ source, source_type: 'media_id' }] });
    await expectRefusal(attach('med_none'), 'media.not_found', { id: 'med_none' });
    const large = await call(at.world, 'get_media_upload_url', { media_type: 'image/png', filename: 'a.png' });
    await expectRefusal(attach(large.body.media_id), 'media.not_ready');
    const answered = send(at, { conversation_id, text: 'a', reply_to_message_id: 'none' });
    await expectRefusal(answered, 'resource.not_found', { resource: 'message', id: 'none' });
    expect([net.callsOf('messages.send'), await usedOf(at)]).toEqual([0, 0]);
    expect((await send(at, { conversation_id, text: 'a', message_tag: 'HUMAN_AGENT' })).ok).toBe(true);
    expect(net.seen[0]!.ask).toMatchObject({ tag: 'HUMAN_AGENT' });
  });

  it('answers 501 for each part that the platform lacks', async () => {
    const at = await scene('zalo');
    const { world, net, conversation_id } = at;
    const lacking: readonly (readonly [object, string])[] = [
      [{ attachments: [IMAGE] }, 'messages.attachments'],
      [{ text: 'a', buttons: [POSTBACK] }, 'messages.buttons'],
      [{ cards: [CARD] }, 'messages.cards'],
      [{ text: 'a', quick_replies: REPLIES }, 'messages.quick_replies'],
      [{ text: 'a', ...LIST }, 'messages.lists'],
      [{ text: 'a', reply_to_message_id: 'hello-thread' }, 'messages.reply_to'],
    ];
    for (const [input, part] of lacking) await expectLacking(send(at, { conversation_id, ...input }), part, 'zalo');
    expect((await send(at, { conversation_id, text: 'a', message_tag: 'ANY' })).ok).toBe(true);
    expect((net.seen[0]!.ask as { tag?: string }).tag).toBeUndefined();
    const twitter = await scene();
    const more: readonly (readonly [object, string])[] = [
      [{ attachments: [{ source: 'https://a.example.org/a.mp3' }] }, 'messages.attachments.audio'],
      [{ attachments: [{ ...IMAGE, voice: true }] }, 'messages.attachments.voice'],
    ];
    for (const [input, part] of more)
      await expectLacking(send(twitter, { conversation_id: twitter.conversation_id, ...input }), part, 'twitter');
    const mute = await scene('telegram');
    await expectLacking(send(mute, { conversation_id: mute.conversation_id, text: 'a' }), 'messages.send', 'telegram');
    expect(world.clock.timers()).toBeGreaterThan(0);
  });

  it('knows whose the conversation is', async ({ at }) => {
    const { world, conversation_id, account, connect } = at;
    const other = await connect('twitter', 'other');
    const say = (account_id: string) => send(at, { conversation_id, text: 'Hi', account_id });
    await expectRefusal(say('acc_none'), 'account.not_found', { id: 'acc_none' });
    await expectInvalid(say(other.id), 'account_id');
    await expectRefusal(send(at, { conversation_id: 'conv_none', text: 'a' }), 'conversation.not_found');
    const limited = await world.newKey({ brand_ids: [other.brand_id] });
    const foreign = call(world, 'send_dm', { conversation_id, text: 'a' }, { key: limited });
    await expectRefusal(foreign, 'conversation.not_found', { id: conversation_id });
    expect((await say(account.id)).ok).toBe(true);
  });

  it('acts as the page of the conversation, while that is active', async () => {
    const at = await scene('facebook');
    const { world, net, account, conversation_id } = at;
    expect((await send(at, { conversation_id, text: 'Hi' })).ok).toBe(true);
    expect(net.seen[0]!.ask).toMatchObject({ conversation: { page_id: 'p1' } });
    const off = { account_id: account.id, page_id: 'p1', is_active: false };
    await call(world, 'update_account_page', off);
    await expectRefusal(send(at, { conversation_id, text: 'Ho' }), 'account.page_inactive');
    const nowhere = await at.converse(account, { thread: 'nowhere' });
    await call(world, 'update_account_page', { ...off, page_id: 'p2' });
    await expectRefusal(send(at, { conversation_id: nowhere, text: 'Ho' }), 'account.no_active_page');
  });

  it('hands on what the platform refuses', async ({ at }) => {
    const { world, net, conversation_id, account } = at;
    const receiver = await world.receive(['dm.status.failed']);
    net.script('ours', 'messages.send', refused, noSuchThing, throttled, revoked, revoked);
    const told = [];
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      const { status, code, meta } = await send(at, { conversation_id, text });
      told.push([status, code, meta.message_ids]);
    }
    expect(told).toEqual([
      [400, 'platform.twitter.window_closed', undefined],
      [404, 'platform.twitter.not_found', undefined],
      [429, 'platform.twitter.rate_limit', undefined],
      [401, 'platform.twitter.auth', undefined],
      // Known by now: nothing is charged, nothing is asked.
      [403, 'account.reconnection_required', undefined],
    ]);
    expect(await usedOf(at)).toBe(0);
    await world.settle();
    // Deliveries are under way at once: which one arrives first is open.
    expect(new Set(receiver.received.map(({ body }) => body.data['error_code']))).toEqual(
      new Set(told.slice(0, 4).map(([, code]) => code)),
    );
    expect(receiver.received[0]!.body.data).toMatchObject({ conversation_id, account_id: account.id, mids: [] });
  });

  it('makes one message of a request that is repeated after a 502', async ({ at }) => {
    const { net, conversation_id, world } = at;
    net.script('ours', 'messages.send', lost);
    net.script('ours', 'messages.send.settle', blind, blind, blind);
    const { code, status, meta } = await letTimePass(world, send(at, { conversation_id, text: 'Hi' }));
    expect([code, status, meta.id]).toEqual(['platform.twitter.api_error', 502, expect.stringMatching(/^snd_/)]);
    const { ok, body } = await send(at, { conversation_id, text: 'Hi' });
    expect([ok, body.message_ids]).toEqual([true, [net.seen[0]!.id]]);
    expect([net.seen.length, await usedOf(at)]).toEqual([1, 1]);
  });

  it('is metered', async ({ at }) => {
    const { world, conversation_id } = at;
    await onFreePlan(world);
    await useInteractions(world, 49);
    const last = await world.rest(`POST /v1/inbox/conversations/${conversation_id}/messages`, { text: 'a' });
    const used: number = await usedOf(at);
    expect(last.headers.get('x-interactions-limit')).toBe('50');
    expect(last.headers.get('x-interactions-remaining')).toBe(String(50 - used));
    for (let left = 50 - used; left > 0; left -= 1)
      expect((await send(at, { conversation_id, text: `a${left}` })).ok).toBe(true);
    const { status, code, meta } = await send(at, { conversation_id, text: 'c' });
    expect([status, code, meta]).toEqual([429, 'validation.interaction_limit_exhausted', { plan: 'free', max: 50 }]);
  });
});

it.each(DOORS)('keeps an unheard answer for the client that repeats its request through %s', async (via) => {
  const at = await scene();
  const { world, net, conversation_id } = at;
  const gate = net.gate();
  net.script('ours', 'messages.send', gate);
  const input = { text: 'ok' };
  const asked = { name: 'send_dm', arguments: { conversation_id, ...input } };
  const [path, body] =
    via === 'rest'
      ? [`/v1/inbox/conversations/${conversation_id}/messages`, input]
      : ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked }];
  const headers = {
    Authorization: `Bearer ${world.key}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const client = new AbortController();
  const left = fetch(world.root + path, { method: 'POST', headers, body: JSON.stringify(body), signal: client.signal });
  await gate.met;
  client.abort();
  expect(await left.catch(() => 'gone')).toBe('gone');
  // The server notices when the socket closes; a request of ours that follows comes after it.
  await world.rest('GET /v1/usage');
  gate.open();
  await world.product.modules.inbox.idle();
  const repeat = () => callThrough(world, via, 'send_dm', { conversation_id, ...input });
  expect(await repeat()).toMatchObject({ ok: true, body: { message_ids: [net.seen[0]!.id] } });
  expect(net.seen).toHaveLength(1);
  // This answer was heard: the next one is a message of its own.
  expect((await repeat()).body.message_ids).toEqual([net.seen[1]!.id]);
  expect(await usedOf(at)).toBe(2);
});
