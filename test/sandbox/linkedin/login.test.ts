import { DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLinkedinWorld, REDIRECT, urn, type LinkedinWorld } from '../../harness/worlds/twins/linkedin.ts';

let world: LinkedinWorld;
beforeAll(async () => {
  world = await openLinkedinWorld();
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world.close());

const me = (token: string) => world.call('GET', '/v2/me', token);
const refusal = async (reply: ReturnType<typeof me>) => {
  const { status, json } = await reply;
  return [status, json.code, json.serviceErrorCode];
};

describe('the consent page', () => {
  it('lets a member in, with the rights they leave ticked', async () => {
    const shown = await world.ask(world.dialog({ scope: 'openid profile email' }));
    expect(shown.text).toContain('Olivia Harbour');
    expect(shown.text).not.toMatch(/\bFred\b/);
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
    const [person] = /(?<=name="person" value=")[\w-]+/.exec(shown.text)!;
    const send = async (choice: string) => {
      const body = new URLSearchParams({ form_token, person, choice });
      body.append('scope', 'openid');
      body.append('scope', 'profile');
      const headers = { cookie, origin: world.root };
      const reply = await world.ask(world.dialog({ scope: 'openid profile email' }), { method: 'POST', headers, body });
      return new URL(reply.headers.get('location')!);
    };
    const target = await send('allow');
    expect([target.origin + target.pathname, target.searchParams.get('state')]).toEqual([REDIRECT, 's1']);
    const code = target.searchParams.get('code')!;
    const { json } = await world.oauth({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT });
    expect(json).toMatchObject({ scope: 'openid,profile', expires_in: 60 * 86_400, id_token: expect.any(String) });
    expect((await world.call('GET', '/v2/userinfo', json.access_token)).json).toEqual({
      sub: person,
      name: 'Olivia Harbour',
      given_name: 'Olivia',
      family_name: 'Harbour',
      locale: { country: 'US', language: 'en' },
      picture: expect.stringContaining('/picture/'),
    });
    const refused = await send('deny');
    expect([...refused.searchParams.keys()]).toEqual(['error', 'error_description', 'state']);
  });

  it.each<Record<string, string>>([
    { client_id: 'other' },
    { redirect_uri: 'https://evil.example/x' },
    { scope: 'r_everything' },
    // An app with the Community Management API has no other product.
    { scope: 'openid profile email w_member_social rw_organization_admin' },
    { response_type: 'token' },
  ])('refuses %o on its own page', async (params) => {
    const reply = await world.ask(world.dialog(params));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });
});

describe('tokens', () => {
  const exchange = (code: string, more = {}) =>
    world.oauth({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, ...more });
  const renew = (refresh_token: string) => world.oauth({ grant_type: 'refresh_token', refresh_token });

  it('come for a code once, within thirty minutes, for a form of the app', async () => {
    const isConsole = (path: string) => world.sandbox.isConsole(`/sandbox/linkedin/www/oauth/v2/${path}`);
    expect(['authorization', 'accessToken', 'accessToken%2Fx'].map(isConsole)).toEqual([true, false, true]);
    const code = await world.code();
    expect((await exchange(code, { client_secret: 'wrong' })).json.error).toBe('invalid_client');
    expect((await exchange(code, { redirect_uri: `${REDIRECT}/x` })).json.error).toBe('invalid_request');
    const json = { grant_type: 'authorization_code', code, client_id: 'sandbox', client_secret: 'sandbox' };
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ ...json, redirect_uri: REDIRECT }) };
    expect((await world.ask(`${world.at}/www/oauth/v2/accessToken`, init)).status).toBe(400);
    expect([(await exchange(code)).status, (await exchange(code)).status]).toEqual([200, 400]);
    const old = await world.code();
    world.clock.move(30 * 60_000);
    expect((await exchange(old)).status).toBe(400);
  });

  it('live for 60 days, and their refresh token until the day it first had', async () => {
    const first = await world.pair();
    expect(first).toMatchObject({ expires_in: 5_184_000, refresh_token_expires_in: 31_536_000 });
    world.clock.move(60 * DAY);
    expect(await refusal(me(first.access_token))).toEqual([401, 'EXPIRED_ACCESS_TOKEN', 65_602]);
    const second = (await renew(first.refresh_token)).json;
    expect(second).toMatchObject({ refresh_token: first.refresh_token, refresh_token_expires_in: 305 * 86_400 });
    expect((await me(second.access_token)).status).toBe(200);
    world.clock.move(305 * DAY);
    expect((await renew(first.refresh_token)).json.error).toBe('invalid_request');
  });

  it('come without a refresh token to apps that are not approved for it', async () => {
    const before = await world.pair();
    await world.act('settings', { refresh_tokens: false });
    expect(await world.pair()).not.toHaveProperty('refresh_token');
    expect((await renew(before.refresh_token)).status).toBe(400);
  });

  it('die when the member removes the app, and mean nothing when made up', async () => {
    const token = await world.login();
    expect(await refusal(me('nonsense'))).toEqual([401, 'INVALID_ACCESS_TOKEN', 65_600]);
    await world.act('remove_app', { person: 'Olivia Harbour' });
    expect(await refusal(me(token))).toEqual([401, 'REVOKED_ACCESS_TOKEN', 65_601]);
  });
});

describe('members and organisations', () => {
  it('are found by who administers them', async () => {
    const token = await world.login();
    const acls = (query: string) => world.call('GET', `/rest/organizationAcls?q=roleAssignee${query}`, token);
    const [all, admin] = [await acls(''), await acls('&role=ADMINISTRATOR&state=APPROVED')];
    expect(all.json.elements.map(({ role }: any) => role)).toEqual(['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR']);
    const page = await world.organization();
    expect(admin.json).toMatchObject({
      paging: { start: 0, count: 10, links: [] },
      elements: [{ organization: page, role: 'ADMINISTRATOR', state: 'APPROVED', roleAssignee: await world.person() }],
    });
    const id = page.split(':').at(-1)!;
    const one = await world.call('GET', `/rest/organizations/${id}`, token);
    expect(one.json).toMatchObject({ id: Number(id), localizedName: 'Harbour Coffee', vanityName: 'harbour-coffee' });
    const many = await world.call('GET', `/rest/organizations?ids=List(${id},7)`, token);
    expect(many.json).toMatchObject({ results: { [id]: one.json }, statuses: { [id]: 200, 7: 404 } });
    await world.act('set_role', { person: 'Olivia Harbour', organization: 'Harbour Coffee' });
    expect((await acls('&role=ADMINISTRATOR')).json.elements).toEqual([]);
    const poor = await world.login(undefined, 'openid');
    expect((await world.call('GET', '/rest/organizationAcls?q=roleAssignee', poor)).status).toBe(403);
  });

  it('have names for apps that may look them up', async () => {
    const token = await world.login();
    const fred = (await world.person('fred.sandbox.test')).split(':').at(-1)!;
    const look = (id: string) => world.call('GET', `/rest/people/(id:${urn(id)})`, token);
    expect((await look(fred)).json).toMatchObject({ localizedFirstName: 'Fred', localizedLastName: 'Follower' });
    expect((await look('nobody')).status).toBe(404);
    await world.act('settings', { people_lookup: false });
    expect((await look(fred)).json).toMatchObject({ status: 403, code: 'ACCESS_DENIED', serviceErrorCode: 100 });
    expect((await world.call('GET', '/v2/me', token)).json).toMatchObject({ vanityName: 'olivia' });
  });
});

describe('headers', () => {
  it('say a version that is served, and the protocol', async () => {
    const token = await world.login();
    const ask = async (headers: Record<string, string>) => {
      const { status, json } = await world.call(
        'GET',
        '/rest/organizationAcls?q=roleAssignee',
        token,
        undefined,
        headers,
      );
      return [status, json.code];
    };
    expect(await ask({ 'linkedin-version': '' })).toEqual([400, 'VERSION_MISSING']);
    expect(await ask({ 'linkedin-version': '202508' })).toEqual([426, 'NONEXISTENT_VERSION']);
    expect(await ask({ 'linkedin-version': '2026-07' })).toEqual([426, 'NONEXISTENT_VERSION']);
    expect(await ask({ 'x-restli-protocol-version': '1.0.0' })).toEqual([400, 'ILLEGAL_ARGUMENT']);
    expect(await ask({ 'x-restli-method': 'BATCH_GET' })).toEqual([400, 'ILLEGAL_ARGUMENT']);
    expect(await ask({ 'x-restli-method': 'finder' })).toEqual([200, undefined]);
    await world.act('settings', { oldest_version: 202_701 });
    expect(await ask({})).toEqual([426, 'NONEXISTENT_VERSION']);
  });

  it('name the machine that answered, and why it refused', async () => {
    const { headers } = await world.call('GET', '/rest/nothing', await world.login());
    expect(headers.get('x-restli-error-response')).toBe('true');
    expect(headers.get('x-li-uuid')).toMatch(/^[\da-f-]{36}$/);
  });

  it('count the calls of a day in UTC, and say nothing of when it ends', async () => {
    await world.act('settings', { calls_per_day: 1 });
    const token = await world.login();
    world.clock.move(DAY);
    const acls = () => world.call('GET', '/rest/organizationAcls?q=roleAssignee', token);
    expect((await acls()).status).toBe(200);
    const { json, headers } = await acls();
    expect([json.status, json.serviceErrorCode, headers.get('retry-after')]).toEqual([429, 101, null]);
    world.clock.move(DAY / 2);
    expect((await acls()).status).toBe(200);
  });
});
