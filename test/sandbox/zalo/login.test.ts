import { MINUTE, DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { macOf } from '#sandbox/zalo/pushes.ts';
import {
  CHALLENGE,
  OLIVIA,
  openZaloWorld,
  REDIRECT,
  SAM,
  VERIFIER,
  type ZaloWorld,
} from '../../harness/worlds/twins/zalo.ts';

// Zalo publishes neither a schema nor a client that could be pointed at the simulator: nothing that somebody else wrote
// checks it. Its signatures are compared with the vector of the contract, below.

let world: ZaloWorld;
beforeAll(async () => {
  world = await openZaloWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
});
afterAll(() => world.close());

const exchange = (code: string, more = {}, secret?: string) =>
  world.token({ grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...more }, secret);
const renew = (refresh_token: string) => world.token({ grant_type: 'refresh_token', refresh_token });

describe('the consent page', () => {
  it('lets an official account in through its form', async () => {
    const shown = await world.ask(world.dialog());
    expect(shown.text).toContain('Harbour Coffee');
    expect(shown.text).not.toMatch(/\bFred\b/);
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
    const [person] = /(?<=name="person" value=")\d+/.exec(shown.text)!;
    const send = async (choice: string) => {
      const body = new URLSearchParams({ form_token, person, choice });
      const headers = { cookie, origin: world.root };
      return new URL((await world.ask(world.dialog(), { method: 'POST', headers, body })).headers.get('location')!);
    };
    const target = await send('allow');
    expect(target.origin + target.pathname).toBe(REDIRECT);
    const { code, ...answer } = Object.fromEntries(target.searchParams);
    expect(answer).toEqual({ oa_id: person, state: 's1', code_challenge: CHALLENGE });
    const { json } = await exchange(code!);
    expect((await world.get('/v2.0/oa/getoa', json.access_token)).json.data).toMatchObject({
      oaid: person,
      name: 'Harbour Coffee',
      num_follower: 0,
    });
    expect([...(await send('deny')).searchParams.keys()]).toEqual(['error', 'error_description', 'state']);
  });

  it.each<Record<string, string>>([
    { app_id: 'other' },
    { redirect_uri: 'https://evil.example/x' },
    { code_challenge: '' },
    { code_challenge: 'short' },
  ])('refuses %o on its own page', async (params) => {
    const reply = await world.ask(world.dialog(params));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });

  it('takes exactly the callback of the settings, once there is one', async () => {
    await world.act('settings', { callback_url: `${REDIRECT}/exact` });
    expect((await world.ask(world.dialog())).status).toBe(400);
    expect((await world.ask(world.dialog({ redirect_uri: `${REDIRECT}/exact` }))).status).toBe(200);
  });
});

describe('tokens', () => {
  it('come for a code once, within ten minutes, to whoever has the verifier and the secret', async () => {
    const code = await world.code();
    expect((await exchange(code, {}, 'wrong')).json).toMatchObject({ error: -14_004, error_name: expect.any(String) });
    expect((await exchange(code, { app_id: 'other' })).json.error).toBe(-14_002);
    expect((await exchange(code, { code_verifier: 'short' })).json.error).toBe(-14_008);
    expect((await exchange(code, { code_verifier: VERIFIER.toLowerCase() })).json.error).toBe(-14_008);
    const reply = await exchange(code);
    expect([reply.status, reply.json]).toEqual([
      200,
      { access_token: expect.any(String), refresh_token: expect.any(String), expires_in: '90000' },
    ]);
    expect([(await exchange(code)).status, (await exchange(code)).json.error]).toEqual([200, -14_019]);
    const old = await world.code();
    world.clock.move(10 * MINUTE);
    expect((await exchange(old)).json.error).toBe(-14_019);
  });

  it('are refused by a name alone, when told so', async () => {
    await world.act('settings', { named_refusals: true });
    expect((await exchange('none')).json).toEqual({
      error_name: 'Invalid authorization code',
      error_description: expect.any(String),
      error_reason: expect.any(String),
      ref_doc: '',
    });
  });

  it('live for 25 hours, and their refresh tokens work once, for three months', async () => {
    const first = await world.pair();
    world.clock.move(25 * 60 * MINUTE);
    expect((await world.get('/v2.0/oa/getoa', first.access_token)).json).toEqual({
      error: -220,
      message: expect.any(String),
    });
    const second = (await renew(first.refresh_token)).json;
    expect((await world.get('/v2.0/oa/getoa', second.access_token)).json.error).toBe(0);
    expect(await renew(first.refresh_token)).toMatchObject({ status: 200, json: { error: -14_014 } });
    expect(await world.list('reused')).toContainEqual(expect.objectContaining({ kind: 'refresh', reused: 1 }));
    world.clock.move(90 * DAY);
    expect((await renew(second.refresh_token)).json.error).toBe(-14_014);
  });

  it('are numbers where the twin is told so', async () => {
    await world.act('settings', { plain_numbers: true });
    expect((await world.pair()).expires_in).toBe(90_000);
  });

  it('go in a header of their own, and die when the account removes the app, which hears nothing more', async () => {
    const token = await world.login();
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect((await world.ask(`${world.at}/openapi/v2.0/oa/getoa`, bearer)).json.error).toBe(-216);
    expect((await world.get('/v2.0/oa/getoa', 'nonsense')).json.error).toBe(-216);
    const other = await world.login(SAM);
    await world.act('revoke_app', { account: OLIVIA });
    expect((await world.get('/v2.0/oa/getoa', token)).json.error).toBe(-220);
    expect((await world.get('/v2.0/oa/getoa', other)).json.error).toBe(0);
    await world.act('write', { person: 'fred.sandbox.test', account: OLIVIA, text: 'Hello?' });
    expect(world.events()).toEqual([]);
  });

  it('count the calls of a minute', async () => {
    await world.act('settings', { calls_per_minute: 2 });
    const token = await world.login();
    world.clock.move(MINUTE);
    const calls = [];
    for (let n = 0; n < 3; n += 1) calls.push(await world.get('/v2.0/oa/getoa', token));
    expect(calls.map(({ json, headers }) => [json.error, headers.get('x-ratelimit-remain')])).toEqual([
      [0, '1'],
      [0, '0'],
      [-32, '0'],
    ]);
    expect(calls[2]!.headers.get('x-ratelimit-limit')).toBe('2');
  });
});

it('signs by a plain digest, as the vector of the contract says', () => {
  const body = '{"app_id":"123","event_name":"user_send_text","timestamp":"1700000000000"}';
  expect(macOf('123', body, '1700000000000', 'oa_secret')).toBe(
    'mac=b0e32a0ee6de66a266f72aa8d02110386c7da9d760268a4287b0024972920198',
  );
});
