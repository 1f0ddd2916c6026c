/** What the simulators of Google's products share, by a small product of its own. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeGoogleApi } from '#sandbox/googleapis/api.ts';
import { openKeys } from '#sandbox/googleapis/keys.ts';
import { LOGIN_SETTINGS, openLogin } from '#sandbox/googleapis/login.ts';
import { cutPage } from '#sandbox/googleapis/paging.ts';
import { openDailyQuota } from '#sandbox/googleapis/quota.ts';
import { makeActs } from '#sandbox/kit/acts.ts';
import { route } from '#sandbox/kit/api/routes.ts';
import { openDocs } from '#sandbox/kit/docs.ts';
import type { TwinOptions } from '#sandbox/kit/options.ts';
import { makePeople, personView, type Person } from '#sandbox/kit/people.ts';
import { openSettings, settingsAct } from '#sandbox/kit/settings.ts';
import { makeTwin } from '#sandbox/kit/twin.ts';
import { openWorld, type World } from '../harness/worlds/twins/bluesky.ts';

const ABOUT = {
  slug: 'toy',
  title: 'Notes',
  entry: 'Connect Olivia.',
  apis: ['oauth2', 'openid', 'googleapis', 'notes'],
  prefix: 'toy',
};
const SCOPE = 'https://www.googleapis.com/auth/notes';
const OTHER = 'https://www.googleapis.com/auth/notes.readonly';
const SETTINGS = { ...LOGIN_SETTINGS, per_minute: 3 };
const DAILY = 100;

/** A product of Google where people keep notes, each in one of two notebooks. */
function openNotes(twin: TwinOptions) {
  const { prefix, slug, title } = ABOUT;
  const docs = openDocs<{ person: Person; note: { id: string; at: number } }>(twin.store, prefix);
  const people = makePeople<Person>(docs, slug, twin.clock, '11000');
  for (const [handle, name] of [
    ['olivia.sandbox.test', 'Olivia Owner'],
    ['sam.sandbox.test', 'Sam Single'],
  ] as const)
    people.add(handle, name, true);
  const settings = openSettings(twin.store, prefix, SETTINGS);
  const keys = openKeys(twin.store, prefix);
  const quota = openDailyQuota(twin.store, prefix, twin.clock);
  const login = openLogin({
    twin,
    slug,
    prefix,
    title,
    scopes: [SCOPE, OTHER],
    settings,
    keys,
    people,
    choices: () =>
      people.all().flatMap(({ id, name }) =>
        ['home', 'work'].map((profile) => ({
          id: `${profile}-${id}`,
          name: `${name}, ${profile}`,
          person: id,
          profile,
        })),
      ),
    picture: (person) => `https://pictures.example/${person}`,
  });
  const api = makeGoogleApi({
    twin,
    slug,
    prefix,
    form: 'legacy',
    login,
    perMinute: () => settings.get('per_minute'),
    charge(service, { verb }) {
      if (!quota.spend(service, verb === 'GET' ? 1 : 50, DAILY)) throw api.refusals.invalid('quota');
    },
  });
  const notes = api.api('notes.googleapis.com', [
    route('GET', '/v1/notes', { scopes: [SCOPE], params: ['pageToken', 'q'] }, ({ params, caller }) => {
      const page = cutPage([1, 2, 3, 4, 5], {
        size: 2,
        token: params.text('pageToken'),
        bound: params.text('q') ?? '',
      });
      if (page === undefined) throw api.refusals.invalid('Invalid page token.');
      return { ...page, of: caller.profiles };
    }),
    route('POST', '/v1/notes', { scopes: [SCOPE] }, ({ params }) => ({ text: params.required('text') })),
  ]);
  return makeTwin({
    ...ABOUT,
    methods: api.methods(),
    areas: { accounts: login.answerConsent, oauth2: api.oauth2, openid: api.openid, googleapis: api.www, notes },
    people: () => people.all().map((person) => personView(slug, person, { posts: 0 })),
    cast: () => [],
    find: (who) => people.find(who)?.id,
    addPerson: (handle, name) => personView(slug, people.add(handle, name, true), { posts: 0 }),
    posts: () => [],
    latest: () => [],
    conversations: () => [],
    acts: makeActs({
      groups: {},
      acts: { ...login.acts, order: api.orderAct, settings: settingsAct(settings, SETTINGS) },
    }),
    lists: { quota: () => quota.used('notes.googleapis.com') },
    revoke: login.tokens.revoke,
    reset() {
      for (const part of [settings, login.tokens, api, quota]) part.reset();
    },
  });
}

let world: World;
beforeAll(async () => {
  world = await openWorld({ twins: [{ ...ABOUT, make: openNotes }] });
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world.close());

const REDIRECT = 'http://localhost:9/connect/toy/callback';
const at = (area: string) => `${world.root}/sandbox/toy/${area}`;
const page = (more: Record<string, string> = {}) =>
  `${at('accounts')}/o/oauth2/v2/auth?${new URLSearchParams({ client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: `openid email ${SCOPE}`, state: 's1', access_type: 'offline', ...more }).toString()}`;
const control = async (name: string, input: object) => {
  const headers = { 'content-type': 'application/json' };
  return world.ask(`/sandbox/__control/toy/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
};
const act = async (name: string, input: object) => (await control(name, input)).json.data.done;
const form = (path: string, fields: Record<string, string>) =>
  world.ask(`${at('oauth2')}/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
const APP = { client_id: 'sandbox', client_secret: 'sandbox' };
async function agree(more: Record<string, string> = {}, choice: object = {}): Promise<URL> {
  const { location } = await act('consent', { url: page(more), person: 'olivia.sandbox.test', ...choice });
  return new URL(location);
}
const redeem = (code: string, more: Record<string, string> = {}) =>
  form('token', { ...APP, grant_type: 'authorization_code', redirect_uri: REDIRECT, code, ...more });
const login = async (more = {}, choice = {}) =>
  (await redeem((await agree(more, choice)).searchParams.get('code')!)).json;
const refresh = (refresh_token: string) => form('token', { ...APP, grant_type: 'refresh_token', refresh_token });
const ask = (token: string, path = '', init: RequestInit = {}) =>
  world.ask(`${at('notes')}/v1/notes${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });

describe('the consent page', () => {
  it('answers code, scopes by their long names and the state', async () => {
    const back = await agree();
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^4\/0A/),
      scope: `openid https://www.googleapis.com/auth/userinfo.email ${SCOPE}`,
      authuser: '0',
      prompt: 'consent',
      state: 's1',
    });
    expect((await agree({}, { deny: true })).search).toBe('?error=access_denied&state=s1');
  });

  it('takes registered addresses and known parameters alone', async () => {
    const wrong: Record<string, string>[] = [
      { redirect_uri: `${REDIRECT}/` },
      { redirect_uri: `${REDIRECT}?x=1` },
      { redirect_uri: 'https://elsewhere.example/connect/toy/callback' },
      { client_id: 'else' },
      { scope: 'https://www.googleapis.com/auth/drive' },
      { scope: ' ' },
      { response_type: 'token' },
      { access_type: 'always' },
      { prompt: 'login' },
      { code_challenge: 'x', code_challenge_method: 'plain' },
    ];
    for (const more of wrong) {
      const shown = await world.ask(page(more));
      expect([more, shown.status]).toEqual([more, 400]);
      expect(shown.text).toMatch(/Error 40[01]: /);
    }
    const shown = (await world.ask(page())).text;
    expect(shown).toContain('Olivia Owner, work');
  });

  it('binds a grant to the profile that was chosen', async () => {
    const { id } = world.sandbox.people()[1]!;
    const { access_token } = await login({}, { person: `work-${id}` });
    expect((await ask(access_token)).json.of).toEqual(['work']);
    const byName = await login({ prompt: 'consent' }, { person: 'sam.sandbox.test', profiles: 'home' });
    expect((await ask(byName.access_token)).json.of).toEqual(['home']);
  });

  it('grants no more than was ticked, and what was granted before where the app says so', async () => {
    const both = { scope: `${SCOPE} ${OTHER}` };
    expect((await login(both, { scopes: OTHER })).scope).toBe(OTHER);
    const next = await login({ include_granted_scopes: 'true', scope: SCOPE });
    expect(next.scope).toBe(`${OTHER} ${SCOPE}`);
    const { access_token } = await login({ scope: OTHER });
    expect(await ask(access_token)).toMatchObject({
      status: 403,
      json: { error: { status: 'PERMISSION_DENIED', errors: [{ reason: 'insufficientPermissions' }] } },
    });
  });
});

describe('tokens', () => {
  it('have a refresh token after the first consent, and later only with prompt=consent and offline access', async () => {
    const first = await login();
    expect(first).toMatchObject({ expires_in: 3599, token_type: 'Bearer', refresh_token: expect.any(String) });
    expect(await login()).not.toHaveProperty('refresh_token');
    expect(await login({ prompt: 'consent', access_type: 'online' })).not.toHaveProperty('refresh_token');
    const again = await login({ prompt: 'consent' });
    expect(again.refresh_token).not.toBe(first.refresh_token);
    await act('settings', { no_refresh_token: true });
    expect(await login({ prompt: 'consent' })).not.toHaveProperty('refresh_token');
    expect((await refresh(first.refresh_token)).status).toBe(200);
  });

  it('are refreshed by the same token until nobody used it for half a year', async () => {
    const { access_token, refresh_token } = await login();
    world.clock.move(3_600_000);
    expect(await ask(access_token)).toMatchObject({
      status: 401,
      json: { error: { errors: [{ reason: 'authError' }] } },
    });
    const next = await refresh(refresh_token);
    expect(next.json).not.toHaveProperty('refresh_token');
    expect((await ask(next.json.access_token)).status).toBe(200);
    expect((await ask(refresh_token)).status).toBe(401);
    for (let month = 0; month < 7; month += 1) {
      world.clock.move(30 * 86_400_000);
      expect((await refresh(refresh_token)).status).toBe(200);
    }
    world.clock.move(180 * 86_400_000);
    const dead = { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' };
    expect(await refresh(refresh_token)).toMatchObject({ status: 400, json: dead });
  });

  it('live a week while the app is in testing, and a hundred of a person at most', async () => {
    await act('settings', { app_in_testing: true });
    const { refresh_token } = await login();
    world.clock.move(7 * 86_400_000);
    expect((await refresh(refresh_token)).status).toBe(400);
    const second = await login({ prompt: 'consent' });
    for (let count = 0; count < 99; count += 1) await login({ prompt: 'consent', scope: SCOPE });
    expect((await refresh(second.refresh_token)).status).toBe(200);
    await login({ prompt: 'consent' });
    expect((await refresh(second.refresh_token)).status).toBe(400);
  });

  it('come to the right app, for the right code, address and verifier', async () => {
    const verifier = 'a-verifier-that-is-long-enough-to-be-one-of-them';
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const code = (await agree({ code_challenge, code_challenge_method: 'S256' })).searchParams.get('code')!;
    const errors = [
      await redeem(code, { client_secret: 'guess' }),
      await redeem(code, { redirect_uri: 'http://localhost:9/else' }),
      await redeem(code),
      await redeem('guess'),
      await form('token', { ...APP, grant_type: 'password' }),
      await form('token', { ...APP, grant_type: 'authorization_code' }),
      await form('token', { ...APP }),
    ];
    expect(errors.map(({ status, json }) => [status, json.error])).toEqual([
      [401, 'invalid_client'],
      [400, 'redirect_uri_mismatch'],
      [400, 'invalid_grant'],
      [400, 'invalid_grant'],
      [400, 'unsupported_grant_type'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
    ]);
    const basic = { authorization: `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}` };
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
    });
    expect((await world.ask(`${at('oauth2')}/token`, { method: 'POST', headers: basic, body })).status).toBe(200);
  });

  it('end together when one of them is revoked', async () => {
    const one = await login();
    const two = await login({ prompt: 'consent' });
    expect((await form('revoke', { token: 'guess' })).json.error).toBe('invalid_token');
    expect(await form('revoke', { token: two.access_token })).toMatchObject({ status: 200, json: {} });
    expect((await refresh(one.refresh_token)).json.error).toBe('invalid_grant');
    expect((await ask(one.access_token)).status).toBe(401);
    expect((await form('revoke', { token: one.refresh_token })).status).toBe(400);
    // The next consent is a first one again.
    expect(await login()).toHaveProperty('refresh_token');
  });
});

describe('identity', () => {
  it('says of a person what the rights allow, in JWTs that its published keys verify', async () => {
    const { access_token, id_token } = await login({ scope: 'openid email profile' });
    const headers = { authorization: `Bearer ${access_token}` };
    const sub = world.sandbox.people()[0]!.id;
    const named = { name: 'Olivia Owner', given_name: 'Olivia', picture: `https://pictures.example/${sub}` };
    const known = { email: 'olivia@sandbox.test', ...named };
    expect((await world.ask(`${at('openid')}/v1/userinfo`, { headers })).json).toEqual({
      sub,
      email_verified: true,
      ...known,
    });
    expect((await world.ask(`${at('googleapis')}/oauth2/v2/userinfo`, { headers })).json).toEqual({
      id: sub,
      verified_email: true,
      ...known,
    });
    const only = await login({ scope: SCOPE });
    expect(only).not.toHaveProperty('id_token');
    const few = { authorization: `Bearer ${only.access_token}` };
    expect((await world.ask(`${at('openid')}/v1/userinfo`, { headers: few })).json).toEqual({ sub });
    expect((await world.ask(`${at('openid')}/v1/userinfo`)).status).toBe(401);
    const info = await world.ask(`${at('oauth2')}/tokeninfo?access_token=${access_token}`);
    expect(info.json).toMatchObject({ aud: 'sandbox', sub, email: known.email });

    const [jwk] = (await world.ask(`${at('googleapis')}/oauth2/v3/certs`)).json.keys;
    const [head, claims, signature] = id_token.split('.');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toEqual({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' });
    expect(read(claims)).toMatchObject({
      iss: 'https://accounts.google.com',
      aud: 'sandbox',
      sub,
      email_verified: true,
    });
  });
});

describe('calls', () => {
  it('count against the minute of the project', async () => {
    const { access_token } = await login();
    for (let count = 0; count < 3; count += 1) expect((await ask(access_token)).status).toBe(200);
    expect(await ask(access_token)).toMatchObject({
      status: 403,
      json: { error: { errors: [{ reason: 'rateLimitExceeded', domain: 'usageLimits' }] } },
    });
    world.clock.move(60_000);
    expect((await ask(access_token)).status).toBe(200);
    await act('settings', { per_minute: 0 });
    expect((await ask(access_token)).status).toBe(403);
  });

  it('cost what they cost, until midnight Pacific', async () => {
    const { access_token } = await login();
    const post = () => ask(access_token, '', { method: 'POST', body: new URLSearchParams({ text: 'x' }) });
    const used = async () => (await world.ask('/sandbox/__control/toy/quota')).json.data;
    // Also one that is refused for its contents.
    expect((await ask(access_token, '', { method: 'POST' })).json.error.errors).toMatchObject([
      { reason: 'required', location: 'text' },
    ]);
    expect((await post()).status).toBe(200);
    expect(await used()).toBe(100);
    expect((await ask(access_token)).json.error.message).toBe('quota');
    const [hours, minutes] = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'short' })
      .format(world.clock.now())
      .split(':')
      .map(Number);
    const left = ((24 - hours!) * 60 - minutes!) * 60_000 - (world.clock.now() % 60_000);
    world.clock.move(left - 1);
    expect(await used()).toBe(100);
    world.clock.move(1);
    expect(await used()).toBe(0);
  });

  it('page by tokens that are good for one question', async () => {
    const { access_token } = await login();
    const { items, nextPageToken } = (await ask(access_token)).json;
    expect(items).toEqual([1, 2]);
    const second = (await ask(access_token, `?pageToken=${nextPageToken}`)).json;
    expect(second.items).toEqual([3, 4]);
    expect((await ask(access_token, `?q=else&pageToken=${nextPageToken}`)).json.error.message).toBe(
      'Invalid page token.',
    );
    world.clock.move(60_000);
    const last = (await ask(access_token, `?pageToken=${second.nextPageToken}`)).json;
    expect(last.items).toEqual([5]);
    expect(last).not.toHaveProperty('nextPageToken');
    expect((await ask(access_token, '?pageToken=guess')).status).toBe(400);
  });

  it('refuse what they do not know, and go wrong as ordered', async () => {
    const { access_token, refresh_token } = await login();
    expect((await ask(access_token, '?colour=red')).json.error.message).toContain('Unknown name "colour"');
    expect((await ask(access_token, '?alt=json&prettyPrint=false')).status).toBe(200);
    expect((await ask(access_token, '/none')).json.error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
    expect((await ask('guess')).headers.get('www-authenticate')).toContain('invalid_token');
    await act('order', {
      when: 'before',
      status: '503',
      name: 'UNAVAILABLE',
      reason: 'backendError',
      message: 'Down.',
    });
    expect((await ask(access_token)).json.error).toEqual({
      code: 503,
      message: 'Down.',
      errors: [{ message: 'Down.', domain: 'global', reason: 'backendError' }],
      status: 'UNAVAILABLE',
    });
    await act('order', { when: 'before', reason: 'invalid_grant', message: 'No.', method: 'POST /token' });
    expect((await refresh(refresh_token)).json).toEqual({ error: 'invalid_grant', error_description: 'No.' });
  });

  it('know whose they are, so that faults can be aimed at a person', async () => {
    const { access_token, refresh_token } = await login();
    const network = { network: 'toy', person: 'olivia.sandbox.test' };
    world.sandbox.setFault({ ...network, kind: 'expired' });
    expect((await ask(access_token)).status).toBe(401);
    world.sandbox.setFault({ ...network, kind: 'throttled', method: 'POST /token' });
    expect((await refresh(refresh_token)).status).toBe(429);
    world.sandbox.setFault({ ...network, kind: 'revoked' });
    expect((await refresh(refresh_token)).json.error).toBe('invalid_grant');
  });
});
