import { describe, expect, test } from 'vitest';
import { callThrough, DOORS, requestOf, toolOf, type Via } from '../../harness/calls/operations.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';

const it = test.extend('stage', () => scene());

const BODY = { type: 'BODY', text: 'Hello {{1}}, order {{2}} left.', example: { body_text: [['Ann', '7']] } };
const DRAFT = { name: 'order_left', category: 'UTILITY', language: 'en_US', components: [BODY] };
const value = (text: string) => ({ type: 'text', text });
const VALUES = [{ type: 'body', parameters: [value('Ann'), value('7')] }];
const SAID = 'Hello Ann, order 7 left.';

/** The simulator of WhatsApp, with one of its numbers connected by a key. */
async function scene() {
  const world = await makeWorld();
  const control = async (path: string, input?: object): Promise<Json> => {
    const answer = await world.rest(`${input ? 'POST' : 'GET'} /sandbox/__control/${path}`, input);
    expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
    return answer.body.data;
  };
  const act = (name: string, input: object) => control(`whatsapp/${name}`, input);
  const people = (await control('people')) as Json[];
  const { handle, credentials } = people.find(({ network, form }) => network === 'whatsapp' && form !== undefined)!;
  const { phone_number_id: number } = credentials as { phone_number_id: string };
  const made = await world.rest('POST /v1/accounts/connect', { platform: 'whatsapp', metadata: credentials });
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  await world.settle();
  const [{ id: customer, digits: to }] = (await control('whatsapp/customers')) as [Json];
  return {
    world,
    control,
    act,
    person: handle as string,
    account: made.body.account_id as string,
    number,
    customer: customer as string,
    to: to as string,
    /** The template of the draft, approved by its reviewers. */
    async approved(by = made.body.account_id as string, draft: object = DRAFT): Promise<string> {
      const created = await callThrough(world, 'rest', 'create_whatsapp_template', { account_id: by, ...draft });
      expect(created.body).toMatchObject({ status: 'PENDING' });
      await act('review', { template: created.body.id, event: 'APPROVED' });
      return created.body.id as string;
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Calls operations through one door, which must succeed. */
const doing = (world: World, via: Via) => async (name: string, input: object) => {
  const { ok, body } = await callThrough(world, via, name, { ...input });
  expect([name, ok, body.error]).toEqual([name, true, undefined]);
  return body;
};

const send = ({ account, to }: Scene, more: object = {}) => ({
  account_id: account,
  to,
  template_name: DRAFT.name,
  language: DRAFT.language,
  components: VALUES,
  ...more,
});

describe.each(DOORS)('through %s', (via) => {
  it.each(['our id', "Meta's id"])('a number is proven, registered and described by %s', async (by) => {
    const { world, control, account, number } = await scene();
    const phone_number_id = by === 'our id' ? account : number;
    const ask = doing(world, via);
    const on = (name: string, more: object = {}) => ask(name, { phone_number_id, ...more });
    const done = { success: true, id: account };
    expect(await on('get_whatsapp_number_status')).toEqual({ verified: true, registered: true });
    expect(await on('deregister_whatsapp_number')).toMatchObject(done);
    expect(await on('get_whatsapp_number_status')).toMatchObject({ registered: false });
    const twice = await callThrough(world, via, 'deregister_whatsapp_number', { phone_number_id });
    expect(twice.code).toBe('resource.conflict');
    expect(await on('request_whatsapp_code', { method: 'VOICE' })).toMatchObject(done);
    const wrong = await callThrough(world, via, 'verify_whatsapp_code', { phone_number_id, code: '000000' });
    expect(wrong.code).toBe('platform.whatsapp.invalid_request');
    const [{ code }] = ((await control('whatsapp/numbers')) as Json[]).filter(({ id }) => id === number) as [Json];
    expect(await on('verify_whatsapp_code', { code: code.value })).toMatchObject(done);
    expect(await on('register_whatsapp_number', { pin: '424242' })).toMatchObject(done);
    expect(await on('get_whatsapp_number_status')).toEqual({ verified: true, registered: true });
    const change = { about: 'Bread', websites: ['https://shop.example'], vertical: 'RETAIL' };
    const profile = { messaging_product: 'whatsapp', ...change };
    expect(await on('update_whatsapp_business_profile', change)).toMatchObject(profile);
    expect(await on('get_whatsapp_business_profile')).toMatchObject(profile);
  });

  it.each(['our id', "Meta's id"])('a template is written, sent, read and deleted by %s', async (by) => {
    const stage = await scene();
    const { world, act, account, number, customer, to } = stage;
    const receiver = await world.receive(['dm.sent', 'dm.status.sent', 'dm.status.delivered', 'dm.status.read']);
    const account_id = by === 'our id' ? account : number;
    const ask = doing(world, via);
    expect(await ask('validate_whatsapp_template', DRAFT)).toEqual({ valid: true, errors: [], warnings: [] });
    const { id: template_id } = await ask('create_whatsapp_template', { account_id, ...DRAFT });
    const again = await callThrough(world, via, 'create_whatsapp_template', { account_id, ...DRAFT });
    expect(again.code).toBe('resource.conflict');
    const early = await callThrough(world, via, 'send_whatsapp_template', send(stage, { account_id }));
    expect(early.code).toBe('whatsapp.template_not_found');
    await act('review', { template: template_id, event: 'APPROVED' });
    const template = { id: template_id, ...DRAFT, status: 'APPROVED' };
    expect((await ask('list_whatsapp_templates', { account_id })).data).toEqual([template]);
    expect(await ask('get_whatsapp_template', { template_id })).toEqual(template);

    const sent = await ask('send_whatsapp_template', send(stage, { account_id }));
    expect(sent).toMatchObject({
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }],
    });
    await world.pass(60_000);
    await act('read', { person: customer, number });
    await world.pass(60_000);
    expect(receiver.events()).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.delivered', 'dm.status.read']);
    const [conversation] = (await ask('list_conversations', {})).data;
    expect(conversation).toMatchObject({ account_id: account, last_message: SAID });
    const { data: messages } = await ask('list_messages', { conversation_id: conversation.id });
    expect(messages).toMatchObject([{ platform_id: sent.message_ids[0], text: SAID, status: 'read' }]);
    expect((await ask('get_usage', {})).interactions_used).toBe(0);

    const changed = { components: [{ ...BODY, text: 'Hi {{1}}, order {{2}} left.' }] };
    await ask('update_whatsapp_template', { template_id, ...changed });
    expect(await ask('get_whatsapp_template', { template_id, account_id })).toMatchObject(changed);
    await ask('delete_whatsapp_template', { account_id, name: DRAFT.name });
    const gone = await callThrough(world, via, 'get_whatsapp_template', { template_id });
    expect(gone.code).toBe('whatsapp.template_not_found');
  });
});

describe('a template', () => {
  it('goes on in the conversation of somebody who wrote, and is answered there', async ({ stage }) => {
    const { world, act, approved, customer, number } = stage;
    await approved();
    await act('message', { person: customer, number, text: 'Where is it?' });
    await world.settle();
    const ask = doing(world, 'rest');
    await world.pass(2000);
    await ask('send_whatsapp_template', send(stage));
    await world.pass(2000);
    await act('message', { person: customer, number, text: 'Thanks' });
    await world.settle();
    const { data } = await ask('list_conversations', {});
    expect(data).toMatchObject([{ last_message: 'Thanks', unread_count: 2 }]);
    await ask('send_dm', { conversation_id: data[0].id, text: 'You are welcome' });
  });

  it('that a campaign uses is not deleted, and one that is paused not sent', async ({ stage }) => {
    const { world, act, approved, account } = stage;
    const template = await approved();
    await act('start_campaign', { template });
    const remove = () =>
      callThrough(world, 'rest', 'delete_whatsapp_template', { account_id: account, name: DRAFT.name });
    expect((await remove()).code).toBe('resource.conflict');
    await act('end_campaign', { template });
    await act('review', { template, event: 'PAUSED' });
    const paused = await callThrough(world, 'rest', 'send_whatsapp_template', send(stage));
    expect([paused.status, paused.code]).toEqual([409, 'whatsapp.template_paused']);
    expect((await remove()).ok).toBe(true);
  });

  it('is refused for who takes no advertising, at once or later', async ({ stage }) => {
    const { world, act, approved, customer, number } = stage;
    const receiver = await world.receive(['dm.status.failed']);
    await approved(undefined, { ...DRAFT, category: 'MARKETING' });
    await act('opt_out', { person: customer, number });
    const later = await callThrough(world, 'rest', 'send_whatsapp_template', send(stage));
    expect(later.ok).toBe(true);
    await world.pass(60_000);
    expect(receiver.received.map(({ body }) => body.data['error_code'])).toEqual(['whatsapp.user_opted_out']);
    await act('settings', { refuse_at_once: 'true' });
    const atOnce = await callThrough(world, 'rest', 'send_whatsapp_template', send(stage));
    expect([atOnce.status, atOnce.code]).toEqual([403, 'whatsapp.user_opted_out']);
  });

  it('whose answer is lost reaches somebody new once, and its status settles it', async ({ stage }) => {
    const { world, control, act, approved, person, to } = stage;
    await approved();
    await act('settings', { push_paused: 'true' });
    await control('faults', { network: 'whatsapp', person, kind: 'lost', method: 'POST number/messages' });
    const { route, body } = requestOf(toolOf('send_whatsapp_template'), send(stage));
    const ask = () => letTimePass(world, world.rest(route, body, { headers: { 'Idempotency-Key': 'one' } }));
    const first = await ask();
    expect([first.status, first.body.error?.code]).toEqual([502, 'platform.whatsapp.api_error']);
    await act('settings', { push_paused: 'false' });
    await act('flush', {});
    await world.pass(60_000);
    const again = await ask();
    expect([again.status, again.body.contacts]).toEqual([200, [{ input: to, wa_id: to }]]);
    const sent = ((await control('whatsapp/messages')) as Json[]).map(({ id }) => id);
    expect(sent).toEqual([again.body.message_id]);
    const { data } = await doing(world, 'rest')('list_conversations', {});
    expect(data).toMatchObject([{ last_message: SAID }]);
  });

  it.each([
    ['create_whatsapp_template', 'POST page/message_templates', (by: string) => ({ account_id: by, ...DRAFT }), 201],
    [
      'register_whatsapp_number',
      'POST number/register',
      (by: string) => ({ phone_number_id: by, pin: '1'.repeat(6) }),
      200,
    ],
    ['deregister_whatsapp_number', 'POST number/deregister', (by: string) => ({ phone_number_id: by }), 200],
  ] as const)('or number whose answer to %s is lost is looked up', async (name, method, input, status) => {
    const { world, control, person, account } = await scene();
    await control('faults', { network: 'whatsapp', person, kind: 'lost', method });
    const { route, body } = requestOf(toolOf(name), input(account));
    const answer = await letTimePass(world, world.rest(route, body));
    expect([name, answer.status, answer.body.error]).toEqual([name, status, undefined]);
  });
});
