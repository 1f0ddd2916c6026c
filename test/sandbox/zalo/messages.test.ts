import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { macOf } from '#sandbox/zalo/pushes.ts';
import { gif, pdf, png } from '../../harness/media-samples.ts';
import { FRED, MIA, OLIVIA, openZaloWorld, SAM, type ZaloWorld } from '../../harness/worlds/twins/zalo.ts';

type Fields = Record<string, string | number>;

const FRED_AND_OLIVIA = { person: FRED, account: OLIVIA };

let world: ZaloWorld;
beforeAll(async () => {
  world = await openZaloWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  world.app.answer(200);
});
afterAll(() => world.close());

/** Olivia's account, to which Fred has written, with nothing pushed so far. */
async function begin() {
  const token = await world.login();
  const user = await world.user(FRED);
  world.app.clear();
  return { token, user, send: (message: any) => world.send(token, user, message) };
}
const image = (fields: object) => ({
  text: 'Look',
  attachment: { type: 'template', payload: { template_type: 'media', elements: [{ media_type: 'image', ...fields }] } },
});
const buttons = (list: object[]) => ({
  text: 'Which one?',
  attachment: { type: 'template', payload: { buttons: list } },
});
const query = (title: string, payload = title) => ({ title, type: 'oa.query.show', payload });

describe('messages of an account', () => {
  it('are received, echoed and counted', async () => {
    const { user, send } = await begin();
    const sent = await send({ text: 'Good morning' });
    const { message_id } = sent.data;
    expect(sent).toMatchObject({
      error: 0,
      message: 'Success',
      data: {
        user_id: user,
        quota: { quota_type: 'reply', owner_type: 'OA', expired_date: '19:00:00 23/11/2026' },
      },
    });
    const [echo, receipt] = world.events();
    expect(echo).toMatchObject({
      app_id: 'sandbox',
      event_name: 'oa_send_text',
      recipient: { id: user },
      message: { msg_id: message_id, text: 'Good morning' },
      timestamp: String(world.clock.now()),
    });
    expect(receipt).toMatchObject({
      event_name: 'user_received_message',
      sender: { id: user },
      message: { msg_ids: [message_id] },
    });
    await world.act('read', FRED_AND_OLIVIA);
    await world.act('read', FRED_AND_OLIVIA);
    expect(world.events().slice(2)).toMatchObject([
      { event_name: 'user_seen_message', message: { msg_ids: [message_id] } },
    ]);
  });

  it('have pictures, gifs, stickers and files', async () => {
    const { token, send } = await begin();
    const at = world.app.put('cup.png', png());
    expect((await send(image({ url: at }))).error).toBe(0);
    const picture = await world.upload('/v2.0/oa/upload/image', token, png(), 'cup.png');
    expect((await send(image({ attachment_id: picture.json.data.attachment_id }))).error).toBe(0);
    const moving = await world.upload('/v2.0/oa/upload/gif', token, gif(), 'cup.gif');
    const { attachment_id } = moving.json.data;
    expect((await send(image({ media_type: 'gif', attachment_id }))).error).toBe(-201);
    expect((await send(image({ media_type: 'gif', attachment_id, width: 5, height: 4 }))).error).toBe(0);
    expect((await send(image({ media_type: 'sticker', attachment_id: '23311' }))).error).toBe(0);
    const file = await world.upload('/v2.0/oa/upload/file', token, pdf, 'menu.pdf');
    expect((await send({ attachment: { type: 'file', payload: { token: file.json.data.token } } })).error).toBe(0);
    const echoes = world.events().filter(({ event_name }) => event_name.startsWith('oa_send_'));
    expect(echoes.map(({ event_name }) => event_name.slice('oa_send_'.length))).toEqual([
      'image',
      'image',
      'gif',
      'sticker',
      'file',
    ]);
    const { payload } = echoes.at(-1).message.attachments[0];
    expect(payload).toMatchObject({ name: 'menu.pdf', type: 'pdf', size: String(pdf.length) });
    expect((await world.ask(payload.url)).text).toBe(pdf.toString());
  });

  it('are refused where they are wrong', async () => {
    const { token, user, send } = await begin();
    const refused = async (message: object) => (await send(message)).error;
    expect(await refused({ text: '' })).toBe(-201);
    expect(await refused({ text: 'a'.repeat(2000) })).toBe(0);
    expect(await refused({ text: 'a'.repeat(2001) })).toBe(-210);
    expect(await refused({ text: 'a', quote_message_id: '1' })).toBe(-201);
    expect(await refused(image({ url: `${world.app.url}/none` }))).toBe(-201);
    expect(await refused(image({ url: world.app.put('x.pdf', pdf) }))).toBe(-233);
    expect(await refused(image({ attachment_id: '1' }))).toBe(-201);
    expect(await refused(image({ media_type: 'video' }))).toBe(-233);
    expect(await refused({ attachment: { type: 'file', payload: { token: 'none' } } })).toBe(-201);
    expect(await refused({ attachment: { type: 'story', payload: {} } })).toBe(-233);
    expect((await world.send(token, '1', { text: 'a' })).error).toBe(-201);
    expect(
      (await world.post('/v2.0/oa/message', token, { recipient: { user_id: user }, message: {} })).json.error,
    ).toBe(-240);
    expect((await world.post('/v3.0/oa/nothing', token, {})).status).toBe(404);
  });

  it('have at most five buttons, of five kinds', async () => {
    const { send } = await begin();
    const all = [
      query('Tea'),
      { title: 'Coffee', type: 'oa.query.hide', payload: 'coffee-please' },
      { title: 'Site', type: 'oa.open.url', payload: { url: 'https://example.com' } },
      { title: 'Call', type: 'oa.open.phone', payload: { phone_code: '84901' } },
      { title: 'SMS', type: 'oa.open.sms', payload: { phone_code: '84901', content: 'Hi' } },
    ];
    const message = (await send(buttons(all))).data.message_id;
    expect((await send(buttons([...all, query('More')]))).error).toBe(-210);
    expect((await send(buttons([query('a'.repeat(101))]))).error).toBe(-210);
    expect((await send(buttons([query('a', 'b'.repeat(1001))]))).error).toBe(-210);
    expect((await send(buttons([]))).error).toBe(-201);
    expect((await send(buttons([{ title: 'a', type: 'oa.open.url', payload: { url: 'x' } }]))).error).toBe(-201);
    expect((await send(buttons([{ title: 'a', type: 'oa.open.mail', payload: {} }]))).error).toBe(-233);
    world.app.clear();
    for (const button of ['Coffee', 'Site']) await world.act('press', { message, button });
    expect(world.events()).toMatchObject([
      { event_name: 'user_send_text', message: { text: 'coffee-please' } },
      { event_name: 'user_click_button', message: { msg_id: message }, button: { title: 'Site' } },
    ]);
  });

  it('ask for what users share, and are lists', async () => {
    const { token, user, send } = await begin();
    const elements = [{ title: 'Your address', subtitle: 'For the beans', image_url: 'https://example.com/a.png' }];
    for (const template_type of ['request_user_info', 'list'])
      expect((await send({ attachment: { type: 'template', payload: { template_type, elements } } })).error).toBe(0);
    const none = { attachment: { type: 'template', payload: { template_type: 'list', elements: [] } } };
    expect((await send(none)).error).toBe(-201);
    await world.act('share', { ...FRED_AND_OLIVIA, name: 'Fred', phone: '84901' });
    expect(world.events().at(-1)).toMatchObject({ event_name: 'user_submit_info', info: { phone: '84901' } });
    const { data } = (await world.read('/v3.0/oa/user/detail', token, { user_id: user })).json;
    expect(data).toMatchObject({ display_name: 'Fred Follower', shared_info: { name: 'Fred' } });
  });
});

describe('the window', () => {
  it('is free for 48 hours, paid for until seven days are over, and closed then', async () => {
    const { token, user, send } = await begin();
    await world.act('settings', { paid_messages: 2 });
    for (let n = 0; n < 9; n += 1) expect((await send({ text: `${n}` })).data.quota).not.toHaveProperty('remain');
    const left = async (about: Record<string, string>) =>
      (await world.post('/v3.0/oa/quota/message', token, about)).json.data;
    expect(await left({ user_id: user })).toEqual({ last_interaction: expect.any(String), cs_reply: {} });
    const ofPackage = { quota_owner: 'OA', product_type: 'cs', quota_type: 'sub_quota' };
    expect(await left(ofPackage)).toMatchObject([{ product_type: 'cs', remain: 2, total: 2 }]);
    world.clock.move(2 * DAY);
    const later = await world.login();
    const paid = (text: string) => world.send(later, user, { text });
    expect((await paid('paid')).data.quota).toMatchObject({ quota_type: 'sub_quota', remain: 1 });
    expect((await paid('paid')).data.quota).toMatchObject({ remain: 0 });
    expect((await paid('none left')).error).toBe(-211);
    await world.act('settings', { paid_messages: 9 });
    world.clock.move(5 * DAY - 1);
    const fresh = await world.login();
    expect((await world.send(fresh, user, { text: 'just' })).error).toBe(0);
    world.clock.move(1);
    expect((await world.send(fresh, user, { text: 'late' })).error).toBe(-230);
  });

  it('opens by what people do, not by following', async () => {
    const token = await world.login();
    await world.act('follow', { person: MIA, account: OLIVIA });
    const [{ follower, ...follow }] = world.events();
    expect(follow).toMatchObject({ event_name: 'follow', oa_id: expect.any(String), app_id: 'sandbox' });
    expect([follow.sender, follow.recipient]).toEqual([undefined, undefined]);
    expect((await world.send(token, follower.id, { text: 'Welcome' })).error).toBe(-232);
    await world.act('unfollow', { person: MIA, account: OLIVIA });
    expect((await world.send(token, follower.id, { text: 'Wait' })).error).toBe(-213);
    expect((await world.read('/v3.0/oa/user/detail', token, { user_id: follower.id })).json.error).toBe(-213);
    await world.user(MIA);
    expect((await world.send(token, follower.id, { text: 'Hello' })).error).toBe(0);
    for (const [how, error] of Object.entries({ blocked: -217, 'receives too much': -218, restricts: -244 })) {
      await world.act('refuse', { person: MIA, account: OLIVIA, how });
      expect((await world.send(token, follower.id, { text: 'Hello' })).error).toBe(error);
    }
    await world.act('refuse', { person: MIA, account: OLIVIA });
    expect((await world.send(token, follower.id, { text: 'Hello' })).error).toBe(0);
  });
});

describe('uploads', () => {
  it('have limits of size, kind and number, and end after a week', async () => {
    const { token, send } = await begin();
    const error = async (path: string, bytes: Uint8Array, name: string) =>
      (await world.upload(`/v2.0/oa/upload/${path}`, token, bytes, name)).json.error;
    expect(await error('image', png(3, 2, 1024 * 1024), 'big.png')).toBe(-210);
    expect(await error('image', gif(), 'a.png')).toBe(-233);
    expect(await error('file', pdf, 'menu.exe')).toBe(-233);
    expect(await error('file', Buffer.from('a,b\n1,2\n'), 'list.csv')).toBe(0);
    const { attachment_id } = (await world.upload('/v2.0/oa/upload/image', token, png(), 'a.png')).json.data;
    const other = await world.login(SAM);
    const sams = await world.user(FRED, SAM);
    expect((await world.send(other, sams, image({ attachment_id }))).error).toBe(-201);
    await world.act('settings', { uploads_per_month: 2 });
    expect(await error('image', png(), 'b.png')).toBe(-211);
    world.clock.move(7 * DAY);
    await world.user(FRED);
    const fresh = await world.login();
    const user = (await world.list('ties'))[0].id;
    expect((await send({ text: 'x' })).error).toBe(-220);
    expect((await world.send(fresh, user, image({ attachment_id }))).error).toBe(-100);
  });
});

describe('what people write', () => {
  it('is pushed in parts of every kind, and listed, newest first', async () => {
    const { token, user } = await begin();
    const content = png().toString('base64');
    const said: Record<string, string>[] = [
      { kind: 'image', content, name: 'a.png' },
      { kind: 'gif', content },
      { kind: 'audio', content },
      { kind: 'video', content },
      { kind: 'file', content: pdf.toString('base64'), name: 'menu.pdf' },
      { kind: 'sticker' },
      { kind: 'link', url: 'https://example.com/x' },
      { kind: 'location' },
      { kind: 'business_card' },
    ];
    for (const one of said) {
      await world.act('write', { ...FRED_AND_OLIVIA, ...one });
      world.clock.move(1000);
    }
    expect(world.events().map(({ event_name }) => event_name)).toEqual(said.map(({ kind }) => `user_send_${kind}`));
    const [picture, , , , file, , , place] = world.events().map(({ message }) => message.attachments[0]);
    expect((await world.ask(picture.payload.url)).headers.get('content-type')).toBe('image/png');
    expect(file.payload).toMatchObject({ name: 'menu.pdf', size: String(pdf.length), type: 'pdf' });
    expect(place.payload.coordinates).toEqual({ latitude: expect.any(String), longitude: expect.any(String) });
    const page = (await world.read('/v2.0/oa/conversation', token, { user_id: user, offset: 0, count: 10 })).json.data;
    expect(page.map(({ type }: any) => type)).toEqual([
      'nosupport',
      'location',
      'link',
      'sticker',
      'nosupport',
      'nosupport',
      'voice',
      'gif',
      'photo',
      'text',
    ]);
    expect(page.at(-1)).toMatchObject({
      src: 1,
      message: 'Hello',
      from_id: user,
      from_display_name: 'Fred Follower',
      to_display_name: 'Harbour Coffee',
    });
    expect(page[2].links).toMatchObject([{ url: 'https://example.com/x' }]);
    const next = await world.read('/v2.0/oa/conversation', token, { user_id: user, offset: 10, count: 10 });
    expect(next.json.data).toEqual([]);
    for (const data of [{ user_id: user, count: 11 }, { user_id: user, offset: -1 }, { user_id: '1' }] as Fields[])
      expect((await world.read('/v2.0/oa/conversation', token, data)).json.error).toBeLessThan(-200);
    expect((await world.get('/v2.0/oa/conversation', token, {})).json.error).toBe(-201);
  });

  it('makes the list of conversations', async () => {
    const { token, user } = await begin();
    world.clock.move(1000);
    const mia = await world.user(MIA);
    await world.act('follow', { person: MIA, account: OLIVIA });
    await world.user(FRED, SAM);
    const chats = (await world.read('/v2.0/oa/listrecentchat', token, { offset: 0, count: 10 })).json.data;
    expect(chats.map(({ from_id }: any) => from_id)).toEqual([mia, user]);
  });

  it('comes from visitors of the web chat, too', async () => {
    const token = await world.login();
    const { visitor, conversation } = await world.act('write_anonymously', { account: OLIVIA, text: 'Hi' });
    expect(world.events()).toMatchObject([
      { event_name: 'anonymous_send_text', sender: { id: visitor }, conversation_id: conversation },
    ]);
    const answer = (conversation_id: string) =>
      world.post('/v2.0/oa/message', token, {
        recipient: { anonymous_id: visitor, conversation_id },
        message: { text: 'Hello' },
      });
    expect((await answer(conversation)).json.error).toBe(0);
    expect((await answer('other')).json.error).toBe(-201);
  });

  it('is reacted to from both sides', async () => {
    const { token, user } = await begin();
    const message = await world.act('write', { ...FRED_AND_OLIVIA, text: 'Nice' });
    const react = (react_icon: string) =>
      world.post('/v2.0/oa/message', token, {
        recipient: { user_id: user },
        sender_action: { react_icon, react_message_id: message },
      });
    expect((await react('/-heart')).json.error).toBe(0);
    expect((await react('smile')).json.error).toBe(-201);
    await world.act('react', { message, icon: ':>' });
    expect(world.events().slice(1)).toMatchObject([
      { event_name: 'oa_reacted_message', message: { msg_id: message, react_icon: '/-heart' } },
      { event_name: 'user_reacted_message', sender: { id: user }, message: { react_icon: ':>' } },
    ]);
  });
});

describe('pushes', () => {
  it('are signed, each on its own, and repeated by the schedule with their count', async () => {
    await world.login();
    world.app.answer(500);
    await world.act('write', { ...FRED_AND_OLIVIA, text: 'Hello' });
    const waits = [MINUTE / 2, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, DAY];
    for (const wait of waits) {
      world.clock.move(wait - 1);
      await world.sandbox.settle();
      world.clock.move(1);
      await world.sandbox.settle();
    }
    const got = world.app.pushes();
    expect(got.map(({ headers }) => headers['num_retry'])).toEqual([undefined, '1', '2', '3', '4', '5']);
    const { body, headers } = got[0]!;
    const { app_id, timestamp } = JSON.parse(body);
    expect(headers['x-zevent-signature']).toBe(macOf(app_id, body, timestamp, 'sandbox'));
    expect((await world.list('pushes'))[0].state).toBe('given_up');
  });

  it('are signed with the key of the webhook page, or wrongly, and have numbers, as the twin is told', async () => {
    await world.login();
    await world.act('settings', { oa_secret_key: 'other', plain_numbers: true });
    await world.act('write', { ...FRED_AND_OLIVIA, text: 'One' });
    await world.act('settings', { push_wrong_signature: true, push_duplicate: true });
    await world.act('write', { ...FRED_AND_OLIVIA, text: 'Two' });
    const right = world.app.pushes().map(({ body, headers }) => {
      const { timestamp } = JSON.parse(body);
      expect(timestamp).toEqual(expect.any(Number));
      return headers['x-zevent-signature'] === macOf('sandbox', body, String(timestamp), 'other');
    });
    expect(right).toEqual([true, false, false]);
  });

  it('tell of what the account says without the app, but not of receipts that are off', async () => {
    const { user } = await begin();
    await world.act('settings', { receipts: false });
    await world.act('answer', { ...FRED_AND_OLIVIA, text: 'By hand' });
    expect(world.events()).toMatchObject([{ event_name: 'oa_send_text', recipient: { id: user } }]);
  });
});

it('draws conversations in the console, with what users can do', async () => {
  const { send } = await begin();
  await send(buttons([query('Tea')]));
  const page = await world.ask('/sandbox/zalo');
  expect(page.status).toBe(200);
  for (const words of ['Fred Follower and Harbour Coffee', 'Which one?', 'Tea', 'React', 'Remove the app'])
    expect(page.text).toContain(words);
});

it('answers with faults and with errors that are ordered', async () => {
  const { token, user } = await begin();
  await world.act('order', { when: 'before', error: '-248', message: 'Policy', status: 200 });
  expect(await world.send(token, user, { text: 'a' })).toEqual({ error: -248, message: 'Policy' });
  const person = OLIVIA;
  world.sandbox.setFault({ network: 'zalo', person, kind: 'throttled' });
  expect((await world.send(token, user, { text: 'a' })).error).toBe(-32);
  world.sandbox.setFault({ network: 'zalo', person, kind: 'expired' });
  expect((await world.send(token, user, { text: 'a' })).error).toBe(-220);
  world.sandbox.setFault({ network: 'zalo', person, kind: 'error_after' });
  expect(
    (await world.post('/v3.0/oa/message/cs', token, { recipient: { user_id: user }, message: { text: 'b' } })).status,
  ).toBe(500);
  expect((await world.list('messages')).map(({ text }) => text)).toEqual(['Hello', 'b']);
});
