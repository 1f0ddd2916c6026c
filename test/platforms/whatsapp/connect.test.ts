import { describe, expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { codeOf } from '#platforms/refusal.ts';
import { errorOf } from '#platforms/whatsapp/errors.ts';
import { whatsapp } from '#platforms/whatsapp/index.ts';
import type { OAuthConnect } from '#platforms/connect.ts';
import { graphOf, NUMBER, refusal, WABA } from '../../harness/platforms/whatsapp-samples.ts';
import { ok, type Script } from '../../harness/platforms/script.ts';

const client = { clientId: '42', clientSecret: 'shh' };
const callback = 'https://rostra.example/connect/whatsapp/callback';
const connect = whatsapp.connect as OAuthConnect;

const number = (id: string, more: object = {}) => ({
  id,
  display_phone_number: '+1 555-078-3881',
  verified_name: 'Harbour Coffee',
  status: 'CONNECTED',
  quality_rating: 'GREEN',
  code_verification_status: 'VERIFIED',
  ...more,
});
const inspected = (wabas: readonly string[], more: object = {}) =>
  ok({
    data: {
      app_id: '42',
      user_id: '9001',
      expires_at: 0,
      scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
      granular_scopes: [
        { scope: 'whatsapp_business_management', target_ids: wabas },
        { scope: 'whatsapp_business_messaging', target_ids: wabas },
        { scope: 'business_management' },
      ],
      ...more,
    },
  });
const script = (more: Script = {}): Script => ({
  'GET /oauth/access_token': ok({ access_token: 'TOKEN', token_type: 'bearer' }),
  'GET /debug_token': inspected([WABA]),
  [`GET /${WABA}/phone_numbers`]: ok({ data: [number(NUMBER)], paging: { cursors: { after: 'x' } } }),
  ...more,
});
const finish = (graph: ReturnType<typeof graphOf>, metadata: Record<string, string> = {}) =>
  connect.finish(graph.bare, { params: { code: 'CODE' }, secrets: {}, callback, client, metadata });

describe('embedded sign-up', () => {
  it('is the dialog with our configuration, or without one with the permissions alone', async () => {
    const { bare } = graphOf({});
    const ask = { state: 'S', callback, client, metadata: {} };
    const settings = { WHATSAPP_CONFIG_ID: '12345' };
    const { url } = await connect.begin({ ...bare, settings }, ask);
    expect(url.split('?')[0]).toBe('https://www.facebook.com/v25.0/dialog/oauth');
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_id: '42',
      config_id: '12345',
      override_default_response_type: 'true',
      response_type: 'code',
      redirect_uri: callback,
      state: 'S',
    });
    const plain = new URL((await connect.begin(bare, ask)).url).searchParams;
    expect([plain.has('config_id'), plain.get('scope')]).toEqual([
      false,
      'whatsapp_business_management,whatsapp_business_messaging',
    ]);
  });

  it('makes an account of the number, with the business account it belongs to', async () => {
    const graph = graphOf(script());
    expect(await finish(graph)).toEqual([
      {
        profile: {
          platform_user_id: NUMBER,
          username: '+1 555-078-3881',
          name: 'Harbour Coffee',
          profile_url: 'https://wa.me/15550783881',
          metadata: {
            phone_number_id: NUMBER,
            waba_id: WABA,
            login_id: '9001',
            scopes_granted: ['whatsapp_business_management', 'whatsapp_business_messaging'],
            scopes_missing: [],
            unavailable: [],
            login_expires_at: null,
            number_status: 'CONNECTED',
            quality_rating: 'GREEN',
            code_verification_status: 'VERIFIED',
          },
        },
        session: { token: 'TOKEN', phone_number_id: NUMBER, waba_id: WABA, app_id: '42' },
        grant: `whatsapp:42:${WABA}`,
      },
    ]);
    const [exchange, inspection] = graph.asked;
    expect(exchange!.query).toEqual({ client_id: '42', client_secret: 'shh', code: 'CODE', redirect_uri: callback });
    expect(inspection!.query).toEqual({ input_token: 'TOKEN' });
    expect(inspection!.request.headers).toMatchObject({ authorization: 'Bearer 42|shh' });
  });

  const two = (more: Script = {}) =>
    script({
      'GET /debug_token': inspected([WABA, '777777'], { expires_at: 1_763_700_000 }),
      [`GET /${WABA}/phone_numbers`]: [
        ok({ data: [number('100001')], paging: { cursors: { after: 'p2' }, next: 'https://x' } }),
        ok({ data: [number('100002'), number('100003', { status: 'DELETED' })] }),
      ],
      'GET /777777/phone_numbers': ok({ data: [number('100004', { verified_name: undefined })] }),
      ...more,
    });

  it('shows every number of every business account, but for those that are gone', async () => {
    const found = await finish(graphOf(two()));
    expect(found.map(({ profile }) => [profile.platform_user_id, profile.name, profile.metadata!['waba_id']])).toEqual([
      ['100001', 'Harbour Coffee', WABA],
      ['100002', 'Harbour Coffee', WABA],
      ['100004', '+1 555-078-3881', '777777'],
    ]);
    expect(found[0]!.profile.metadata!['login_expires_at']).toBe('2025-11-21T04:40:00.000Z');
  });

  it('takes an end that no date can have for none', async () => {
    const endless = script({ 'GET /debug_token': inspected([WABA], { expires_at: 1e300 }) });
    const [account] = await finish(graphOf(endless));
    expect(account!.profile.metadata!['login_expires_at']).toBeNull();
  });

  it.each([WABA, '777777'])('shows the numbers of the others where business account %s is closed', async (closed) => {
    const shut = { [`GET /${closed}/phone_numbers`]: refusal(10) };
    const found = await finish(graphOf(two(shut)));
    const wabas = new Set(found.map(({ profile }) => profile.metadata!['waba_id']));
    expect([...wabas]).toEqual([WABA, '777777'].filter((waba) => waba !== closed));
    const none = finish(graphOf({ ...script(shut), 'GET /debug_token': inspected([closed]) }));
    await expect(none).rejects.toMatchObject({ reason: 'permission_denied' });
  });

  it.each([
    ['under a permission that nobody asked for', [{ scope: 'whatsapp_business_manage_events', target_ids: [WABA] }]],
    ['under a permission for all of them', [{ scope: 'whatsapp_business_management' }]],
  ])('finds business accounts %s', async (_what, granular_scopes) => {
    const found = await finish(
      graphOf(
        script({
          'GET /debug_token': inspected([], { granular_scopes }),
          'GET /9001/assigned_whatsapp_business_accounts': ok({ data: [{ id: WABA }] }),
        }),
      ),
    );
    expect(found.map(({ profile }) => profile.platform_user_id)).toEqual([NUMBER]);
  });

  it('takes the number that the caller names', async () => {
    const found = await finish(graphOf(two()), { phone_number_id: '100002' });
    expect(found.map(({ profile }) => profile.platform_user_id)).toEqual(['100002']);
    await expect(finish(graphOf(two()), { phone_number_id: '100009' })).rejects.toMatchObject({
      kind: 'refused',
      reason: 'not_found',
      message: expect.stringContaining('100009'),
    });
  });

  it.each([
    [
      'no business account',
      { 'GET /debug_token': inspected([]), 'GET /9001/assigned_whatsapp_business_accounts': ok({ data: [] }) },
      'not_found',
    ],
    ['no number', { [`GET /${WABA}/phone_numbers`]: ok({ data: [] }) }, 'not_found'],
    ['a code that was used', { 'GET /oauth/access_token': refusal(100) }, 'invalid_request'],
    ['a wrong secret', { 'GET /oauth/access_token': refusal(101) }, 'permission_denied'],
  ] as const)('with %s is refused by name', async (_what, more, reason) => {
    await expect(finish(graphOf(script(more)))).rejects.toMatchObject({ kind: 'refused', reason });
  });
});

describe('a key', () => {
  const login = (graph: ReturnType<typeof graphOf>, fields: Record<string, string> = {}) =>
    connect.byKey!.login(graph.bare, { access_token: 'TOKEN', phone_number_id: NUMBER, ...fields });

  it('finds the business account by what the token says of itself', async () => {
    const graph = graphOf(script());
    expect(await login(graph)).toMatchObject({
      profile: { platform_user_id: NUMBER, metadata: { waba_id: WABA } },
      session: { token: 'TOKEN', waba_id: WABA, app_id: '42' },
    });
    expect(graph.calls()).toEqual(['GET /debug_token', `GET /${WABA}/phone_numbers`]);
    expect(graph.asked[0]!.request.headers).toMatchObject({ authorization: 'Bearer TOKEN' });
  });

  it('works with the business account named, though the token says nothing', async () => {
    const graph = graphOf(script({ 'GET /debug_token': refusal(100) }));
    expect(await login(graph, { waba_id: WABA })).toMatchObject({ session: { waba_id: WABA } });
    await expect(login(graph)).rejects.toMatchObject({ reason: 'not_found' });
  });

  it('that is wrong, or not for this number, is refused', async () => {
    const dead = graphOf(script({ 'GET /debug_token': refusal(190) }));
    await expect(login(dead)).rejects.toMatchObject({ kind: 'refused', reason: 'auth' });
    await expect(login(graphOf(script()), { phone_number_id: '555555' })).rejects.toMatchObject({
      message: expect.stringContaining('555555'),
    });
  });

  it.each(['TOKEN\nHost: example.org', 'TÖKEN', 'T'.repeat(5000)])(
    'that no request can carry is refused before any',
    async (access_token) => {
      const graph = graphOf(script());
      await expect(login(graph, { access_token })).rejects.toMatchObject({ reason: 'invalid_request' });
      expect(graph.calls()).toEqual([]);
    },
  );
});

describe('an error', () => {
  const shown = (status: number, error: object) => {
    const found = errorOf({ status, headers: {}, body: { error } });
    expect(found).toBeInstanceOf(PlatformError);
    return [found!.kind, codeOf('whatsapp', found!)];
  };

  it.each([
    [400, 131047, 'refused', 'whatsapp.window_closed'],
    [400, 131026, 'refused', 'whatsapp.undeliverable'],
    [400, 131050, 'refused', 'whatsapp.user_opted_out'],
    [404, 132001, 'refused', 'whatsapp.template_not_found'],
    [400, 132015, 'refused', 'whatsapp.template_paused'],
    [400, 131049, 'throttled', 'whatsapp.frequency_cap'],
    [429, 131056, 'throttled', 'whatsapp.pair_rate_limit'],
    [400, 131056, 'throttled', 'whatsapp.pair_rate_limit'],
    [429, 130429, 'throttled', 'whatsapp.throughput_exceeded'],
    [429, 80007, 'throttled', 'platform.whatsapp.rate_limit'],
    [429, 4, 'throttled', 'platform.whatsapp.rate_limit'],
    [401, 0, 'refused', 'platform.whatsapp.auth'],
    [401, 190, 'refused', 'platform.whatsapp.auth'],
    [403, 131031, 'refused', 'platform.whatsapp.blocked'],
    [400, 131009, 'refused', 'platform.whatsapp.invalid_request'],
    [400, 133010, 'refused', 'platform.whatsapp.permission_denied'],
    [400, 131016, 'unknown', 'platform.whatsapp.api_error'],
    [500, 131047, 'unknown', 'platform.whatsapp.api_error'],
    [400, 999999, 'unknown', 'whatsapp.unknown'],
  ])('%i with %i is %s, %s', (status, code, kind, name) => {
    expect(shown(status, { code, message: 'no' })).toEqual([kind, name]);
  });

  it('of too many requests without a number is a throttle', () => {
    expect(shown(429, {})).toEqual(['throttled', 'platform.whatsapp.rate_limit']);
  });
});

describe('the limit of people written to', () => {
  it.each([
    ['TIER_250', { daily_recipients: 250 }],
    ['TIER_2K', { daily_recipients: 2000 }],
    ['TIER_100K', { daily_recipients: 100_000 }],
    ['TIER_UNLIMITED', {}],
    ['UNLIMITED', {}],
    [undefined, {}],
  ])('is that of the portfolio, such as %s', async (limit, expected) => {
    const { acting, asked } = graphOf({
      [`GET /${NUMBER}`]: ok({ id: NUMBER, whatsapp_business_manager_messaging_limit: limit }),
    });
    expect(await whatsapp.limits!(acting)).toEqual(expected);
    expect(asked[0]!.query['fields']).toBe('whatsapp_business_manager_messaging_limit');
  });
});
