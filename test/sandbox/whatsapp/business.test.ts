import { DAY } from '#kernel/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { png } from '../../harness/worlds/twins/facebook.ts';
import {
  BODY,
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

describe('numbers', () => {
  it('are verified by a code, registered with a PIN, and deregistered', async () => {
    const token = await world.login(OTTO);
    const { id } = (await world.list('numbers')).find(({ isVerified }) => !isVerified);
    const at = (path: string, body: object = {}) => world.post(`${id}/${path}`, token, { ...body });
    const register = (pin: string) => at('register', { messaging_product: 'whatsapp', pin });
    expect(await register('123456')).toMatchObject(refused(133006));
    expect(await at('request_code', { code_method: 'PIGEON', language: 'en_US' })).toMatchObject(refused(100));
    expect((await at('request_code', { code_method: 'SMS', language: 'en_US' })).json).toEqual({ success: true });
    expect(await at('verify_code', { code: 'wrong' })).toMatchObject(refused(136025));
    const { code } = (await world.list('numbers')).find((one) => one.id === id);
    expect((await at('verify_code', { code: code.value })).json).toEqual({ success: true, id });
    expect(await register('12345')).toMatchObject(refused(100));
    expect((await register('123456')).json).toEqual({ success: true });
    const status = await world.get(id, token, {
      fields: 'code_verification_status,status,platform_type,is_pin_enabled',
    });
    expect(status.json).toEqual({
      id,
      code_verification_status: 'VERIFIED',
      status: 'CONNECTED',
      platform_type: 'CLOUD_API',
      is_pin_enabled: true,
    });
    expect((await at('deregister')).json).toEqual({ success: true });
    expect(await at('deregister')).toMatchObject(refused(133010));
    for (let miss = 0; miss < 5; miss += 1) expect(await register('000000')).toMatchObject(refused(133005));
    expect(await register('123456')).toMatchObject(refused(133008));
    for (let more = 0; more < 2; more += 1) await register('123456');
    expect(await register('123456')).toMatchObject(refused(133016));
    world.clock.move(3 * DAY);
    expect((await register('123456')).status).toBe(200);
  });

  it('have a profile, plain or wrapped, with a picture that was uploaded', async () => {
    const path = `${business.number}/whatsapp_business_profile`;
    const set = (more: object) => world.post(path, business.token, { messaging_product: 'whatsapp', ...more });
    const query = { file_name: 'me.png', file_length: png().length, file_type: 'image/png' };
    const { id } = (await world.post('sandbox/uploads', business.token, query)).json;
    const { h } = (
      await world.ask(`${world.at}/graph/v25.0/${id}`, {
        method: 'POST',
        headers: { authorization: `OAuth ${business.token}`, file_offset: '0' },
        body: new Uint8Array(png()),
      })
    ).json;
    expect(
      (await set({ about: 'Bread', websites: ['https://x.example'], vertical: 'RETAIL', profile_picture_handle: h }))
        .json,
    ).toEqual({
      success: true,
    });
    for (const bad of [
      { about: '' },
      { about: 'x'.repeat(140) },
      { websites: ['a', 'b', 'c'] },
      { vertical: 'SPACE' },
      { profile_picture_handle: 'x' },
    ])
      expect(await set(bad)).toMatchObject(refused(100));
    const fields = { fields: 'about,websites,vertical,address,profile_picture_url' };
    const { data } = (await world.get(path, business.token, fields)).json;
    expect(data).toEqual([
      { about: 'Bread', websites: ['https://x.example'], vertical: 'RETAIL', profile_picture_url: expect.any(String) },
    ]);
    expect((await world.ask(data[0].profile_picture_url)).headers.get('content-type')).toBe('image/png');
    await world.act('settings', { profile_wrapped: true });
    expect((await world.get(path, business.token, fields)).json.data).toEqual([{ business_profile: data[0] }]);
  });
});

describe('templates', () => {
  const make = (more: object = {}) =>
    world.post(`${business.account}/message_templates`, business.token, {
      name: 'order_ready',
      language: 'en_US',
      category: 'UTILITY',
      components: [BODY],
      ...more,
    });
  const use = (components: object[] = [], code = 'en_US', name = 'order_ready') =>
    world.send(business, { type: 'template', template: { name, language: { code }, components } });
  const body = (...values: string[]) => ({ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) });
  const list = (query: Record<string, string | number> = {}) =>
    world.get(`${business.account}/message_templates`, business.token, query);

  it('wait for review, of which the app is told', async () => {
    const { json } = await make();
    expect(json).toMatchObject({ status: 'PENDING', category: 'UTILITY' });
    expect(await use([body('1')])).toMatchObject(refused(132001, 404));
    const states: [string, number][] = [
      ['REJECTED', 132001],
      ['PAUSED', 132015],
      ['DISABLED', 132016],
    ];
    for (const [event, code] of states) {
      await world.act('review', { template: json.id, event });
      expect((await use([body('1')])).json.error.code).toBe(code);
    }
    await world.act('review', { template: json.id, event: 'REINSTATED' });
    expect((await use([body('1')])).status).toBe(200);
    expect(world.changes().filter(({ field }) => field === 'message_template_status_update')).toMatchObject(
      [...states.map(([event]) => event), 'REINSTATED'].map((event) => ({
        value: { event, message_template_id: Number(json.id), message_template_name: 'order_ready' },
      })),
    );
  });

  it('are held to their shape', async () => {
    const flaws: [object, number, number?][] = [
      [{ name: 'Bad Name' }, 100],
      [{ language: 'english' }, 100],
      [{ category: 'SPAM' }, 100],
      [{ components: [] }, 100],
      [{ components: [BODY, BODY] }, 100],
      [{ components: [{ type: 'BODY', text: 'x'.repeat(1025) }] }, 100, 2388040],
      [{ components: [{ ...BODY, example: undefined }] }, 100, 2388043],
      [{ components: [{ ...BODY, text: 'Your {{1}}' }] }, 100, 2388299],
      [{ components: [{ ...BODY, text: 'Your {{2}} now' }] }, 100, 2388072],
      [{ components: [BODY, { type: 'HEADER', format: 'SONG' }] }, 100, 2388047],
      [{ components: [BODY, { type: 'HEADER', format: 'IMAGE' }] }, 100, 2388273],
      [{ components: [BODY, { type: 'FOOTER', text: 'A {{1}} b' }] }, 100, 2388073],
      [{ components: [BODY, { type: 'BUTTONS', buttons: [] }] }, 100],
      [
        { components: [BODY, { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'x'.repeat(26) }] }] },
        100,
        2388040,
      ],
    ];
    for (const [more, code, subcode] of flaws)
      expect([more, await make(more)]).toMatchObject([more, refused(code, 400, subcode)]);
    await make();
    expect(await make()).toMatchObject(refused(100, 400, 2388024));
    expect((await make({ language: 'de' })).status).toBe(200);
  });

  it('are filled in exactly', async () => {
    const buttons = [
      { type: 'QUICK_REPLY', text: 'Thanks' },
      { type: 'URL', text: 'Open', url: 'https://x.example/{{1}}' },
    ];
    await world.template(business, {
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } },
        BODY,
        { type: 'BUTTONS', buttons },
      ],
    });
    const header = { type: 'header', parameters: [{ type: 'image', image: { link: world.app.put('a.png', png()) } }] };
    const reply = {
      type: 'button',
      sub_type: 'quick_reply',
      index: '0',
      parameters: [{ type: 'payload', payload: 'T1' }],
    };
    const link = { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'o1' }] };
    expect(await use([header, body(), link])).toMatchObject(refused(132000));
    expect(await use([body('1'), link])).toMatchObject(refused(132000));
    for (const value of ['a\nb', 'a\tb', 'a     b'])
      expect(await use([header, body(value), link])).toMatchObject(refused(132018));
    expect(await use([{ ...header, parameters: [{ type: 'text', text: 'x' }] }, body('1'), link])).toMatchObject(
      refused(132012),
    );
    expect(await use([header, body('1')])).toMatchObject(refused(131008));
    expect(await use([header, body('x'.repeat(1020)), link])).toMatchObject(refused(132005));
    expect(await use([header, body('1'), link], 'fr')).toMatchObject(refused(132001, 404));
    const { json } = await use([header, body('1'), reply, link]);
    expect((await world.list('messages'))[0]).toMatchObject({
      text: 'Your order 1 is ready.',
      media: expect.any(String),
    });
    await world.act('tap', { message: json.messages[0].id, choice: 'T1' });
    expect(world.messages().at(-1)).toMatchObject({ type: 'button', button: { payload: 'T1', text: 'Thanks' } });
  });

  it('are listed by pages and filters, read, edited and deleted in all languages', async () => {
    const { id } = (await make()).json;
    for (const language of ['de', 'fr']) await make({ language });
    await make({ name: 'other' });
    const first = (await list({ limit: 3 })).json;
    expect(first.data.map(({ language }: any) => language)).toEqual(['en_US', 'fr', 'de']);
    const second = (await list({ limit: 3, after: first.paging.cursors.after })).json;
    expect([second.data.length, second.paging.next]).toEqual([1, undefined]);
    expect((await list({ name: 'order', language: 'de', fields: 'name' })).json.data).toHaveLength(1);
    const edit = () => world.post(id, business.token, { components: [{ type: 'BODY', text: 'Ready.' }] });
    expect(await edit()).toMatchObject(refused(100, 400, 2388025));
    await world.act('review', { template: id, event: 'APPROVED' });
    expect((await edit()).json).toEqual({ success: true });
    expect((await world.get(id, business.token)).json).toMatchObject({
      status: 'PENDING',
      components: [{ text: 'Ready.' }],
    });
    await world.act('review', { template: id, event: 'APPROVED' });
    expect(await edit()).toMatchObject(refused(100, 400, 2388026));

    const remove = (name = 'order_ready') =>
      world.del(`${business.account}/message_templates?name=${name}`, business.token);
    await world.act('start_campaign', { template: id });
    expect(await remove()).toMatchObject(refused(100, 400, 2593085));
    await world.act('end_campaign', { template: id });
    expect((await remove()).json).toEqual({ success: true });
    expect((await list()).json.data).toMatchObject([{ name: 'other' }]);
    expect(await remove()).toMatchObject(refused(100, 400, 2593002));
    expect(await world.get(id, business.token)).toMatchObject(refused(100, 400, 33));
    expect(await make()).toMatchObject(refused(100, 400, 2388023));
    world.clock.move(30 * DAY);
    expect((await make()).status).toBe(200);
  });
});
