import { MINUTE, DAY } from '#kernel/clock.ts';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mp4, png } from '../../harness/worlds/twins/facebook.ts';
import {
  BRUNO,
  CARLA,
  openWhatsAppWorld,
  OTTO,
  refused,
  type Business,
  type WhatsAppWorld,
} from '../../harness/worlds/twins/whatsapp.ts';

let world: WhatsAppWorld;
let business: Business;
beforeEach(async () => {
  world = await openWhatsAppWorld();
  business = await world.ready();
});
afterEach(() => world.close());

const text = (body: string) => ({ type: 'text', text: { body } });
const states = () => world.statuses().map(({ status }) => status);
const codes = () => world.statuses().flatMap(({ errors = [] }) => errors.map(({ code }: any) => code));
const send = (body: object) => world.send(business, { ...body });
const button = (id: string, title = id) => ({ type: 'reply', reply: { id, title } });
const interactive = (type: string, action: object, more: object = {}) =>
  send({ type: 'interactive', interactive: { type, body: { text: 'Choose' }, action, ...more } });
async function upload(bytes: Uint8Array, type: string, name = 'file') {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', type);
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
  const init = { method: 'POST', headers: { authorization: `Bearer ${business.token}` }, body: form };
  return world.ask(`${world.at}/graph/v25.0/${business.number}/media`, init);
}
const bytesAt = (url: string, token = business.token) => fetch(url, { headers: { authorization: `Bearer ${token}` } });

describe('files', () => {
  it('are uploaded, sent, shown at an address for five minutes to the bearer alone, and deleted', async () => {
    await world.write(business, 'Hello');
    const { id } = (await upload(png(), 'image/png')).json;
    expect((await send({ type: 'image', image: { id, caption: 'Look' } })).status).toBe(200);
    const { json } = await world.get(id, business.token, { phone_number_id: business.number });
    expect(json).toMatchObject({
      mime_type: 'image/png',
      file_size: String(png().length),
      sha256: createHash('sha256').update(png()).digest('hex'),
    });
    expect(Buffer.from(await (await bytesAt(json.url)).arrayBuffer()).equals(Buffer.from(png()))).toBe(true);
    expect([(await fetch(json.url)).status, (await bytesAt(`${json.url}0`)).status]).toEqual([401, 400]);
    expect((await bytesAt(json.url, await world.login(OTTO))).status).toBe(400);
    world.clock.move(5 * MINUTE);
    expect((await bytesAt(json.url)).status).toBe(400);
    expect((await world.del(id, business.token)).json).toEqual({ success: true });
    expect(await world.get(id, business.token)).toMatchObject(refused(100, 400, 33));
    expect(await send({ type: 'image', image: { id } })).toMatchObject(refused(100));
  });

  it('come from customers with what they are', async () => {
    const address = world.app.put('photo.png', png());
    await world.act('message', { person: CARLA, number: business.number, text: 'See', attachment_url: address });
    const [message] = world.messages();
    expect(message).toMatchObject({
      type: 'image',
      image: { mime_type: 'image/png', caption: 'See', sha256: createHash('sha256').update(png()).digest('base64') },
    });
    expect((await world.get(message.image.id, business.token)).json).toMatchObject({ mime_type: 'image/png' });
    world.clock.move(7 * DAY);
    expect(await world.get(message.image.id, business.token)).toMatchObject(refused(100, 400, 33));
  });

  it('fail later where they cannot be had or do not fit their type', async () => {
    await world.write(business, 'Hello');
    const photo = world.app.put('photo.png', png());
    await send({ type: 'image', image: { link: `${world.app.url}/none.png` } });
    await send({ type: 'video', video: { link: photo } });
    await send({ type: 'audio', audio: { link: world.app.put('song.mp4', mp4()), voice: true } });
    await send({ type: 'document', document: { link: photo, filename: 'photo.png', caption: 'A file' } });
    expect([states(), codes()]).toEqual([
      ['failed', 'failed', 'failed', 'sent', 'delivered'],
      [131053, 131053, 131053],
    ]);
    expect(await send({ type: 'image', image: {} })).toMatchObject(refused(131009));
    expect(await send({ type: 'image', image: { link: 'ftp://x' } })).toMatchObject(refused(100));
    expect(await send({ type: 'audio', audio: { link: photo, caption: 'no' } })).toMatchObject(refused(131009));
  });
});

describe('what is sent', () => {
  it('is held to its shape', async () => {
    await world.write(business, 'Hello');
    const flaws: [object, number][] = [
      [{ ...text('x'), messaging_product: 'sms' }, 131008],
      [{ ...text('x'), to: 'nobody' }, 131009],
      [{ ...text('x'), to: '12025550110' }, 131021],
      [text(''), 131008],
      [text('x'.repeat(4097)), 131009],
      [{ type: 'poll', poll: {} }, 100],
      [{ type: 'text' }, 131008],
      [{ ...text('x'), context: { message_id: 'wamid.none' } }, 131009],
      [{ ...text('x'), biz_opaque_callback_data: 'x'.repeat(513) }, 100],
      [{ ...text('x'), recipient: 'US.1', to: undefined }, 131009],
    ];
    for (const [body, code] of flaws) expect([body, (await send(body)).json.error?.code]).toEqual([body, code]);
    expect(await world.post(`${business.number}/messages`, 'sandbox|sandbox', {})).toMatchObject(refused(104));
  });

  it('has up to three buttons and ten rows, each with an id of its own', async () => {
    await world.write(business, 'Hello');
    const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `r${at}`, title: `Row ${at}` }));
    const sections = (...counts: number[]) => counts.map((count) => ({ title: 'S', rows: rows(count) }));
    const bad = [
      await interactive('button', { buttons: [1, 2, 3, 4].map((n) => button(`b${n}`)) }),
      await interactive('button', { buttons: [button('a', 'A'), button('a', 'B')] }),
      await interactive('button', { buttons: [button('a', 'x'.repeat(21))] }),
      await interactive('list', { button: 'Pick', sections: sections(6, 5) }),
      await interactive('list', { button: 'Pick', sections: sections(2, 2) }),
      await interactive('list', { button: 'x'.repeat(21), sections: sections(1) }),
      await interactive('poll', {}),
    ];
    for (const reply of bad) expect(reply).toMatchObject(refused(131009));
    expect((await interactive('button', { buttons: [button('a', 'A')] }, { footer: { text: 'f' } })).status).toBe(200);
    const list = await interactive('list', { button: 'Pick', sections: sections(10) });
    await world.act('tap', { message: list.json.messages[0].id, choice: 'r3' });
    expect(world.messages().at(-1)).toMatchObject({
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'r3', title: 'Row 3' } },
      context: { from: '12025550110', id: list.json.messages[0].id },
    });
    await expect(world.act('tap', { message: list.json.messages[0].id, choice: 'none' })).rejects.toThrow('404');
  });

  it('is marked as read, with a sign of typing', async () => {
    const { id } = await world.write(business, 'Hello');
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: id };
    const typing = { ...read, typing_indicator: { type: 'text' } };
    expect((await world.post(`${business.number}/messages`, business.token, typing)).json).toEqual({ success: true });
    expect((await world.list('messages'))[0]).toMatchObject({ state: 'read' });
    const none = { ...read, message_id: 'wamid.none' };
    expect(await world.post(`${business.number}/messages`, business.token, none)).toMatchObject(refused(131009));
  });

  it('does not reach strangers, those who block, and those who want no marketing', async () => {
    await world.write(business, 'Hello');
    await send({ ...text('x'), to: '+1 (202) 555-0199' });
    await world.act('block', { person: CARLA, number: business.number });
    await send(text('x'));
    await world.act('block', { person: CARLA, number: business.number });
    await world.template(business, {
      name: 'sale',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'Sale!' }],
    });
    const sale = { type: 'template', template: { name: 'sale', language: { code: 'en_US' } } };
    await world.act('opt_out', { person: CARLA, number: business.number });
    await send(sale);
    await world.act('opt_out', { person: CARLA, number: business.number });
    await world.act('settings', { marketing_cap: 1 });
    await send(sale);
    await send(sale);
    expect([states(), codes()]).toEqual([
      ['failed', 'failed', 'failed', 'sent', 'delivered', 'failed'],
      [131026, 131026, 131050, 131049],
    ]);
    expect(world.changes().filter(({ field }) => field === 'user_preferences')).toMatchObject(
      ['stop', 'resume'].map((value) => ({ value: { user_preferences: [{ wa_id: CARLA, value }] } })),
    );
  });

  it('is counted by number and by customer', async () => {
    await world.write(business, 'Hello');
    await world.act('settings', { pair_limit: 2 });
    expect([await send(text('1')), await send(text('2'))].map(({ status }) => status)).toEqual([200, 200]);
    expect(await send(text('3'))).toMatchObject(refused(131056, 429));
    world.clock.move(MINUTE);
    await world.act('settings', { throughput: 1, limits_as_400: true });
    expect((await send(text('4'))).status).toBe(200);
    expect(await send({ ...text('5'), to: BRUNO })).toMatchObject(refused(130429));
  });

  it('needs a number that is registered and not banned', async () => {
    await world.act('ban_number', { number: business.number });
    expect(await send(text('x'))).toMatchObject(refused(131031, 403));
    await world.post(`${business.number}/deregister`, business.token);
    expect(await send(text('x'))).toMatchObject(refused(133010));
  });
});

describe('customers', () => {
  it('are known by number, then by number and id, then by id alone', async () => {
    await world.act('settings', { user_ids: false });
    await world.write(business, 'one');
    await world.act('settings', { user_ids: true });
    await world.write(business, 'two');
    await world.act('take_username', { person: CARLA, username: 'carla' });
    await world.write(business, 'three');
    const [one, two, three] = world.changes().map(({ value }) => value);
    expect([one.contacts[0].user_id, one.messages[0].from_user_id, one.contacts[0].wa_id]).toEqual([
      undefined,
      undefined,
      CARLA,
    ]);
    const { user_id } = two.contacts[0];
    expect(two.contacts[0].wa_id).toBe(CARLA);
    expect(three).toMatchObject({
      contacts: [{ user_id, profile: { username: 'carla' } }],
      messages: [{ from_user_id: user_id }],
    });
    expect([three.contacts[0].wa_id, three.messages[0].from]).toEqual([undefined, undefined]);
    const body = { messaging_product: 'whatsapp', recipient: user_id, ...text('hi') };
    const sent = await world.post(`${business.number}/messages`, business.token, body);
    expect(sent.json.contacts).toEqual([{ input: user_id, user_id }]);
    expect(world.statuses()).toMatchObject([{ recipient_user_id: user_id }, { recipient_user_id: user_id }]);
    expect(world.statuses()[0]).not.toHaveProperty('recipient_id');
  });

  it('share, react, come from advertisements, and change their number', async () => {
    const base = { person: CARLA, number: business.number };
    const { id } = await world.act('message', { ...base, text: 'Hi', ad_id: '77', ref: 'Spring' });
    await world.act('react', { message: id, emoji: '❤' });
    for (const kind of ['location', 'contacts', 'order', 'unsupported']) await world.act('share', { ...base, kind });
    await world.act('change_number', { ...base, digits: '12025550188' });
    expect(world.messages()).toMatchObject([
      { type: 'text', referral: { source_id: '77', source_type: 'ad', headline: 'Spring' } },
      { type: 'reaction', reaction: { message_id: id, emoji: '❤' } },
      { type: 'location', location: { latitude: 52.52 } },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Fay Friend' } }] },
      { type: 'order' },
      { type: 'unsupported', errors: [{ code: 131051 }] },
      { type: 'system', system: { type: 'user_changed_number', wa_id: '12025550188' } },
    ]);
    expect(world.messages().at(-1)!.system.user_id).not.toBe(world.messages().at(-1)!.system.previous_user_id);
    expect(world.changes().at(-1).value).not.toHaveProperty('contacts');
    await world.act('phone_message', { ...base, person: 'Carla Customer', text: 'From my phone' });
    expect(world.changes().at(-1)).toMatchObject({
      field: 'smb_message_echoes',
      value: { message_echoes: [{ from: '12025550110', type: 'text', text: { body: 'From my phone' } }] },
    });
  });
});

describe('what is reported', () => {
  it('comes later, skips what is implied, twice, out of order and without contacts when told so', async () => {
    await world.act('settings', { missing_contacts: true });
    await world.write(business, 'Hello');
    expect(world.changes()[0].value).not.toHaveProperty('contacts');
    await world.act('settings', { status_delay_ms: 5000, skip_delivered: true });
    await send(text('x'));
    expect(states()).toEqual([]);
    world.clock.move(5000);
    await world.act('settings', { status_delay_ms: 0 });
    await world.sandbox.settle();
    expect(states()).toEqual(['sent']);
    await world.act('read', { person: CARLA, number: business.number });
    expect(states()).toEqual(['sent', 'read']);
    world.app.clear();
    await world.act('settings', { skip_delivered: false, push_duplicate: true, push_reverse: true });
    await send(text('y'));
    expect(states()).toEqual(['delivered', 'sent', 'delivered', 'sent']);
  });

  it('goes back to the first day', async () => {
    await world.write(business, 'Hello');
    await world.sandbox.reset();
    expect(await world.list('messages')).toEqual([]);
    expect(await world.list('numbers')).toHaveLength(4);
    expect((await world.ready()).number).toBe(business.number);
  });
});
