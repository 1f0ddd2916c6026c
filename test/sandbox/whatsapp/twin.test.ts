import { DAY } from '#kernel/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  BRUNO,
  CARLA,
  NORA,
  openWhatsAppWorld,
  OTTO,
  REDIRECT,
  refused,
  RIGHTS,
  WANDA,
  type Business,
  type WhatsAppWorld,
} from '../../harness/worlds/twins/whatsapp.ts';

let world: WhatsAppWorld;
beforeEach(async () => {
  world = await openWhatsAppWorld();
});
afterEach(() => world.close());

const text = (body: string) => ({ type: 'text', text: { body } });
const states = () => world.statuses().map(({ status }) => status);

describe('signing up', () => {
  it('asks for what the configuration stands for, and gives a token without end', async () => {
    const page = await world.ask(world.dialog());
    for (const words of [...RIGHTS, 'Wanda Wells', 'Wells Bakery', 'Otto Rentals', 'Nora Studio'])
      expect(page.text).toContain(words);
    const token = await world.login(OTTO);
    const { data } = (await world.get('debug_token', 'sandbox|sandbox', { input_token: token })).json;
    expect(data).toMatchObject({ is_valid: true, expires_at: 0, granular_scopes: expect.any(Array) });
    expect(data.scopes).toEqual(expect.arrayContaining(RIGHTS));
    expect(data.granular_scopes.find(({ scope }: any) => scope === RIGHTS[0]).target_ids).toHaveLength(2);
    expect(await world.get('debug_token', 'sandbox|sandbox', { input_token: 'x' })).toMatchObject({
      json: { data: { is_valid: false } },
    });
  });

  it('gives what was chosen alone, or nothing', async () => {
    const token = await world.login(OTTO, { accounts: 'Otto Rentals', scopes: RIGHTS[0]! });
    const [outdoor, rentals] = await Promise.all(
      ['Otto Outdoor', 'Otto Rentals'].map(
        async (name) => (await world.list('accounts')).find((one) => one.name === name).id,
      ),
    );
    const numbers = await world.get(`${rentals}/phone_numbers`, token);
    expect(numbers.json.data).toMatchObject([{ code_verification_status: 'NOT_VERIFIED' }]);
    expect(await world.get(`${outdoor}/phone_numbers`, token)).toMatchObject(refused(100, 400, 33));
    const body = { messaging_product: 'whatsapp', to: CARLA, ...text('hi') };
    expect(await world.post(`${numbers.json.data[0].id}/messages`, token, body)).toMatchObject(refused(10, 403));
    const { location } = await world.act('consent', { url: world.dialog(), person: NORA, deny: true });
    expect(location).toBe(
      `${REDIRECT}?error=access_denied&error_code=200&error_description=Permissions+error&error_reason=user_denied&state=s1#_=_`,
    );
  });

  it('ends a token by configuration, by hand and with a 401', async () => {
    await world.act('settings', { token_days: 60 });
    const token = await world.login();
    world.clock.move(60 * DAY);
    expect(await world.get('me', token)).toMatchObject(refused(190, 401, 463));
    const fresh = await world.login();
    await world.act('revoke_app', { person: WANDA });
    expect(await world.get('me', fresh)).toMatchObject(refused(190, 401, 458));
    expect(world.app.pushes().map(({ url }) => url)).toEqual(['/push/whatsapp/deauthorize']);
  });

  it('is not needed with the token of a system user', async () => {
    const people = world.sandbox.people().filter(({ network }) => network === 'whatsapp');
    expect(people.map(({ form }) => form !== undefined)).toEqual([true, true, false]);
    const { phone_number_id, waba_id, access_token } = people[0]!.form!;
    const { json } = await world.get(`${phone_number_id}`, access_token, {
      fields: 'display_phone_number,status,platform_type,is_pin_enabled',
    });
    expect(json).toEqual({
      id: phone_number_id,
      display_phone_number: '+1 202-555-0110',
      status: 'CONNECTED',
      platform_type: 'CLOUD_API',
      is_pin_enabled: false,
    });
    expect((await world.get(waba_id!, access_token)).json).toMatchObject({ name: 'Wells Bakery' });
    const { data } = (await world.get('debug_token', 'sandbox|sandbox', { input_token: access_token! })).json;
    expect(data).toMatchObject({ is_valid: true, expires_at: 0 });
  });
});

describe('subscriptions', () => {
  let business: Business;
  beforeEach(async () => {
    business = await world.ready();
  });

  it('are listed, ended, and send nothing while there is none', async () => {
    const path = `${business.account}/subscribed_apps`;
    expect((await world.get(path, business.token)).json.data).toMatchObject([
      { whatsapp_business_api_data: { id: 'sandbox' } },
    ]);
    expect((await world.del(path, business.token)).json).toEqual({ success: true });
    await world.write(business, 'unheard');
    expect([(await world.get(path, business.token)).json, world.changes()]).toEqual([{ data: [] }, []]);
  });

  it('may name an address of their own, which proves itself', async () => {
    const override = { override_callback_uri: `${world.app.url}/push/whatsapp?own`, verify_token: 'sandbox' };
    const path = `${business.account}/subscribed_apps`;
    const lost = { ...override, override_callback_uri: `${world.app.url}/elsewhere` };
    expect(await world.post(path, business.token, lost)).toMatchObject(refused(100, 400, 2200));
    expect((await world.post(path, business.token, override)).json).toEqual({ success: true });
    expect((await world.get(path, business.token)).json.data[0]).toMatchObject({
      override_callback_uri: override.override_callback_uri,
    });
    await world.act('callback', { url: `${world.app.url}/elsewhere` });
    await world.write(business, 'here');
    expect(world.messages()).toMatchObject([{ text: { body: 'here' } }]);
  });

  it('end with the partner, who is told', async () => {
    await world.act('remove_partner', { person: WANDA, account: 'Wells Bakery' });
    expect(world.changes()).toMatchObject([
      { field: 'account_update', value: { event: 'PARTNER_REMOVED', waba_info: { waba_id: business.account } } },
    ]);
    expect(await world.get(`${business.account}/phone_numbers`, business.token)).toMatchObject(refused(100, 400, 33));
  });
});

describe('messages', () => {
  let business: Business;
  beforeEach(async () => {
    business = await world.ready();
  });

  it('reach an app with who wrote them, and open the window', async () => {
    const { id } = await world.write(business, 'Hello');
    const [change] = world.changes();
    expect(change).toMatchObject({
      field: 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '12025550110', phone_number_id: business.number },
        contacts: [
          { profile: { name: 'Carla Customer' }, wa_id: CARLA, user_id: expect.stringMatching(/^US\.\d{16}$/) },
        ],
        messages: [
          { from: CARLA, id, timestamp: expect.stringMatching(/^\d{10}$/), type: 'text', text: { body: 'Hello' } },
        ],
      },
    });
    const sent = await world.send(business, {
      ...text('Hi'),
      context: { message_id: id },
      biz_opaque_callback_data: 'm1',
    });
    expect(sent.json).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: CARLA, wa_id: CARLA }],
      messages: [{ id: expect.stringMatching(/^wamid\./) }],
    });
    await world.act('read', { person: CARLA, number: business.number });
    expect(world.statuses()).toMatchObject(
      ['sent', 'delivered', 'read'].map((status) => ({
        id: sent.json.messages[0].id,
        status,
        recipient_id: CARLA,
        biz_opaque_callback_data: 'm1',
      })),
    );
  });

  it('fail later where the window is closed, which a template opens', async () => {
    await world.write(business, 'Hello');
    world.clock.move(DAY);
    expect((await world.send(business, text('late'))).status).toBe(200);
    expect(world.statuses()).toMatchObject([
      { status: 'failed', errors: [{ code: 131047, title: 'Re-engagement message' }] },
    ]);
    await world.template(business);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'B-9' }] }];
    const template = { name: 'order_ready', language: { code: 'en_US' }, components };
    const sent = await world.send(business, { type: 'template', template });
    expect(sent.json.messages).toMatchObject([{ message_status: 'accepted' }]);
    expect((await world.list('messages')).at(-1)).toMatchObject({ text: 'Your order B-9 is ready.' });
    await world.send(business, text('in time'));
    expect(states()).toEqual(['failed', 'sent', 'delivered', 'sent', 'delivered']);
    await world.act('settings', { template_opens_window: false, refuse_at_once: true });
    expect(await world.send(business, { to: BRUNO, ...text('x') })).toMatchObject(refused(131047));
  });
});
