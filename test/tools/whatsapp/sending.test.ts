import { describe, expect, test } from 'vitest';
import { aTemplate, refusedWith } from '../../harness/platforms/business.ts';
import { lost } from '../../harness/platforms/network.ts';
import { blind } from '../../harness/platforms/social.ts';
import { call, onFreePlan, requestOf, toolOf } from '../../harness/calls/operations.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { businessStage, NUMBER, type BusinessStage } from './stage.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { VALUES } from './inputs.ts';

const it = test.extend('stage', () => scene());

const TO = '4915112345678';
const TEMPLATE = { template_name: 'order_7001', language: 'en_US', components: VALUES };
const SAID = 'Hello Ann, order 7 is on its way.';

/** What is answered of a message that was sent. */
const accepted = (id: string) => ({
  messaging_product: 'whatsapp',
  contacts: [{ input: TO, wa_id: TO }],
  messages: [{ id, message_status: 'accepted' }],
  message_id: id,
  message_ids: [id],
});

const send = ({ world, account }: BusinessStage, more: object = {}) =>
  call(world, 'send_whatsapp_template', { account_id: account.id, to: TO, ...TEMPLATE, ...more });

/** The conversations of the stage with their messages. */
async function inboxOf({ world }: BusinessStage) {
  const { data } = (await call(world, 'list_conversations')).body;
  const messages = async ({ id: conversation_id }: { id: string }) =>
    (await call(world, 'list_messages', { conversation_id })).body.data;
  return { conversations: data, messages: await Promise.all(data.map(messages)) };
}

/** A stage that remembers its template. */
async function scene(surroundings: Parameters<typeof businessStage>[0] = {}): Promise<BusinessStage> {
  const stage = await businessStage(surroundings);
  stage.business.templates.set('7001', aTemplate('7001'));
  await call(stage.world, 'list_whatsapp_templates', { account_id: NUMBER });
  return stage;
}

describe('send_whatsapp_template', () => {
  it('takes a number as people write it, and the id of the person', async ({ stage }) => {
    for (const to of [
      '+4915112345678',
      '+49 151 1234-5678',
      ' +49 (0)151/12 34 56.78 ',
      '004915112345678',
      '+49\u00a0151\u201112345678',
    ]) {
      const { status, body } = await send(stage, { to });
      expect([to, status, body.contacts]).toEqual([to, 200, [{ input: TO, wa_id: TO }]]);
    }
    const to = 'DE.1Ab2';
    expect((await send(stage, { to })).body.contacts).toEqual([{ input: to, wa_id: to }]);
    const { data } = (await call(stage.world, 'list_conversations')).body;
    expect(data.map(({ participant_id }: { participant_id: string }) => participant_id).toSorted()).toEqual([TO, to]);
    for (const wrong of ['0151 12345678', '+49 151 CALL-ME', '+1 23', 'de.1Ab2', '+', '1'.repeat(16)]) {
      const refused = await send(stage, { to: wrong });
      expect([wrong, refused.code]).toEqual([wrong, 'validation.field_invalid']);
      expect(refused.body.error.message).toContain('+1 202-555-0123');
    }
  });

  it.for(['our id', "Meta's id"])('opens a conversation, and is told of, by %s', async (by, { stage }) => {
    const { world, account, net } = stage;
    const receiver = await world.receive(['dm.sent', 'dm.status.sent', 'dm.status.delivered', 'dm.status.read']);
    const account_id = by === 'our id' ? account.id : NUMBER;
    const { status, body } = await send(stage, { account_id, to: `+${TO}` });
    const [{ id }] = net.seen as unknown as [{ id: string }];
    expect([status, body]).toEqual([200, accepted(id)]);
    const { conversations, messages } = await inboxOf(stage);
    expect(conversations).toMatchObject([
      { account_id: account.id, platform_id: TO, participant_id: TO, last_message: SAID, unread_count: 0 },
    ]);
    const { template_name: name, language, components } = TEMPLATE;
    expect(messages[0]).toMatchObject([
      {
        platform_id: id,
        direction: 'outgoing',
        text: SAID,
        status: 'sent',
        metadata: { template: { name, language, components } },
      },
    ]);
    for (const state of ['delivered', 'read'] as const) {
      const at = world.clock.now() + 1;
      await stage.tell(account, [{ kind: 'receipt', status: state, conversation: TO, message_ids: [id], at }]);
    }
    await world.settle();
    expect(receiver.events()).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.delivered', 'dm.status.read']);
    expect(receiver.received[0]!.body.data).toMatchObject({ conversation_id: conversations[0].id, platform_id: id });
  });

  it.for(['a\nb', 'a\tb', 'a\r\nb', 'a     b'])('sends no value that WhatsApp refuses: %j', async (text, { stage }) => {
    const before = stage.net.calls.length;
    const parameters = [
      { type: 'text', text: 'a    b' },
      { type: 'text', text },
    ];
    const answer = await send(stage, { components: [{ type: 'body', parameters }] });
    expect([answer.code, answer.meta]).toMatchObject([
      'validation.field_invalid',
      { field: 'components.0.parameters.1.text' },
    ]);
    expect(answer.body.error.message).toContain('no line break, no tab');
    expect(stage.net.calls.length).toBe(before);
  });

  it('goes on in the conversation there is, and is shown by its name where its words are unknown', async () => {
    const stage = await scene();
    const { account, converse } = stage;
    const conversation = await converse(account, { thread: TO });
    await send(stage, { template_name: 'unheard_of', components: [] });
    await send(stage, { components: [] });
    await send(stage, {
      components: [{ type: 'body', parameters: [{ text: 'Bo', parameter_name: '1' }, { type: 'currency' }] }],
    });
    const { conversations, messages } = await inboxOf(stage);
    expect(conversations.map(({ id }: { id: string }) => id)).toEqual([conversation]);
    expect(messages[0].map(({ text }: { text: string }) => text).toSorted()).toEqual(
      [
        'Text of hello-' + TO,
        '[template unheard_of]',
        'Hello {{1}}, order {{2}} is on its way.',
        'Hello Bo, order {{2}} is on its way.',
      ].toSorted(),
    );
  });

  it('costs nothing, on any plan', async ({ stage }) => {
    const { world, connect, converse } = stage;
    const conversation_id = await converse(await connect('twitter'));
    await call(world, 'send_dm', { conversation_id, text: 'This one costs' });
    await onFreePlan(world);
    await world.product.store.write(({ db }) => db.updateTable('usage').set({ interactions: 50 }).execute());
    const { ok } = await send(stage);
    expect([ok, (await call(world, 'get_usage')).body.interactions_used]).toEqual([true, 50]);
  });

  it('that is refused is told of where there is a conversation', async ({ stage }) => {
    const { world, net, account, converse, business } = stage;
    const receiver = await world.receive(['dm.status.failed', 'dm.sent']);
    const refuse = () => net.script(NUMBER, 'templates.send', refusedWith('whatsapp.undeliverable'));
    refuse();
    expect((await send(stage)).code).toBe('whatsapp.undeliverable');
    const conversation_id = await converse(account, { thread: TO });
    refuse();
    expect((await send(stage)).code).toBe('whatsapp.undeliverable');
    // The same person, whom the platform has another id for by now.
    const alias = { kind: 'alias', thing: 'conversation', platform_id: 'DE.1', alias: TO } as const;
    await stage.tell(account, [alias]);
    refuse();
    expect((await send(stage)).code).toBe('whatsapp.undeliverable');
    await world.settle();
    expect(receiver.received.map(({ body }) => body)).toMatchObject(
      [1, 2].map(() => ({
        event: 'dm.status.failed',
        data: { conversation_id, error_code: 'whatsapp.undeliverable', message_ids: [] },
      })),
    );
    expect(business.sent).toEqual([]);
  });

  it('is open to keys that may send messages, of its brand alone', async ({ stage: { world, account } }) => {
    const { body: other } = await world.rest('POST /v1/brands', { name: 'Other' });
    const input = { account_id: NUMBER, to: TO, ...TEMPLATE };
    const by = async (limits: object) => {
      const key = await world.newKey(limits);
      const { status, code = 'sent' } = await call(world, 'send_whatsapp_template', input, { key });
      return [status, code];
    };
    expect(await by({ scopes: ['dms:send'], brand_ids: [account.brand_id] })).toEqual([200, 'sent']);
    expect(await by({ brand_ids: [other.id] })).toEqual([404, 'whatsapp.no_account']);
    expect(await by({ scopes: ['accounts:manage'] })).toEqual([403, 'auth.insufficient_scope']);
  });
});

describeStores('a template whose answer is lost', (stores) => {
  it('is sent once, and found by its correlation id, with the conversation it opened', async () => {
    const stage = await scene({ store: await stores.open() });
    const { world, net, account } = stage;
    const receiver = await world.receive(['dm.sent', 'dm.status.sent', 'dm.status.delivered']);
    const { route, body } = requestOf(toolOf('send_whatsapp_template'), { account_id: NUMBER, to: TO, ...TEMPLATE });
    const ask = () => letTimePass(world, world.rest(route, body, { headers: { 'Idempotency-Key': 'one' } }));
    net.script(NUMBER, 'templates.send', lost);
    net.script(NUMBER, 'templates.send.settle', blind, blind, blind);
    expect((await ask()).status).toBe(502);
    const [{ id, mark }] = net.seen as unknown as [{ id: string; mark: string }];
    const receipt = { kind: 'receipt', conversation: TO, message_ids: [id], correlation_id: mark } as const;
    await stage.tell(account, [{ ...receipt, status: 'delivered', at: world.clock.now() }]);
    const again = await ask();
    expect([again.status, again.body]).toEqual([200, accepted(id)]);
    expect(net.seen).toHaveLength(1);
    const { conversations, messages } = await inboxOf(stage);
    expect(conversations).toMatchObject([{ platform_id: TO, participant_id: TO, last_message: SAID }]);
    expect(messages[0]).toMatchObject([{ platform_id: id, text: SAID, status: 'delivered' }]);
    await world.settle();
    expect(receiver.events()).toEqual(['dm.sent', 'dm.status.sent', 'dm.status.delivered']);
  });
});
