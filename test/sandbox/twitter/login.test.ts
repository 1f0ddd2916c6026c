import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  OLIVIA,
  openXWorld,
  REDIRECT,
  SAM,
  VERIFIER,
  type XApp,
  type XWorld,
} from '../../harness/worlds/twins/twitter.ts';

let world: XWorld;
beforeAll(async () => {
  world = await openXWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
});
afterAll(() => world.close());

const invalid = (what: string) => ({
  error: 'invalid_request',
  error_description: `Value passed for the ${what} was invalid.`,
});
const exchange = (code: string, more = {}, app?: XApp) =>
  world.token(
    { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER, ...more },
    app,
  );
const renew = (refresh_token: string, app?: XApp) => world.token({ grant_type: 'refresh_token', refresh_token }, app);
const me = async (token: string) => (await world.get('/2/users/me', token)).status;

describe('the consent page', () => {
  it('lets an account in through its form, or not', async () => {
    const url = world.dialog((await world.own()).id);
    const shown = await world.ask(url);
    expect(shown.text).toContain('Olivia Harbour');
    expect(shown.text).not.toMatch(/\bFred\b/);
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
    const send = async (choice: string, scopes: readonly string[]) => {
      const body = new URLSearchParams({ form_token, person: await world.id(OLIVIA), choice });
      for (const scope of scopes) body.append('scope', scope);
      const headers = { cookie, origin: world.root };
      return new URL((await world.ask(url, { method: 'POST', headers, body })).headers.get('location')!);
    };
    const target = await send('allow', ['tweet.read', 'users.read', 'offline.access']);
    expect(`${target.origin}${target.pathname}`).toBe(REDIRECT);
    expect([...target.searchParams.keys()]).toEqual(['code', 'state']);
    const { json } = await exchange(target.searchParams.get('code')!);
    expect(json).toMatchObject({
      token_type: 'bearer',
      expires_in: 7200,
      scope: 'tweet.read users.read offline.access',
    });
    // Fewer rights than were asked for.
    expect(await me(json.access_token)).toBe(200);
    const refused = await world.call('POST', '/2/tweets', json.access_token, { text: 'Hello' });
    expect([refused.status, refused.json.title]).toEqual([403, 'Forbidden']);
    const without = await send('allow', ['tweet.read', 'users.read']);
    expect((await exchange(without.searchParams.get('code')!)).json.refresh_token).toBeUndefined();
    expect([...(await send('deny', [])).searchParams.keys()]).toEqual(['error', 'error_description', 'state']);
  });

  it.each<Record<string, string>>([
    { client_id: 'nobody' },
    { redirect_uri: 'https://evil.example/x' },
    { code_challenge: 'short' },
    { code_challenge_method: 'plain' },
    { state: '' },
    { state: 'x'.repeat(501) },
    { scope: '' },
    { scope: 'tweet.read everything' },
    { response_type: 'token' },
  ])('refuses %o on its own page', async (params) => {
    const reply = await world.ask(world.dialog((await world.own()).id, params));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });

  it('takes the method of PKCE in small letters too, as clients write it', async () => {
    const small = world.dialog((await world.own()).id, { code_challenge_method: 's256' });
    expect((await world.ask(small)).status).toBe(200);
  });

  it('takes exactly the callback that an app has registered', async () => {
    const callback = 'https://app.example/connect/twitter';
    const app = await world.act('make_app', { account: OLIVIA, name: 'Other', callback });
    expect((await world.ask(world.dialog(app.id))).status).toBe(400);
    expect((await world.ask(world.dialog(app.id, { redirect_uri: `${callback}/` }))).status).toBe(400);
    expect((await world.ask(world.dialog(app.id, { redirect_uri: callback }))).status).toBe(200);
    await world.act('delete_app', { app: app.id });
  });
});

describe('tokens', () => {
  it('come for a code once, within 30 seconds, to the app it was given to', async () => {
    const code = await world.code();
    const other = await world.own(SAM);
    expect((await exchange(code, {}, other)).json).toEqual(invalid('authorization code'));
    expect((await exchange(code, { redirect_uri: `${REDIRECT}/` })).json).toEqual(invalid('redirect_uri'));
    expect((await exchange(code, { code_verifier: VERIFIER.toLowerCase() })).json).toEqual(invalid('code_verifier'));
    expect((await exchange(code)).status).toBe(200);
    const again = await exchange(code);
    expect([again.status, again.json]).toEqual([400, invalid('authorization code')]);
    const late = await world.code();
    world.clock.move(30_000);
    expect((await exchange(late)).json).toEqual(invalid('authorization code'));
  });

  it('tell a wrong pair from a wrong code', async () => {
    const app = await world.own();
    const wrong = await exchange('nonsense', {}, { ...app, client_secret: 'wrong' });
    expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client']);
    const unknown = await exchange('nonsense', {}, { ...app, id: 'nobody' });
    expect([unknown.status, unknown.json.error]).toEqual([401, 'invalid_client']);
    const right = await exchange('nonsense');
    expect([right.status, right.json]).toEqual([400, invalid('authorization code')]);
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: app.id });
    const bare = await world.ask(`${world.at}/api/2/oauth2/token`, { method: 'POST', body });
    expect([bare.status, bare.json.error]).toEqual([401, 'unauthorized_client']);
    const open = await world.act('make_app', { account: OLIVIA, name: 'Open', is_public: true });
    body.set('client_id', open.id);
    const asked = await world.ask(`${world.at}/api/2/oauth2/token`, { method: 'POST', body });
    expect([asked.status, asked.json]).toEqual([400, invalid('token')]);
    await world.act('delete_app', { app: open.id });
  });

  it('rotate, and remember what came back after it was used up', async () => {
    const first = await world.pair();
    world.clock.move(7_200_000);
    expect(await me(first.access_token)).toBe(401);
    const { json: second } = await renew(first.refresh_token);
    expect(await me(second.access_token)).toBe(200);
    expect(await world.list('reused')).not.toContainEqual(expect.objectContaining({ kind: 'refresh' }));
    expect((await renew(first.refresh_token)).json).toEqual(invalid('token'));
    expect(await world.list('reused')).toContainEqual(expect.objectContaining({ kind: 'refresh', reused: 1 }));
    expect((await renew(second.refresh_token, await world.own(SAM))).json).toEqual(invalid('token'));
    // The answer of a refresh is lost: the token is spent, and nobody has the next one.
    world.sandbox.setFault({ network: 'twitter', person: OLIVIA, method: 'POST /2/oauth2/token', kind: 'lost' });
    await expect(renew(second.refresh_token)).rejects.toThrow();
    expect((await renew(second.refresh_token)).json).toEqual(invalid('token'));
  });

  it('end app by app: taken back, revoked, with new secrets, with the app', async () => {
    const [own, other] = [await world.own(), await world.act('make_app', { account: SAM, name: 'Second' })];
    const through = async (app: XApp) => {
      const { location } = await world.act('consent', { url: world.dialog(app.id), person: OLIVIA });
      return (await exchange(new URL(location).searchParams.get('code')!, {}, app)).json;
    };
    const [one, two] = [await through(own), await through(other)];
    const headers = { authorization: `Basic ${btoa(`${own.id}:${own.client_secret}`)}` };
    const body = new URLSearchParams({ token: one.refresh_token });
    const revoked = await world.ask(`${world.at}/api/2/oauth2/revoke`, { method: 'POST', headers, body });
    expect(revoked.json).toEqual({ revoked: true });
    expect([await me(one.access_token), await me(two.access_token)]).toEqual([401, 200]);
    const renewed = await world.act('renew_app', { app: other.id });
    expect((await renew(two.refresh_token, other)).json.error).toBe('invalid_client');
    const next = (await renew(two.refresh_token, renewed)).json;
    expect(await me(next.access_token)).toBe(200);
    await world.act('revoke_app', { account: OLIVIA, app: other.id });
    expect(await me(next.access_token)).toBe(401);
    await world.act('delete_app', { app: other.id });
    expect((await renew(next.refresh_token, renewed)).json.error).toBe('invalid_client');
  });

  it('of apps for themselves come for the consumer pair, and are no tokens of people', async () => {
    const app = await world.own();
    const bearer = await world.bearer(app);
    expect(await world.bearer(app)).toBe(bearer);
    expect(await world.bearer({ ...app, consumer_secret: 'wrong' })).toBeUndefined();
    expect((await world.get('/2/webhooks', bearer)).status).toBe(200);
    const refused = await world.get('/2/users/me', bearer);
    expect([refused.status, refused.json.type]).toEqual([
      403,
      'https://api.x.com/2/problems/unsupported-authentication',
    ]);
    expect((await world.get('/2/webhooks', await world.login())).status).toBe(403);
  });
});
