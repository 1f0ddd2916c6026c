import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { mp4, ogg, pdf, png, webp } from '../../harness/media-samples.ts';
import { OTTO, whatsappOf } from '../../harness/platforms/whatsapp.ts';
import { heardBy, list, openThread, read, refusalOf, store } from '../../harness/calls/rest.ts';
import { it, type Json, type World } from '../../harness/world.ts';

const EVENTS = [
  'dm.received',
  'dm.sent',
  'dm.postback',
  'dm.status.sent',
  'dm.status.delivered',
  'dm.status.read',
  'dm.status.failed',
];

/** An account of one number, to which a customer has written. */
async function sceneIn(world: World) {
  const whatsapp = whatsappOf(world);
  const receiver = await world.receive(EVENTS);
  const account = (await whatsapp.consent()).get('account_id')!;
  await whatsapp.does('message', { text: 'Are you open?' });
  return { whatsapp, account, ...(await openThread(world)), heard: heardBy(receiver) };
}

it('a number says how many people may be written to in a day, unless they are as many as one likes', async ({
  world,
}) => {
  const { whatsapp, account } = await sceneIn(world);
  const limitOf = async (messaging_limit: string) => {
    await whatsapp.act('settings', { messaging_limit });
    return (await read(world, `/v1/accounts/${account}/limits`)).daily_recipients;
  };
  expect([await limitOf('TIER_250'), await limitOf('TIER_10K'), await limitOf('TIER_UNLIMITED')]).toEqual([
    250,
    10_000,
    undefined,
  ]);
});

describe('a message', () => {
  it('outside the 24 hours is accepted, and has failed later', async ({ world }) => {
    const { say, heard, messages } = await sceneIn(world);
    await world.pass(25 * HOUR);
    const { status, body } = await say({ text: 'Still there?' });
    expect(status).toBe(200);
    const [{ data }] = heard('dm.status.failed') as [Json];
    const said = { platform_code: 131_047, platform_message: expect.any(String) };
    expect(data).toMatchObject({ message_ids: body.message_ids, error_code: 'whatsapp.window_closed', ...said });
    expect(data.error_message).not.toContain(data.platform_message);
    expect(data).not.toHaveProperty('platform_status');
    const error = { code: 'whatsapp.window_closed', ...said };
    expect((await messages())[0]).toMatchObject({ text: 'Still there?', status: 'failed', metadata: { error } });
  });

  it('that WhatsApp refuses at once is refused by the same name', async ({ world }) => {
    const { whatsapp, say } = await sceneIn(world);
    await whatsapp.act('settings', { refuse_at_once: 'true' });
    await world.pass(25 * HOUR);
    expect(await refusalOf(say({ text: 'Still there?' }))).toEqual([400, 'whatsapp.window_closed']);
  });

  it('from a number that WhatsApp calls unverified is refused by a code that sending declares', async ({ world }) => {
    const { whatsapp, say } = await sceneIn(world);
    await whatsapp.act('order', { method: 'POST number/messages', when: 'before', status: '400', code: '133006' });
    const { status, body } = await say({ text: 'Until six.' });
    expect([status, body.error.code]).toEqual([403, 'platform.whatsapp.permission_denied']);
    expect(body.error.message).toContain('verify it');
  });

  it('is delivered and read, and the answer is marked as read too', async ({ world }) => {
    const { whatsapp, id, say, heard } = await sceneIn(world);
    const { body } = await say({ text: 'Until six.' });
    await whatsapp.does('read');
    const told = ['sent', 'delivered', 'read'].map((status) =>
      heard(`dm.status.${status}`).map(({ data }) => data.mids),
    );
    expect(told).toEqual([[body.message_ids], [body.message_ids], [body.message_ids]]);
    expect((await world.rest(`POST /v1/inbox/conversations/${id}/read`)).status).toBe(200);
    const [theirs] = await whatsapp.look('messages');
    expect([theirs!.isOwn, theirs!.state]).toEqual([false, 'read']);
  });

  it('shows what may be tapped, and a tap is a postback', async ({ world }) => {
    const { whatsapp, say, heard } = await sceneIn(world);
    const sections = [{ title: 'Dark', rows: [{ id: 'rye', title: 'Rye', description: 'Dense' }] }];
    const asks = [
      { buttons: [{ type: 'postback', title: 'Yes', payload: 'YES' }], choice: 'YES' },
      { quick_replies: [{ title: 'No' }], choice: 'No' },
      { list_button: 'Breads', list_sections: sections, choice: 'rye' },
    ];
    for (const { choice, ...parts } of asks) {
      const { body } = await say({ text: 'Which?', ...parts });
      await whatsapp.act('tap', { message: body.message_id, choice });
      await world.settle();
    }
    expect(heard('dm.postback').map(({ data: { metadata } }) => [metadata.title, metadata.payload])).toEqual([
      ['Yes', 'YES'],
      ['No', 'No'],
      ['Rye', 'rye'],
    ]);
    const twice = [1, 2].map(() => ({ type: 'postback', title: 'Yes', payload: 'YES' }));
    expect((await say({ text: 'Which?', buttons: twice })).body.error.code).toBe('validation.field_invalid');
  });

  it('carries files of every kind, stored or by the id that WhatsApp gave them', async ({ world }) => {
    const { whatsapp, say } = await sceneIn(world);
    const stored = async (...file: [name: string, type: string, bytes: Uint8Array<ArrayBuffer>]) =>
      (await store(world, ...file)).id as string;
    const film = mp4({ ms: 3000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
    const asks: readonly (readonly [kind: string, given: object, shown: object])[] = [
      ['image', { source: await stored('shop.png', 'image/png', png()), caption: 'Our shop' }, { caption: 'Our shop' }],
      ['video', { source: await stored('shop.mp4', 'video/mp4', film), caption: 'A walk' }, { caption: 'A walk' }],
      ['file', { source: await stored('menu.pdf', 'application/pdf', pdf), caption: 'All' }, { filename: 'menu.pdf' }],
      ['audio', { source: await stored('hello.ogg', 'audio/ogg', ogg), voice: true }, { voice: true }],
      ['image', { source: await stored('smile.webp', 'image/webp', webp) }, {}],
    ];
    const types = ['image', 'video', 'document', 'audio', 'sticker'];
    const sent = async () => (await whatsapp.look('messages')).filter(({ isOwn }) => isOwn);
    for (const [type, given] of asks) {
      const { status, body } = await say({ attachments: [{ type, source_type: 'media_id', ...given }] });
      expect([status, body.error]).toEqual([200, undefined]);
    }
    const messages = await sent();
    expect(messages.map(({ type }) => type)).toEqual(types);
    for (const [at, [, , shown]] of asks.entries()) expect(messages[at]!.content).toMatchObject(shown);
    const again = { type: 'image', source: messages[0]!.content.id, source_type: 'platform_attachment_id' };
    expect((await say({ text: 'Twice', attachments: [again] })).body.message_ids).toHaveLength(2);
    expect((await sent()).slice(types.length).map(({ type, state }) => [type, state])).toEqual([
      ['image', 'delivered'],
      ['text', 'delivered'],
    ]);
  });

  it('refuses what WhatsApp has not before anything is sent', async ({ world }) => {
    const { whatsapp, say } = await sceneIn(world);
    const link = { type: 'url', title: 'Shop', url: 'https://shop.example.org/' };
    const many = ['A', 'B', 'C', 'D'].map((title) => ({ title }));
    const asks = [
      [{ text: 'Hi', buttons: [link] }, 400, 'validation.field_invalid'],
      [{ cards: [{ title: 'Rye', subtitle: 'Dense' }] }, 501, 'resource.not_supported'],
      [{ text: 'Hi', quick_replies: many }, 400, 'validation.field_invalid'],
      [{ text: 'x'.repeat(4097) }, 400, 'validation.field_invalid'],
    ] as const;
    const answers = [];
    for (const [input] of asks) answers.push(await refusalOf(say(input)));
    expect(answers).toEqual(asks.map(([, ...expected]) => expected));
    expect((await whatsapp.look('messages')).filter(({ isOwn }) => isOwn)).toEqual([]);
  });
});

it('a template opens a conversation with somebody who never wrote, and goes its way', async ({ world }) => {
  const whatsapp = whatsappOf(world);
  const receiver = await world.receive(EVENTS);
  const account = (await whatsapp.consent()).get('account_id')!;
  const base = `/v1/platforms/whatsapp/accounts/${account}` as const;
  const components = [{ type: 'BODY', text: 'Your bread is ready.' }];
  const draft = { name: 'bread_ready', language: 'en_US', category: 'UTILITY', components };
  expect((await world.rest(`POST ${base}/templates`, draft)).status).toBe(201);
  const [template] = (await whatsapp.look('templates')) as readonly [Json];
  await whatsapp.act('review', { template: template.id, event: 'APPROVED' });
  const { digits } = await whatsapp.customer('Bruno Brandt');
  const ask = { to: digits, template_name: draft.name, language: 'en_US' };
  expect((await world.rest(`POST ${base}/send-template`, ask)).status).toBe(200);
  await world.settle();
  await whatsapp.does('read', {}, 'Bruno Brandt');
  const names = receiver.received.map(({ body }) => body.event);
  expect(names).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.delivered', 'dm.status.read']);
  await whatsapp.does('message', { text: 'On my way' }, 'Bruno Brandt');
  expect((await world.rest('GET /v1/inbox/conversations')).body.data).toHaveLength(1);
});

it('a picture of a customer opens at our address, and no token is anywhere', async ({ world }) => {
  const { whatsapp, heard, messages } = await sceneIn(world);
  const { url } = await store(world, 'bread.png', 'image/png', png());
  await whatsapp.does('message', { text: 'Like this?', attachment_url: url });
  const { attachments } = (await messages()).find(({ text }) => text === 'Like this?')!;
  expect(attachments).toMatchObject([{ type: 'image', url: expect.stringContaining(`${world.root}/media/inbound/`) }]);
  expect(heard('dm.received').at(-1)!.data.content.media[0].url).toContain('/media/inbound/');
  const opened = await fetch(attachments[0].url);
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await opened.arrayBuffer())).toEqual(Buffer.from(png()));
  const journal = JSON.stringify(world.product.sandbox!.requests());
  expect([journal, world.log.join('\n')].filter((text) => /Bearer EAA|EAAS/.test(text))).toEqual([]);
});

describe('a customer', () => {
  it('known by number, then by an id of this business, stays in one conversation', async ({ world }) => {
    const whatsapp = whatsappOf(world);
    await whatsapp.act('settings', { user_ids: 'false' });
    await whatsapp.consent();
    await whatsapp.does('message', { text: 'By number' });
    const { id, messages, say } = await openThread(world);
    await whatsapp.act('settings', { user_ids: 'true' });
    await whatsapp.does('message', { text: 'By both' });
    await whatsapp.does('change_number', { digits: '12025550199' });
    await whatsapp.does('message', { text: 'By another number' });
    const { person } = await whatsapp.customer();
    await whatsapp.act('take_username', { person, username: 'carla.c' });
    await whatsapp.does('message', { text: 'By name' });
    await whatsapp.does('change_number', { digits: '12025550189' });
    await whatsapp.does('message', { text: 'By another name' });
    expect((await list(world, '/v1/inbox/conversations')).map((one) => one.id)).toEqual([id]);
    const texts = (await messages()).map(({ text }) => text);
    for (const text of ['By number', 'By both', 'By another number', 'By name', 'By another name'])
      expect(texts).toContain(text);
    expect((await say({ text: 'Hello' })).status).toBe(200);
  });
});

describe('numbers', () => {
  it.for(['events', 'all'])('are found where the token names them under %s', async (grants, { world }) => {
    const whatsapp = whatsappOf(world);
    await whatsapp.act('settings', { grants });
    expect((await whatsapp.consent()).get('status')).toBe('success');
  });

  it('of a login are chosen from, or named beforehand', async ({ world }) => {
    const whatsapp = whatsappOf(world);
    const end = await whatsapp.consent(OTTO);
    expect(end.get('status')).toBe('selection_required');
    const pending = `/v1/accounts/pending/${end.get('connection_id')}` as const;
    const { profiles } = (await world.rest(`GET ${pending}`)).body;
    expect(profiles).toHaveLength(3);
    const { platform_account_id } = profiles[0];
    expect((await world.rest(`POST ${pending}/select`, { platform_account_id })).status).toBe(201);
    const named = await whatsapp.consent(OTTO, { phone_number_id: profiles[1].platform_account_id });
    expect(named.get('status')).toBe('success');
    expect((await whatsapp.consent('nora.sandbox.test')).get('error')).toBeTruthy();
  });

  it('of one business account share its subscription until the last one goes', async ({ world }) => {
    const whatsapp = whatsappOf(world);
    const receiver = await world.receive(['dm.received']);
    const numbers = (await whatsapp.look('numbers')).filter(({ verified_name }) => verified_name === 'Otto Outdoor');
    const accounts = [];
    for (const { id } of numbers)
      accounts.push((await whatsapp.withToken(OTTO, { phone_number_id: id })).body.account_id as string);
    expect(accounts).toHaveLength(2);
    const write = async (number: string) => {
      await whatsapp.does('message', { text: 'Open?', number });
      return receiver.received.length;
    };
    expect(await write(numbers[1]!.id)).toBe(1);
    await world.rest(`DELETE /v1/accounts/${accounts[0]}`);
    expect(await write(numbers[1]!.id)).toBe(2);
    await world.rest(`DELETE /v1/accounts/${accounts[1]}`);
    const before = (await whatsapp.look('pushes')).length;
    expect(await write(numbers[1]!.id)).toBe(2);
    expect((await whatsapp.look('pushes')).length).toBe(before);
  });

  it('whose app was removed from the business account have to be connected again', async ({ world }) => {
    const { whatsapp, account } = await sceneIn(world);
    const [{ page_id: waba }] = (await whatsapp.look('numbers')) as readonly [Json];
    const owner = world.product.sandbox!.people().find(({ handle }) => handle === 'wanda.sandbox.test')!;
    await whatsapp.act('remove_partner', { person: owner.id, account: waba });
    await world.settle();
    const [one] = await list(world, '/v1/accounts');
    expect([one!.id, one!.status]).toEqual([account, 'reconnect_required']);
    expect((await whatsapp.consent()).get('account_id')).toBe(account);
  });
});
