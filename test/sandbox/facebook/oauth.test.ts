import { DAY } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FRED,
  OLIVIA,
  openFacebookWorld,
  REDIRECT,
  refused,
  SAM,
  SCOPES,
  type FacebookWorld,
} from '../../harness/worlds/twins/facebook.ts';
import { formOf } from '../../harness/worlds/twins/bluesky.ts';

let world: FacebookWorld;
beforeEach(async () => {
  world = await openFacebookWorld();
});
afterEach(() => world.close());

const codeOf = (location: string) => new URL(location).searchParams.get('code') ?? '';
const consent = (choice: object = {}, params: Record<string, string> = {}) =>
  world.act('consent', { url: world.dialog(params), person: OLIVIA, ...choice });

describe('the log-in dialog', () => {
  it('shows people, Pages and permissions, and returns a code or a refusal through its form', async () => {
    const shown = await world.ask(world.dialog());
    expect(shown.status).toBe(200);
    for (const words of ['Olivia Harbour', 'Harbour Bakery', 'Single Origin Studio', 'Nora Nopage', 'pages_messaging'])
      expect(shown.text).toContain(words);
    expect(shown.text).not.toMatch(/\bFred\b/);
    expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none';(?!.*form-action)/);
    const [owner] = /(?<=name="person" value=")\d+/.exec(shown.text)!;
    const [page] = /(?<=name="page" value=")\d+/.exec(shown.text)!;
    const send = formOf(world, shown, world.dialog());
    const allowed = await send({ choice: 'allow', person: owner, page, scope: 'pages_show_list' });
    expect(allowed.status).toBe(303);
    const target = new URL(allowed.headers.get('location')!);
    expect(target.origin + target.pathname).toBe(REDIRECT);
    expect([target.searchParams.get('state'), target.hash]).toEqual(['s1', '#_=_']);
    const { json } = await world.exchange(codeOf(target.href));
    expect((await world.get('me/permissions', json.access_token)).json.data).toEqual(
      expect.arrayContaining([
        { permission: 'pages_show_list', status: 'granted' },
        { permission: 'pages_messaging', status: 'declined' },
      ]),
    );
    expect((await world.get('me/accounts', json.access_token)).json.data).toMatchObject([{ id: page }]);
    const denied = new URL((await send({ choice: 'deny' })).headers.get('location')!);
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({
      error: 'access_denied',
      error_reason: 'user_denied',
      error_code: '200',
      state: 's1',
    });
    expect((await send({}, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it.each([
    [{ client_id: 'other' }, 'Invalid App ID'],
    [{ redirect_uri: 'https://evil.example/x' }, 'URL Blocked'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'URL Blocked'],
    [{ scope: 'pages_everything' }, 'Invalid Scopes: pages_everything'],
    [{ response_type: 'token' }, 'response_type'],
  ])('says on its own page what is wrong with %o', async (params, words) => {
    const reply = await world.ask(world.dialog(params));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(reply.text).toContain(words);
  });

  it('does not ask again for what was declined, unless told to', async () => {
    await world.login(OLIVIA, { scopes: 'pages_show_list' });
    const statusOf = async (user: string) => {
      const { data } = (await world.get('me/permissions', user)).json;
      return data.find(({ permission }: any) => permission === 'pages_messaging').status;
    };
    expect(await statusOf(await world.login())).toBe('declined');
    const { location } = await consent({}, { auth_type: 'rerequest' });
    const { json } = await world.exchange(codeOf(location));
    expect(await statusOf(json.access_token)).toBe('granted');
  });
});

describe('the exchange', () => {
  it('takes a code once, for an hour, with the same redirect and the right secret', async () => {
    const { exchange } = world;
    const code = codeOf((await consent()).location);
    expect(await exchange(code, { client_secret: 'wrong' })).toMatchObject(refused(1));
    expect(await exchange(code, { client_id: 'wrong' })).toMatchObject(refused(101));
    expect(await exchange(code, { redirect_uri: `${REDIRECT}/` })).toMatchObject(refused(100, 36008));
    expect(await exchange('nonsense')).toMatchObject(refused(100));
    expect((await exchange(`${code}#_=_`)).json).toMatchObject({ token_type: 'bearer', expires_in: 7200 });
    expect(await exchange(code)).toMatchObject(refused(100, 36009));
    const late = codeOf((await consent()).location);
    world.clock.move(3_600_000);
    expect(await exchange(late)).toMatchObject(refused(100, 36007));
  });

  it('makes a token of sixty days, which answers 190/463 with 400 afterwards, while Page tokens live on', async () => {
    const user = await world.login();
    const { token } = await world.pageOf(user);
    const debug = async (input_token: string) =>
      (await world.get('debug_token', 'sandbox|sandbox', { input_token })).json.data;
    const expires_at = (world.clock.now() + 60 * DAY) / 1000;
    expect(await debug(user)).toMatchObject({ app_id: 'sandbox', is_valid: true, type: 'USER', expires_at });
    expect(await debug(token)).toMatchObject({ type: 'PAGE', expires_at: 0 });
    world.clock.move(60 * DAY);
    expect(await world.get('me', user)).toMatchObject(refused(190, 463));
    expect((await world.get('me', token)).status).toBe(200);
    world.clock.move(30 * DAY);
    expect(await world.get('me', token)).toMatchObject(refused(190, 463));
  });

  it('derives mortal Page tokens from a short user token', async () => {
    const { json } = await world.exchange(codeOf((await consent()).location));
    const { token } = await world.pageOf(json.access_token);
    world.clock.move(2 * 3_600_000);
    expect(await world.get('me', token)).toMatchObject(refused(190, 463));
  });
});

describe('tokens', () => {
  it('are taken from query, form and headers, and checked with their proof when one is sent', async () => {
    const user = await world.login();
    for (const path of ['v25.0/me', 'me'])
      expect((await world.ask(`${world.at}/graph/${path}?access_token=${user}`)).json.name).toBe('Olivia Harbour');
    const proof = createHmac('sha256', 'sandbox').update(user).digest('hex');
    expect((await world.get('me', user, { appsecret_proof: proof })).status).toBe(200);
    expect(await world.get('me', user, { appsecret_proof: 'ab' })).toMatchObject(refused(100));
    expect(await world.get('me')).toMatchObject(refused(104));
    expect(await world.get('me', `${user.slice(0, -2)}00`)).toMatchObject(refused(190));
    expect(await world.get('me', 'sandbox|wrong')).toMatchObject(refused(190));
  });

  it('die with the app, the password, the role and the choice of Pages', async () => {
    const { id, token, user } = await world.ready();
    await world.act('remove_page', { person: OLIVIA, page: id });
    expect(await world.get('me', token)).toMatchObject(refused(190, 492));
    expect((await world.get('me/accounts', user)).json.data.map((one: any) => one.name)).toEqual(['Harbour Bakery']);
    await world.act('change_password', { person: OLIVIA });
    expect(await world.get('me', user)).toMatchObject(refused(190, 460));
    const again = await world.login();
    await world.act('revoke_app', { person: OLIVIA });
    expect(await world.get('me', again)).toMatchObject(refused(190, 458));
    const sam = await world.login(SAM);
    expect((await world.graph('DELETE', 'me/permissions', {}, sam)).json).toEqual({ success: true });
    expect(await world.get('me', sam)).toMatchObject(refused(190, 458));
  });

  it('see the Pages that were chosen, one page at a time', async () => {
    const user = await world.login();
    const accounts = async (of: string, params = {}) => (await world.get('me/accounts', of, params)).json;
    const first = await accounts(user, { limit: 1, fields: 'name,tasks,picture.type(large){url}' });
    const tasks = expect.arrayContaining(['CREATE_CONTENT', 'MESSAGING']);
    expect(first.data).toMatchObject([{ name: 'Harbour Coffee', tasks }]);
    expect(first.data[0].access_token).toBeUndefined();
    const picture = await world.ask(first.data[0].picture.data.url);
    expect(picture.headers.get('content-type')).toBe('image/png');
    const second = (await world.ask(first.paging.next)).json;
    expect(second.data).toMatchObject([{ name: 'Harbour Bakery' }]);
    expect(second.paging.next).toBeUndefined();
    expect(second.paging.cursors.after).toEqual(expect.any(String));
    expect((await world.ask(second.paging.previous)).json.data).toMatchObject([{ name: 'Harbour Coffee' }]);
    for (const [person, scopes] of [['nora.sandbox.test'], [SAM, 'public_profile'], [FRED]])
      expect((await accounts(await world.login(person, {}, scopes))).data).toEqual([]);
    await expect(world.login('nobody')).rejects.toThrow('There is no such person');
  });
});

describe('graph', () => {
  it('refuses unknown versions, paths, objects, fields and broken syntax in its own words', async () => {
    const { id, token } = await world.ready();
    const ask = (path: string) =>
      world.ask(`${world.at}/graph/${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(await ask('v99.0/me')).toMatchObject(refused(2635));
    expect(await ask('v26.0/me/nothing')).toMatchObject(refused(2500));
    expect(await ask('v25.0/123456')).toMatchObject(refused(100, 33));
    expect(await ask('v25.0/some.name')).toMatchObject(refused(803, undefined, 404));
    expect(await ask(`v25.0/${id}?fields=name,nothing`)).toMatchObject(refused(100));
    const { error } = (await ask(`v25.0/${id}?fields=nothing`)).json;
    expect(error.message).toContain('Tried accessing nonexisting field (nothing)');
    expect(await ask(`v25.0/${id}?fields=name{`)).toMatchObject(refused(2500));
    expect((await ask(`v25.0/${id}?fields=name`)).json).toEqual({ id, name: 'Harbour Coffee' });
    const { headers } = await ask(`v25.0/${id}`);
    expect(headers.get('facebook-api-version')).toBe('v25.0');
    const [usage] = JSON.parse(headers.get('x-business-use-case-usage')!)[id];
    expect(usage).toMatchObject({ type: 'pages', estimated_time_to_regain_access: 0 });
  });

  it('journals parameters the platform does not describe, and has none to journal for those it does', async () => {
    const { id, token } = await world.ready();
    const violations = () => world.sandbox.requests().flatMap(({ violation }) => violation ?? []);
    expect(violations()).toEqual([]);
    const params = { message: 'x', colour: 'red', 'attached_media[0]': undefined as never };
    expect((await world.post(`${id}/feed`, token, params)).status).toBe(200);
    expect(violations()).toEqual(['unknown parameters of POST page/feed: colour']);
    const request = world.sandbox.requests().find(({ method }) => method === 'POST page/feed');
    expect(request).toMatchObject({ network: 'facebook', status: 200 });
    expect(SCOPES).toContain('pages_manage_posts');
  });
});
