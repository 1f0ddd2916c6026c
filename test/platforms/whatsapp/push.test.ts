import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { push } from '#platforms/whatsapp/push.ts';
import { DAWN, trusting } from '../../harness/platforms/inbound.ts';
import { ok } from '../../harness/platforms/script.ts';
import { graphOf, NUMBER, WABA } from '../../harness/platforms/whatsapp-samples.ts';

const AT_S = 1_763_700_000;
const AT = AT_S * 1000;
const ANN = '15551234567';
const HIDDEN = 'US.13491208655302741918';
const SECRET = 'test_app_secret';

const requestOf = (body: unknown, path = '') => ({
  path,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const change = (value: object, field = 'messages') =>
  push.read(
    requestOf({
      object: 'whatsapp_business_account',
      entry: [{ id: WABA, changes: [{ field, value }] }],
    }),
  );
const named = { profile: { name: 'Ann', username: 'ann.b' }, wa_id: ANN };
const METADATA = { display_phone_number: '15550783881', phone_number_id: NUMBER };
/** What is reported of a value of the number, each with the account it is about. */
const events = (value: object, field?: string) =>
  change({ messaging_product: 'whatsapp', metadata: METADATA, ...value }, field).map(({ user, event }) => {
    expect(user).toBe(NUMBER);
    return event;
  });
const message = (more: object, contacts: readonly object[] = [named]) =>
  events({ contacts, messages: [{ from: ANN, id: 'wamid.1', timestamp: String(AT_S), ...more }] });
const conversation = {
  platform_id: ANN,
  participant: { id: ANN, name: 'Ann', username: 'ann.b' },
  metadata: { wa_id: ANN },
};
const alias = (platform_id: string, was: string) =>
  ['conversation', 'person'].map((thing) => ({ kind: 'alias', thing, platform_id, alias: was }));

describe('a message', () => {
  const stored = (more: object) => ({
    kind: 'message',
    conversation,
    message: {
      platform_id: 'wamid.1',
      direction: 'incoming',
      text: '',
      attachments: [],
      created_at: AT,
      reply_to: undefined,
      metadata: {},
      ...more,
    },
  });

  it.each([
    [
      { type: 'text', text: { body: 'Hi' }, context: { from: '1', id: 'wamid.0' } },
      { text: 'Hi', reply_to: 'wamid.0' },
    ],
    [
      { type: 'image', image: { id: '9', mime_type: 'image/jpeg', caption: 'Look' } },
      { text: 'Look', attachments: [{ type: 'image', ref: '9' }] },
    ],
    [
      { type: 'document', document: { id: '9', filename: 'menu.pdf' } },
      { attachments: [{ type: 'file', ref: '9/menu.pdf' }] },
    ],
    [
      { type: 'audio', audio: { id: '9', voice: true } },
      { attachments: [{ type: 'audio', ref: '9' }], metadata: { voice: true } },
    ],
    [{ type: 'sticker', sticker: { id: '9', animated: true } }, { attachments: [{ type: 'image', ref: '9' }] }],
    [
      { type: 'location', location: { latitude: 1, longitude: 2, name: 'Pier', address: 'Quay 4' } },
      {
        text: 'Shared a location: Pier, Quay 4',
        metadata: { location: { latitude: 1, longitude: 2, name: 'Pier', address: 'Quay 4' } },
      },
    ],
    [
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' }, phones: [] }] },
      { text: 'Shared a contact: Bo', metadata: { contacts: [{ name: { formatted_name: 'Bo' }, phones: [] }] } },
    ],
    [
      { type: 'unsupported', errors: [{ code: 131051, title: 'Unsupported' }] },
      {
        text: 'Sent something that cannot be shown here',
        metadata: { unsupported: { type: 'unknown', code: 131051, title: 'Unsupported' } },
      },
    ],
    [
      { type: 'unsupported', unsupported: { type: 'video_note' }, errors: [{ code: 131051 }] },
      {
        text: 'Sent something that cannot be shown here (video note)',
        metadata: { unsupported: { type: 'video_note', code: 131051 } },
      },
    ],
    [
      { type: 'interactive', interactive: { type: 'call_permission_reply' } },
      {
        text: 'Sent something that cannot be shown here (call permission reply)',
        metadata: { unsupported: { type: 'call_permission_reply' } },
      },
    ],
    [
      { type: 'order', order: { catalog_id: '1', product_items: [{}, {}] } },
      {
        text: 'Placed an order of 2 products',
        metadata: { order: { catalog_id: '1', text: '', product_items: [{}, {}] } },
      },
    ],
    [
      { type: 'text', text: { body: 'Hi' }, referral: { source_type: 'ad', source_id: 'ad1', headline: 'Rye' } },
      { text: 'Hi', metadata: { referral: { source_type: 'ad', source_id: 'ad1', headline: 'Rye', ad_id: 'ad1' } } },
    ],
  ])('is stored with what it holds %#', (given, expected) => {
    expect(message(given)).toEqual([stored(expected)]);
  });

  it('that only changes another changes it', () => {
    const reaction = { kind: 'reaction', conversation: ANN, message: 'wamid.0', direction: 'incoming', at: AT };
    const react = (emoji?: string) => message({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji } });
    expect([...react('👍'), ...react('')]).toEqual([
      { ...reaction, emojis: ['👍'] },
      { ...reaction, emojis: [] },
    ]);
    expect(react()).toEqual([{ ...reaction, emojis: [] }]);
    const original_message_id = 'wamid.0';
    const gone = { kind: 'message_gone', platform_id: 'wamid.0' };
    expect(message({ type: 'revoke', revoke: { original_message_id } })).toEqual([gone]);
    const edited = (content: object) => [{ kind: 'message_edited', platform_id: 'wamid.0', content, at: AT }];
    const edit = (now: object) => message({ type: 'edit', edit: { original_message_id, message: now } });
    expect(edit({ type: 'text', text: { body: 'Better' } })).toEqual(edited({ text: 'Better', metadata: {} }));
    // A changed caption names the file again, or not.
    expect(edit({ type: 'image', image: { caption: 'Better' } })).toEqual(edited({ text: 'Better', metadata: {} }));
    expect(edit({ type: 'image', image: { id: '9', caption: 'Better' } })).toEqual(
      edited({ text: 'Better', metadata: {}, attachments: [{ type: 'image', ref: '9' }] }),
    );
    const echo = { from: '15550783881', to: ANN, id: 'wamid.2', timestamp: String(AT_S) };
    const echoed = (more: object) => events({ message_echoes: [{ ...echo, ...more }] }, 'smb_message_echoes');
    expect(echoed({ type: 'revoke', revoke: { original_message_id } })).toEqual([gone]);
    expect(echoed({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } })).toEqual([
      { ...reaction, direction: 'outgoing', emojis: ['👍'] },
    ]);
  });

  it('that says nothing, is said in a group, or cannot be read is nothing', () => {
    expect(message({ type: 'request_welcome' })).toEqual([]);
    expect(message({ type: 'text', text: { body: 'Hi' }, group_id: 'g1' })).toEqual([]);
    expect(message({ type: 'button', button: { payload: 'Y', text: 'Yes' }, group_id: 'g1' })).toEqual([]);
    expect(message({ type: 'revoke' })).toEqual([]);
    expect(message({ type: 'text', id: undefined })).toEqual([]);
    expect(change({ messages: [{}] })).toEqual([]);
    expect(change({ metadata: METADATA }, 'flows')).toEqual([]);
  });

  it.each([
    [
      { type: 'button', button: { payload: 'Y', text: 'Yes' } },
      { title: 'Yes', payload: 'Y', metadata: {} },
    ],
    [
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'Y', title: 'Yes' } } },
      { title: 'Yes', payload: 'Y', metadata: {} },
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 'r', title: 'Rye', description: 'Dark' } },
      },
      { title: 'Rye', payload: 'r', metadata: { description: 'Dark' } },
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: '{"a":1}' } },
      },
      { title: 'Sent', payload: '{"a":1}', metadata: {} },
    ],
  ])('that is a tap is a postback %#', (given, expected) => {
    expect(message(given)).toEqual([{ kind: 'postback', conversation, platform_id: 'wamid.1', at: AT, ...expected }]);
  });

  it('sent with the phone app is one of ours', () => {
    const echo = { from: '15550783881', to: ANN, id: 'wamid.2', timestamp: String(AT_S), type: 'text' };
    expect(events({ message_echoes: [{ ...echo, text: { body: 'Hello' } }] }, 'smb_message_echoes')).toMatchObject([
      { conversation: { platform_id: ANN }, message: { direction: 'outgoing', text: 'Hello' } },
    ]);
  });
});

describe('a person', () => {
  const both = { ...named, user_id: HIDDEN };

  it('known by number goes on under the id that only this business knows', () => {
    const [, , written] = message({ type: 'text', text: { body: 'Hi' }, from_user_id: HIDDEN }, [both]);
    expect(message({ type: 'text', text: { body: 'Hi' } }, [both])).toEqual([...alias(HIDDEN, ANN), written]);
    expect(written).toMatchObject({
      conversation: { platform_id: HIDDEN, participant: { id: HIDDEN, name: 'Ann' }, metadata: { wa_id: ANN } },
    });
  });

  it('who hides their number is known by that id alone', () => {
    const hidden = { profile: { name: 'Ann', username: 'ann.b' }, user_id: HIDDEN };
    const [only, ...more] = message({ type: 'text', text: { body: 'Hi' }, from: undefined }, [hidden]);
    expect([only, more]).toMatchObject([{ conversation: { platform_id: HIDDEN, metadata: {} } }, []]);
    expect(message({ type: 'text', text: { body: 'Hi' }, from: undefined }, [])).toEqual([]);
  });

  it('is never taken for another one of the same push', () => {
    const other = { profile: { name: 'Bo' }, wa_id: '15557654321', user_id: 'US.2' };
    expect(message({ type: 'text', text: { body: 'Hi' } }, [other])).toMatchObject([
      { conversation: { platform_id: ANN, participant: { name: '' } } },
    ]);
  });

  it('with another number keeps the conversation', () => {
    const system = { body: 'Ann has another number', type: 'user_changed_number', wa_id: '15550000001' };
    const notice = { kind: 'notice', platform_id: 'wamid.1', at: AT };
    expect(message({ type: 'system', system }, [])).toEqual([
      ...alias('15550000001', ANN),
      {
        ...notice,
        conversation: '15550000001',
        text: 'Ann has another number',
        notice: { type: 'user_changed_number' },
        sends: { wa_id: '15550000001' },
      },
    ]);
    const renamed = { body: '', type: 'user_changed_number', wa_id: '15550000001', user_id: 'US.2' };
    expect(message({ type: 'system', system: { ...renamed, previous_user_id: HIDDEN } }, [])).toMatchObject([
      ...alias('US.2', HIDDEN),
      ...alias('US.2', ANN),
      ...alias('US.2', '15550000001'),
      { ...notice, conversation: 'US.2', sends: { wa_id: '15550000001' } },
    ]);
    const identity = { type: 'user_identity_changed' };
    expect(message({ type: 'system', system: identity }, [])).toEqual([
      {
        ...notice,
        conversation: ANN,
        text: 'Something about this person changed on WhatsApp',
        notice: identity,
        sends: { wa_id: ANN },
      },
    ]);
  });
});

it('a person who hides their number and has another one is known by their last id', () => {
  const system = { body: '', type: 'user_changed_user_id', user_id: 'US.2', previous_user_id: HIDDEN };
  expect(message({ type: 'system', system, from: undefined }, [])).toMatchObject([
    ...alias('US.2', HIDDEN),
    { kind: 'notice', conversation: 'US.2', notice: { type: 'user_changed_user_id' }, sends: {} },
  ]);
});

describe('a status', () => {
  const status = (more: object, contacts: readonly object[] = []) =>
    events({ contacts, statuses: [{ id: 'wamid.1', timestamp: String(AT_S), recipient_id: ANN, ...more }] });
  const receipt = { kind: 'receipt', conversation: ANN, message_ids: ['wamid.1'], at: AT };

  it.each([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'read'],
    ['played', 'read'],
  ])('%s is told with our mark', (given, expected) => {
    expect(status({ status: given, biz_opaque_callback_data: 'snd_1.0' })).toEqual([
      { ...receipt, status: expected, correlation_id: 'snd_1.0' },
    ]);
  });

  it('that is not known is nothing', () => expect(status({ status: 'warning' })).toEqual([]));

  it('failed says why', () => {
    const errors = [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'Over 24 hours.' } }];
    const [failed] = status({ status: 'failed', errors });
    expect(failed).toMatchObject({
      status: 'failed',
      error: {
        code: 'whatsapp.window_closed',
        platform_code: 131_047,
        platform_message: 'Re-engagement message Over 24 hours.',
      },
    });
    expect(status({ status: 'failed', errors: [{ code: 999, title: 'New' }] })).toMatchObject([
      { error: { code: 'whatsapp.unknown' } },
    ]);
    expect(status({ status: 'failed' })).toMatchObject([{ error: { code: 'platform.whatsapp.api_error' } }]);
  });

  it('tells both ids of a person too', () => {
    expect(status({ status: 'read', recipient_user_id: HIDDEN })).toEqual([
      ...alias(HIDDEN, ANN),
      expect.objectContaining({ conversation: HIDDEN, status: 'read' }),
    ]);
  });
});

describe('the end of our access', () => {
  const having = { name: 'waba_id', value: WABA };

  it('is that of all numbers of the business account', () => {
    expect(change({ event: 'PARTNER_REMOVED' }, 'account_update')).toMatchObject([
      { having, event: { kind: 'revoked' } },
    ]);
    const shared = { event: 'PARTNER_REMOVED', waba_info: { waba_id: '777' } };
    expect(change(shared, 'account_update')).toMatchObject([{ having: { name: 'waba_id', value: '777' } }]);
  });

  it('is a business account that is disabled', () => {
    const disabled = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } };
    expect(change(disabled, 'account_update')).toMatchObject([{ having, event: { kind: 'revoked' } }]);
  });

  it.each([
    { event: 'VERIFIED_ACCOUNT' },
    { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'SPAM' } },
    { event: 'ACCOUNT_OFFBOARDED' },
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } },
    {},
  ])('is not %j', (value) => expect(change(value, 'account_update')).toEqual([]));

  it('comes by the callbacks of the app too, for all numbers of the login', () => {
    const about = { user_id: '9001', algorithm: 'HMAC-SHA256', issued_at: DAWN / 1000 };
    const payload = Buffer.from(JSON.stringify(about)).toString('base64url');
    const signature = createHmac('sha256', SECRET).update(payload).digest('base64url');
    const signed = (path: string) => requestOf(`signed_request=${signature}.${payload}`, path);
    expect(push.verify(signed('deauthorize'), trusting(SECRET))).toBe(true);
    const login = { having: { name: 'login_id', value: '9001' } };
    expect(push.read(signed('deauthorize'))).toMatchObject([{ ...login, event: { kind: 'revoked' } }]);
    expect(push.read(signed('data-deletion'))).toMatchObject([{ ...login, event: { kind: 'deletion' } }]);
  });
});

describe('the subscription of a business account', () => {
  const EDGE = `/${WABA}/subscribed_apps`;

  it('is made, looked at, and ended with its last number', async () => {
    const apps = ok({ data: [{ whatsapp_business_api_data: { id: '42', name: 'Rostra' } }] });
    const graph = graphOf({
      [`POST ${EDGE}`]: ok({ success: true }),
      [`GET ${EDGE}`]: [apps, ok({ data: [{ whatsapp_business_api_data: { id: '43' } }] }), ok({ data: [] })],
      [`DELETE ${EDGE}`]: ok({ success: true }),
    });
    const { acting } = graph;
    await push.subscribe!(acting, { callback: 'https://a.example', verifyToken: 'x' });
    for (const expected of [true, false, false]) expect(await push.isSubscribed!(acting, null)).toBe(expected);
    await push.unsubscribe!(acting, null, true);
    expect(graph.calls()).not.toContain(`DELETE ${EDGE}`);
    await push.unsubscribe!(acting, null, false);
    expect(graph.calls()).toContain(`DELETE ${EDGE}`);
  });

  it('needs the app registered for the object once', async () => {
    const graph = graphOf({ 'POST /42/subscriptions': ok({ success: true }) });
    const app = { clientId: '42', clientSecret: 'shh', callback: 'https://a.example/push/whatsapp', verifyToken: 'v' };
    await push.register!(graph.bare, app);
    expect(graph.asked[0]!.form).toMatchObject({
      object: 'whatsapp_business_account',
      callback_url: app.callback,
      verify_token: 'v',
      fields: expect.stringContaining('messages'),
    });
    expect(graph.asked[0]!.request.headers).toMatchObject({ authorization: 'Bearer 42|shh' });
  });
});
