import { afterAll, beforeAll, expect, it } from 'vitest';
import { png } from '../harness/worlds/twins/facebook.ts';
import type { Params } from '../harness/worlds/twins/app.ts';
import { BODY, CARLA, openWhatsAppWorld, type Business, type WhatsAppWorld } from '../harness/worlds/twins/whatsapp.ts';
import { flawsOf, flawsOfSent } from './whatsapp.ts';

let world: WhatsAppWorld;
let business: Business;
beforeAll(async () => {
  world = await openWhatsAppWorld();
  business = await world.ready();
});
afterAll(() => world.close());

it('the twin of WhatsApp answers and pushes messages as Meta says', async () => {
  const { number } = business;
  const link = world.app.put('photo.png', png());
  await world.write(business, 'Hello');
  await world.act('message', { person: CARLA, number, attachment_url: link });
  const buttons = [{ type: 'reply', reply: { id: 'a', title: 'A' } }];
  const sections = [{ title: 'S', rows: [{ id: 'r', title: 'R', description: 'd' }] }];
  await world.template(business);
  const parameters = [{ type: 'text', text: 'B-9' }];
  const components = [{ type: 'body', parameters }];
  const bodies: Params[] = [
    { type: 'text', text: { body: 'x', preview_url: false } },
    { type: 'image', image: { link, caption: 'x' } },
    { type: 'document', document: { link, filename: 'x.png' } },
    { type: 'interactive', interactive: { type: 'button', body: { text: 'x' }, action: { buttons } } },
    { type: 'interactive', interactive: { type: 'list', body: { text: 'x' }, action: { button: 'B', sections } } },
    {
      type: 'template',
      template: { name: 'order_ready', language: { policy: 'deterministic', code: 'en_US' }, components },
    },
  ];
  for (const body of bodies) {
    const { status, json } = await world.send(business, { recipient_type: 'individual', ...body });
    expect([status, flawsOf('MessageResponsePayload', json)]).toEqual([200, []]);
  }
  const { id } = (await world.list('messages')).find(({ choices }) => choices.length > 0);
  await world.act('tap', { message: id, choice: 'a' });
  await world.act('read', { person: CARLA, number });
  const pushes = world.app.pushes().map(({ body }) => JSON.parse(body));
  // The schema knows the field of messages alone, and what customers send has to look like what apps send, which it never does.
  const changes = pushes.flatMap(({ entry }) => entry.flatMap((one: any) => one.changes));
  const known = changes.filter(({ field }) => field === 'messages');
  const entry = known.map((one) => (one.value.messages ? { ...one, value: { ...one.value, messages: [] } } : one));
  expect(
    flawsOf('WebhookPayload', { object: pushes[0].object, entry: [{ id: business.account, changes: entry }] }),
  ).toEqual([]);
  expect([world.messages().length, world.statuses().length]).toEqual([3, 3 * bodies.length]);
  expect(flawsOfSent(await world.list('messages'))).toEqual([]);
});

it('the twin of WhatsApp answers for numbers, files and templates as Meta says', async () => {
  const { account, number, token } = business;
  const post = async (path: string, body: object = {}) => (await world.post(path, token, { ...body })).json;
  const get = async (path: string) => (await world.get(path, token)).json;
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new Blob([new Uint8Array(png())], { type: 'image/png' }));
  const headers = { authorization: `Bearer ${token}` };
  const uploaded = (await world.ask(`${world.at}/graph/v25.0/${number}/media`, { method: 'POST', headers, body: form }))
    .json;
  const made = await post(`${account}/message_templates`, {
    name: 'other',
    language: 'de',
    category: 'UTILITY',
    components: [BODY],
  });
  const profile = `${number}/whatsapp_business_profile`;
  const fields =
    'id,display_phone_number,verified_name,status,quality_rating,code_verification_status,name_status,messaging_limit_tier';
  const shown = 'id,name,language,status,category,components';
  await world.act('settings', { profile_wrapped: true });
  const answers = [
    ['SubscriptionResponse', await post(`${account}/subscribed_apps`)],
    ['SubscribedAppsResponse', await get(`${account}/subscribed_apps`)],
    ['WhatsAppBusinessAccountPhoneNumbersConnection', await get(`${account}/phone_numbers?fields=${fields}`)],
    ['WhatsAppAccountNumber', await get(`${number}?fields=${fields}`)],
    ['RequestCodeResponse', await post(`${number}/request_code`, { code_method: 'SMS', language: 'en_US' })],
    ['VerifyCodeResponse', await post(`${number}/verify_code`, { code: (await world.list('numbers'))[0].code.value })],
    ['DeregisterResponse', await post(`${number}/deregister`)],
    [
      'WhatsAppBusinessPhoneNumberRegistrationResponse',
      await post(`${number}/register`, { messaging_product: 'whatsapp', pin: '123456' }),
    ],
    ['WhatsAppBusinessProfileUpdateResponse', await post(profile, { messaging_product: 'whatsapp', about: 'Bread' })],
    ['WhatsAppBusinessProfileResponse', await get(`${profile}?fields=messaging_product,about`)],
    ['UploadedMedia', uploaded],
    ['Media', await get(uploaded.id)],
    ['MadeTemplate', made],
    ['Template', await get(`${made.id}?fields=${shown}`)],
    ['TemplateList', await get(`${account}/message_templates?fields=${shown}`)],
  ] as const;
  for (const [schema, answer] of answers)
    expect([schema, answer.error, flawsOf(schema, answer)]).toEqual([schema, undefined, []]);
});

it('what does not hold is found out', () => {
  expect(flawsOfSent([{ asked: { type: 'text' } }])).not.toEqual([]);
  expect(flawsOf('WebhookPayload', { object: 'x', entry: [{ id: 1 }] })).not.toEqual([]);
});

it('the schema of a message with a file knows what may stand in it', () => {
  const link = 'https://a.example/a';
  expect(flawsOf('CaptionedMedia', { id: '1', caption: 'x'.repeat(1025) })).not.toEqual([]);
  expect(flawsOf('CaptionedMedia', { id: '1', link })).not.toEqual([]);
  expect(flawsOf('BareMedia', { id: '1', caption: 'x' })).not.toEqual([]);
  expect(flawsOf('DocumentMedia', { link, caption: 'x', filename: 'a.pdf' })).toEqual([]);
});
