import { describe, expect, it } from 'vitest';
import { numbers } from '#platforms/whatsapp/numbers.ts';
import { checkTemplate } from '#platforms/whatsapp/template-check.ts';
import { templates } from '#platforms/whatsapp/templates.ts';
import { whatsapp } from '#platforms/whatsapp/index.ts';
import { answer, ok, scripted, type Script } from '../../harness/platforms/script.ts';

const [NUMBER, WABA] = ['100200300', '900800700'];
const SESSION = { token: 'TOKEN', phone_number_id: NUMBER, waba_id: WABA };
const STATE = { correlationId: 'snd_1.0', prepared: undefined, sentAt: 0 };
const SETTLE = { ...STATE, taken: new Set<string>() };

/** A Graph that answers by `METHOD path` below the version. */
const graphOf = (script: Script) =>
  scripted(script, {
    hosts: whatsapp.hosts.real,
    session: SESSION,
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace(/^\/v[\d.]+\//, '')}`,
  });

const refusal = (code: number, error_subcode?: number, status = 400) =>
  answer(status, { error: { message: `(#${code}) no`, type: 'OAuthException', code, error_subcode } });

const done = ok({ success: true });

describe('the number of an account', () => {
  it('is changed by the edges of the number, in the bodies that they take', async () => {
    const graph = graphOf({
      [`POST ${NUMBER}/request_code`]: done,
      [`POST ${NUMBER}/verify_code`]: ok({ success: true, id: NUMBER }),
      [`POST ${NUMBER}/register`]: done,
      [`POST ${NUMBER}/deregister`]: done,
      [`POST ${NUMBER}/whatsapp_business_profile`]: done,
    });
    await numbers.requestCode(graph.acting, { method: 'VOICE', language: 'pt_BR' });
    await numbers.verifyCode(graph.acting, '123456');
    await numbers.register(graph.acting, '424242');
    await numbers.deregister(graph.acting);
    await numbers.setProfile(graph.acting, { about: 'Bread', websites: [] });
    expect(graph.asked.map(({ body }) => body)).toEqual([
      { code_method: 'VOICE', language: 'pt_BR' },
      { code: '123456' },
      { messaging_product: 'whatsapp', pin: '424242' },
      {},
      { messaging_product: 'whatsapp', about: 'Bread', websites: [] },
    ]);
    expect(graph.asked.every(({ request }) => request.headers!['authorization'] === 'Bearer TOKEN')).toBe(true);
  });

  it('is refused in words that fit the operation, with the refusal of Graph as the cause', async () => {
    const graph = graphOf({
      [`POST ${NUMBER}/verify_code`]: refusal(100),
      [`POST ${NUMBER}/deregister`]: refusal(133010),
    });
    const cause = expect.objectContaining({ status: 400 });
    await expect(numbers.verifyCode(graph.acting, '123456')).rejects.toMatchObject({
      message: 'The code is wrong or too old.',
      details: { code: 100 },
      cause,
    });
    await expect(numbers.deregister(graph.acting)).rejects.toMatchObject({
      reason: 'invalid_request',
      code: 'resource.conflict',
      cause,
    });
  });

  it.each([
    [{ code_verification_status: 'VERIFIED', status: 'CONNECTED', platform_type: 'CLOUD_API' }, true, true],
    [{ code_verification_status: 'VERIFIED', status: 'CONNECTED' }, true, true],
    [{ code_verification_status: 'VERIFIED', status: 'FLAGGED', platform_type: 'CLOUD_API' }, true, true],
    [{ code_verification_status: 'EXPIRED', status: 'DISCONNECTED', platform_type: 'NOT_APPLICABLE' }, false, false],
    [{ code_verification_status: 'NOT_VERIFIED', status: 'PENDING' }, false, false],
    [{ code_verification_status: 'VERIFIED', status: 'CONNECTED', platform_type: 'NOT_APPLICABLE' }, true, false],
    [{}, false, false],
  ])('is read from %j', async (fields, verified, registered) => {
    const graph = graphOf({ [`GET ${NUMBER}`]: ok({ id: NUMBER, ...fields }) });
    expect(await numbers.status(graph.acting)).toEqual({ verified, registered });
  });

  it('has a profile in either of its shapes, without what cannot be read', async () => {
    const profile = { about: 'Bread', websites: ['https://shop.example'], vertical: 'RETAIL' };
    for (const data of [[profile], [{ business_profile: profile }], [{ ...profile, email: 7 }]]) {
      const graph = graphOf({ [`GET ${NUMBER}/whatsapp_business_profile`]: ok({ data }) });
      expect(await numbers.profile(graph.acting)).toEqual(profile);
    }
    const none = graphOf({ [`GET ${NUMBER}/whatsapp_business_profile`]: ok({ data: [] }) });
    await expect(numbers.profile(none.acting)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it.each([
    [refusal(133006), 'resource.conflict'],
    [refusal(100, undefined, 422), 'resource.conflict'],
    [refusal(133005), undefined],
  ])('cannot be registered after %j', async (reply, code) => {
    const graph = graphOf({ [`POST ${NUMBER}/register`]: reply });
    await expect(numbers.register(graph.acting, '424242')).rejects.toMatchObject({ kind: 'refused', code });
  });

  it('is told from one whose code is wrong, whatever Graph calls that', async () => {
    for (const reply of [refusal(136025), refusal(100), refusal(100, undefined, 422)]) {
      const graph = graphOf({ [`POST ${NUMBER}/verify_code`]: reply });
      const error = {
        kind: 'refused',
        reason: 'invalid_request',
        code: undefined,
        message: 'The code is wrong or too old.',
      };
      await expect(numbers.verifyCode(graph.acting, '1')).rejects.toMatchObject(error);
    }
    const graph = graphOf({ [`POST ${NUMBER}/verify_code`]: refusal(190) });
    await expect(numbers.verifyCode(graph.acting, '1')).rejects.toMatchObject({ reason: 'auth' });
  });
});

const BODY = { type: 'BODY', text: 'Hello {{1}}, order {{2}} left.', example: { body_text: [['Ann', '7']] } };
const DRAFT = { name: 'order_left', category: 'UTILITY', language: 'en_US', components: [BODY] } as const;
const LISTED = { id: '701', ...DRAFT, status: 'APPROVED' };
const EDGE = `${WABA}/message_templates`;

describe('the templates of a business account', () => {
  it('are listed page by page, the last of which has a cursor too', async () => {
    const cursors = { before: 'b', after: 'a' };
    const graph = graphOf({
      [`GET ${EDGE}`]: [
        ok({
          data: [LISTED, { ...LISTED, components: 'none' }],
          paging: { cursors, next: 'https://graph.facebook.com/x' },
        }),
        ok({ data: [], paging: { cursors } }),
      ],
    });
    const first = await templates.list(graph.acting, { limit: 2 });
    expect(first).toEqual({ items: [LISTED, { ...LISTED, components: [] }], cursor: 'a' });
    expect(await templates.list(graph.acting, { limit: 2, cursor: 'a' })).toEqual({ items: [], cursor: undefined });
    expect(graph.asked.map(({ query }) => [query['limit'], query['after']])).toEqual([
      ['2', undefined],
      ['2', 'a'],
    ]);
  });

  it('are created once, and looked for by name and language', async () => {
    const graph = graphOf({
      [`POST ${EDGE}`]: ok({ id: '701', status: 'PENDING', category: 'MARKETING' }),
      [`GET ${EDGE}`]: [
        ok({
          data: [
            { ...LISTED, language: 'de' },
            { ...LISTED, name: 'order_left_2' },
          ],
        }),
        ok({ data: [LISTED] }),
      ],
    });
    const { send, settle } = templates.create;
    expect(await send(graph.acting, DRAFT, STATE)).toEqual({ id: '701', status: 'PENDING', category: 'MARKETING' });
    expect(graph.asked[0]!.body).toEqual(DRAFT);
    expect(await settle!(graph.acting, DRAFT, SETTLE)).toBe('absent');
    expect(await settle!(graph.acting, DRAFT, SETTLE)).toEqual({ id: '701', status: 'APPROVED', category: 'UTILITY' });
    for (const subcode of [2388023, 2388024]) {
      const taken = graphOf({ [`POST ${EDGE}`]: refusal(100, subcode) });
      await expect(send(taken.acting, DRAFT, STATE)).rejects.toMatchObject({ code: 'resource.conflict' });
    }
  });

  it('are read and changed by their ids; those that lead to nothing else are none', async () => {
    const graph = graphOf({ 'GET 701': ok(LISTED), 'POST 701': done });
    expect(await templates.read(graph.acting, '701')).toEqual(LISTED);
    await templates.update(graph.acting, '701', [BODY]);
    expect(graph.asked[1]!.body).toEqual({ components: [BODY] });
    const code = 'whatsapp.template_not_found';
    for (const reply of [refusal(100, 33), refusal(100), refusal(803)]) {
      await expect(templates.read(graphOf({ 'GET 1': reply }).acting, '1')).rejects.toMatchObject({ code });
    }
    await expect(templates.read(graph.acting, '../7')).rejects.toMatchObject({ code });
    await expect(templates.update(graphOf({ 'POST 1': refusal(100, 33) }).acting, '1', [])).rejects.toMatchObject({
      code,
    });
    const wrong = graphOf({ 'POST 1': refusal(100) });
    await expect(templates.update(wrong.acting, '1', [])).rejects.toMatchObject({
      reason: 'invalid_request',
      code: undefined,
    });
  });

  it('are deleted by name; one that is there and cannot be is in use', async () => {
    const gone = graphOf({ [`DELETE ${EDGE}`]: done });
    await templates.remove(gone.acting, 'order_left');
    expect(gone.asked[0]!.query).toEqual({ name: 'order_left' });
    const remove = (reply: ReturnType<typeof refusal>, ...data: object[]) =>
      templates.remove(graphOf({ [`DELETE ${EDGE}`]: reply, [`GET ${EDGE}`]: ok({ data }) }).acting, 'order_left');
    await expect(remove(refusal(100, 33))).rejects.toMatchObject({ code: 'whatsapp.template_not_found' });
    await expect(remove(refusal(100, 2593002))).rejects.toMatchObject({ code: 'whatsapp.template_not_found' });
    await expect(remove(refusal(100), LISTED)).rejects.toMatchObject({ code: 'resource.conflict' });
    await expect(remove(refusal(10))).rejects.toMatchObject({ reason: 'permission_denied' });
  });

  it('are sent with their values, to a number or to who has none', async () => {
    const accepted = {
      contacts: [{ input: '+49', wa_id: '4915' }],
      messages: [{ id: 'wamid.1', message_status: 'accepted' }],
    };
    const graph = graphOf({
      [`POST ${NUMBER}/messages`]: [
        ok(accepted),
        ok({ ...accepted, contacts: [{ user_id: 'DE.7' }] }),
        ok({ messages: [{ id: 'wamid.3' }] }),
      ],
    });
    const ask = {
      to: '4915',
      template_name: 'order_left',
      language: 'en_US',
      components: [
        { type: 'body', parameters: [{ type: 'text', text: 'Ann' }] },
        { type: 'button', parameters: [{ type: 'payload', payload: 'YES' }] },
        { type: 'button', parameters: [{ type: 'text', text: 'path' }] },
        { type: 'button', sub_type: 'copy_code', index: '5', parameters: [{ type: 'coupon_code', coupon_code: 'X' }] },
      ],
    };
    const { send } = templates.send;
    expect(await send(graph.acting, ask, STATE)).toMatchObject({
      message_id: 'wamid.1',
      recipient: '4915',
      message_status: 'accepted',
      conversation: { platform_id: '4915', participant: { id: '4915' } },
    });
    expect(graph.asked[0]!.body).toMatchObject({
      to: '4915',
      type: 'template',
      template: {
        name: 'order_left',
        language: { policy: 'deterministic', code: 'en_US' },
        components: [
          ask.components[0],
          { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'YES' }] },
          { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'path' }] },
          ask.components[3],
        ],
      },
      biz_opaque_callback_data: 'snd_1.0',
    });
    const hidden = await send(graph.acting, { ...ask, to: 'DE.7' }, STATE);
    expect([graph.asked[1]!.body.recipient, graph.asked[1]!.body.to]).toEqual(['DE.7', undefined]);
    expect(hidden).toMatchObject({ recipient: 'DE.7', conversation: { platform_id: 'DE.7' } });
    expect(await send(graph.acting, ask, STATE)).toMatchObject({
      recipient: '4915',
      conversation: { platform_id: '4915' },
    });
  });
});

const header = (more: object) => ({ type: 'HEADER', ...more });
const buttons = (...all: object[]) => ({ type: 'BUTTONS', buttons: all });
const quick = { type: 'QUICK_REPLY', text: 'Yes' };

describe('the check of a draft', () => {
  const check = (components: readonly object[], more: object = {}) =>
    checkTemplate({ ...DRAFT, ...more, components: components as never });
  const fields = (issues: readonly { field: string }[]) => issues.map(({ field }) => field);

  it.each([
    [[BODY]],
    [[header({ format: 'TEXT', text: 'Order' }), BODY, { type: 'FOOTER', text: 'Shop' }, buttons(quick)]],
    [[header({ format: 'LOCATION' }), BODY]],
    [[header({ format: 'TEXT', text: 'Order' }), { type: 'BODY', text: 'x'.repeat(1024) }]],
    [[{ type: 'BODY', text: 'Hello {{name}}, bye.', example: {} }]],
    [[BODY, buttons({ type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' }, quick)]],
    [[{ type: 'BODY', text: '🥖'.repeat(1024) }]],
    [[{ type: 'LIMITED_TIME_OFFER' }, BODY]],
  ])('finds nothing wrong with %j', (components) => {
    expect(check(components)).toEqual({ errors: [], warnings: [] });
  });

  it.each([
    [[], ['components']],
    [[{ type: 'FOOTER', text: 'Shop' }], ['components']],
    [[BODY, BODY], ['components.1.type']],
    [[{ type: 'BODY' }], ['components.0.text']],
    [[{ type: 'BODY', text: ' ' }], ['components.0.text']],
    [[{ type: 'BODY', text: 'x'.repeat(1025) }], ['components.0.text']],
    [[{ type: 'BODY', text: 'a {{2}} b' }], ['components.0.text']],
    [[{ type: 'BODY', text: 'a {{0}} b {{1}}.' }], ['components.0.text']],
    [[{ type: 'BODY', text: 'a {{1}} b {{name}} c' }], ['components.0.text']],
    [[{ type: 'BODY', text: 'a {{Name}} c' }], ['components.0.text']],
    [[{ type: 'BODY', text: 'a {{1} c' }], ['components.0.text']],
    [[header({ format: 'TEXT', text: 'x'.repeat(61) }), BODY], ['components.0.text']],
    [[header({ format: 'TEXT', text: 'a {{1}} b {{2}} c', example: {} }), BODY], ['components.0.text']],
    [[header({ format: 'SONG' }), BODY], ['components.0.format']],
    [[header({}), BODY], ['components.0.format']],
    [[BODY, { type: 'FOOTER', text: 'By {{1}}.' }], ['components.1.text']],
    [[BODY, { type: 'CHORUS' }], ['components.1.type']],
    [[BODY, buttons()], ['components.1.buttons']],
    [[BODY, buttons(...Array.from({ length: 11 }, () => quick))], ['components.1.buttons']],
    [[BODY, buttons({ type: 'BELL', text: 'a' })], ['components.1.buttons.0.type']],
    [[BODY, buttons({ type: 'QUICK_REPLY' })], ['components.1.buttons.0.text']],
    [[BODY, buttons({ ...quick, text: 'x'.repeat(26) })], ['components.1.buttons.0.text']],
    [[BODY, buttons({ type: 'URL', text: 'Open' })], ['components.1.buttons.0.url']],
    [[BODY, buttons({ type: 'PHONE_NUMBER', text: 'Call' })], ['components.1.buttons.0.phone_number']],
    [[BODY, buttons({ type: 'COPY_CODE' })], ['components.1.buttons.0.example']],
  ])('finds what is wrong with %j', (components, wrong) => {
    const { errors } = check(components);
    expect(fields(errors)).toEqual(wrong);
    for (const { field, component_index } of errors) {
      expect(component_index).toBe(field.includes('.') ? Number(field.split('.')[1]) : undefined);
    }
  });

  it('finds what is wrong with the rest, and what WhatsApp is likely to refuse', () => {
    const { errors } = check([BODY], { name: 'Order', category: 'NEWS', language: 'English' });
    expect(fields(errors)).toEqual(['name', 'category', 'language']);
    expect(fields(check([], { name: 'x'.repeat(513) }).errors)).toEqual(['name', 'components']);
    const { errors: none, warnings } = check([header({ format: 'IMAGE' }), { type: 'BODY', text: 'Hello {{1}}' }]);
    expect([none, fields(warnings)]).toEqual([
      [],
      ['components.0.example', 'components.1.text', 'components.1.example'],
    ]);
  });

  it('leaves the texts of one-time codes to WhatsApp', () => {
    const code = [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      buttons({ type: 'OTP', otp_type: 'COPY_CODE' }),
    ];
    expect(check(code, { category: 'AUTHENTICATION' })).toEqual({ errors: [], warnings: [] });
    expect(fields(check(code).errors)).toEqual(['components.0.text', 'components.1.text']);
  });
});
