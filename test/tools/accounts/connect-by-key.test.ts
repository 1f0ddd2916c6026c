import { describe, expect, it } from 'vitest';
import type { DirectConnect, OAuthConnect } from '#platforms/connect.ts';
import type { Platform } from '#platforms/platform.ts';
import {
  consentPage,
  consentPlatform,
  landedAt,
  profileOf,
  REDIRECT,
  type Script,
} from '../../harness/worlds/consent.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { fillIn } from './form.ts';

const SLUG = 'google';

const byKey = (revoked: string[]): DirectConnect => ({
  kind: 'direct',
  form: [{ name: 'apikey', label: 'API key', hint: '', type: 'password', required: true }],
  required: ['apikey'],
  login: async (_call, { apikey }) => profileOf(apikey!),
  revoke: async ({ session }) => void revoked.push(String(session['token'])),
});

type Parts = Partial<Pick<Platform, 'settings'>> & Readonly<{ connect?: Partial<OAuthConnect> }>;

/** A world whose platform asks for consent; `connect` is what it can do besides. */
async function scene({ connect = {}, ...parts }: Parts = {}, env?: Record<string, string>) {
  const script: Script = { profiles: [profileOf('1')], finished: [], revoked: [] };
  const consent = consentPlatform(SLUG, script);
  const platform: Platform = { ...consent, ...parts, connect: { ...(consent.connect as OAuthConnect), ...connect } };
  const world = await makeWorld({ ...(env && { env }), surroundings: { platforms: new Map([[SLUG, platform]]) } });
  return { world, script };
}

const connect = (world: World, metadata: object = {}) =>
  world.rest('POST /v1/accounts/connect', { platform: SLUG, redirect_uri: REDIRECT, metadata });

const WITHOUT_APP = { SANDBOX: 'off' };

describe('credentials beside consent', () => {
  it('connect at once when metadata has them, and are revoked as such', async () => {
    const revoked: string[] = [];
    const { world, script } = await scene({ connect: { byKey: byKey(revoked) } });
    const { status, body } = await connect(world, { apikey: 'k1' });
    expect([status, body.username]).toEqual([201, 'user.k1']);
    expect((await world.rest(`DELETE /v1/accounts/${body.account_id}`)).body).toMatchObject({ revoked: true });
    expect([revoked, script.revoked]).toEqual([['token-k1'], []]);
  });

  it('connect an account whose texts no store would hold, with what remains of them', async () => {
    const login: DirectConnect['login'] = async () => {
      const connected = profileOf('k1');
      const metadata = { note: 'c\ud800' };
      return { ...connected, profile: { ...connected.profile, name: 'a\0b', bio: 'b\ud800', metadata } };
    };
    const { world } = await scene({ connect: { byKey: { ...byKey([]), login } } });
    expect((await connect(world, { apikey: 'k1' })).body.display_name).toBe('ab');
    const { data } = (await world.rest('GET /v1/accounts')).body;
    expect(data).toMatchObject([{ name: 'ab', metadata: { note: 'c\ufffd' } }]);
  });

  it('have a form, which the page before the consent leads to', async () => {
    const { world } = await scene({ connect: { byKey: byKey([]) } });
    const { auth_url } = (await connect(world)).body;
    const html = await (await fetch(auth_url)).text();
    expect(html).toContain('https://consent.example/');
    const form = /href="([^"]*\/form\?[^"]*)"/.exec(html)![1]!;
    const landed = await fillIn(world, new URL(form, auth_url).href, { apikey: 'k2' });
    expect(landed).toMatchObject({ status: 'success', platform: SLUG });
  });

  it('are the way in where no app is configured', async () => {
    const { world } = await scene({ connect: { byKey: byKey([]) } }, WITHOUT_APP);
    const { status, body } = await connect(world);
    expect([status, new URL(body.auth_url).pathname]).toEqual([202, `/connect/${SLUG}/form`]);
    expect(await fillIn(world, body.auth_url, { apikey: 'k3' })).toMatchObject({ status: 'success' });
    const instead = body.auth_url.replace('/form?', '/go?');
    expect((await fetch(instead)).status).toBe(403);
  });

  it('are no way in where the platform takes none', async () => {
    const { world } = await scene({}, WITHOUT_APP);
    const { status, body } = await connect(world, { apikey: 'k4' });
    const error = { code: 'byok.credentials_missing', meta: { field: 'GOOGLE_CLIENT_ID' } };
    expect([status, body.error]).toMatchObject([412, error]);
  });
});

describe('metadata of a consent', () => {
  const metadata = { number: /^\d{5,20}$/ };

  it('reaches its begin and its finish, and nothing else of what was sent does', async () => {
    const begun: unknown[] = [];
    const begin: OAuthConnect['begin'] = async (_call, ask) => {
      begun.push(ask.metadata);
      const { state, callback, client } = ask;
      const query = new URLSearchParams({ state, callback, client_id: client.clientId });
      return { url: `https://consent.example/?${query.toString()}`, secrets: {} };
    };
    const { world, script } = await scene({ connect: { metadata, begin } });
    const page = await consentPage(world, { metadata: { number: '12345', password: 'hidden', apikey: 5 } });
    expect(landedAt(await page.back({ code: 'c' }))).toMatchObject({ status: 'success' });
    expect(begun).toEqual([{ number: '12345' }]);
    expect(script.finished).toMatchObject([{ metadata: { number: '12345' } }]);
  });

  it('reaches the finish of a code that a client exchanges itself', async () => {
    const { world, script } = await scene({ connect: { metadata } });
    const input = { platform: SLUG, code: 'c', metadata: { number: '54321' } };
    expect((await world.rest('POST /v1/oauth/exchange', input)).status).toBe(201);
    expect(script.finished).toMatchObject([{ metadata: { number: '54321' } }]);
  });

  it('is refused when it does not look like what the connector expects', async () => {
    const { world } = await scene({ connect: { metadata } });
    const exchange = (sent: object) =>
      world.rest('POST /v1/oauth/exchange', { platform: SLUG, code: 'c', metadata: sent });
    for (const number of ['abc', 12_345])
      for (const { status, body } of [await connect(world, { number }), await exchange({ number })])
        expect([number, status, body.error?.meta.field]).toEqual([number, 400, 'metadata.number']);
  });
});

it('sends people back to an address with a slash where the app is registered with one', async () => {
  const { world, script } = await scene({ connect: { callbackSlash: true } });
  const page = await consentPage(world);
  expect(page.asked.get('callback')).toBe(`${world.root}/connect/${SLUG}/callback/`);
  expect(landedAt(await page.back({ code: 'c' }))).toMatchObject({ status: 'success' });
  expect(script.finished[0]!.callback).toBe(`${world.root}/connect/${SLUG}/callback/`);
});

it('gives calls the settings of their platform, in the sandbox its own', async () => {
  const settings = [{ name: 'GOOGLE_TOPIC', meaning: 'A topic.', parse: String, sandbox: 'of the sandbox' }];
  const seen: unknown[] = [];
  const byKeyOf: DirectConnect = {
    ...byKey([]),
    login: async (call, { apikey }) => {
      seen.push(call.settings);
      return profileOf(apikey!);
    },
  };
  const { world } = await scene({ settings, connect: { byKey: byKeyOf } });
  expect((await connect(world, { apikey: 'k' })).status).toBe(201);
  expect(seen).toEqual([{ GOOGLE_TOPIC: 'of the sandbox' }]);
});
