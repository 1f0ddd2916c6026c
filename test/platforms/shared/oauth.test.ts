import { describe, expect, it } from 'vitest';
import type { Session } from '#platforms/call.ts';
import { refused } from '#platforms/shared/errors.ts';
import { challengeOf, type CodeFlow, codeFlow, type Tokens } from '#platforms/shared/oauth.ts';
import { declareScopes } from '#platforms/shared/scopes.ts';
import { sessionParser } from '#platforms/shared/session.ts';
import { answer, lost, NOW, ok, type Script, scripted } from '../../harness/platforms/script.ts';
import * as z from 'zod';

const hosts = { api: 'https://api.test', web: 'https://www.test' };
const client = { clientId: 'id', clientSecret: 's:c' };
const callback = 'https://rostra.example/connect/pinterest/callback';
const sessionOf = sessionParser(z.object({ access: z.string(), refresh: z.string() }));

const WITHOUT_REFRESH: CodeFlow = {
  slug: 'pinterest',
  title: 'Pinterest',
  authorize: { host: 'web', path: '/oauth/' },
  token: { host: 'api', path: '/v5/oauth/token' },
  scopes: declareScopes({
    setting: 'PINTEREST_SCOPES',
    title: 'Pinterest',
    losses: { 'pins:read': 'Nothing is read.', 'pins:write': 'Nothing is written.' },
  }),
  separator: ',',
  profiles: async () => [],
};

/** A flow that shows what it read. */
function flowOf(more: Partial<CodeFlow> = {}) {
  const seen: Tokens[] = [];
  const connect = codeFlow({
    ...WITHOUT_REFRESH,
    profiles: async (_, tokens) => {
      seen.push(tokens);
      return [];
    },
    refresh: {
      tokenOf: (session) => sessionOf(session).refresh,
      renew: (session, { access, refresh }) => ({ ...session, access, refresh }),
    },
    ...more,
  });
  return { connect, seen };
}

const network = (script: Script, session?: Session) =>
  scripted(script, {
    hosts,
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname}`,
    ...(session && { session }),
  });
const TOKEN = 'POST /v5/oauth/token';
const TOKENS = { access_token: 'A', refresh_token: 'R', expires_in: 3600, scope: 'pins:read' };

const begin = async (more?: Partial<CodeFlow>) => {
  const ask = { state: 'st', callback, client, metadata: { config: '7' } };
  const { url, secrets } = await flowOf(more).connect.begin(network({}).bare, ask);
  const { origin, pathname, searchParams } = new URL(url);
  return { page: origin + pathname, query: Object.fromEntries(searchParams), secrets };
};

async function finish(script: Script, more?: Partial<CodeFlow>, params: Record<string, string> = { code: 'C' }) {
  const { connect, seen } = flowOf(more);
  const { bare, asked } = network(script);
  await connect.finish(bare, { params, secrets: { verifier: 'V' }, callback, client, metadata: {} });
  return { asked: asked[0]!, tokens: seen[0]! };
}

describe('the consent page', () => {
  const standard = { client_id: 'id', redirect_uri: callback, state: 'st', response_type: 'code' };

  it('is opened with the scopes, joined as the platform likes', async () => {
    expect(await begin()).toEqual({
      page: 'https://www.test/oauth/',
      query: { ...standard, scope: 'pins:read,pins:write' },
      secrets: {},
    });
    expect((await begin({ separator: ' ' })).query['scope']).toBe('pins:read pins:write');
    const extra: CodeFlow['extra'] = (call, metadata) => ({ ...metadata, host: call.hosts['web']! });
    expect((await begin({ extra })).query).toMatchObject({ config: '7', host: hosts.web });
    const { query } = await begin({ clientField: 'client_key' });
    expect([query['client_key'], query['client_id']]).toEqual(['id', undefined]);
  });

  it('gets the challenge of a verifier that stays here', async () => {
    // RFC 7636, appendix B.
    const challenge = challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk');
    expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
    const named = await begin({ pkce: 'S256' });
    expect(named.secrets['verifier']).toMatch(/^[A-Za-z0-9]{43}$/);
    const code_challenge = challengeOf(named.secrets['verifier']!);
    expect(named.query).toMatchObject({ code_challenge, code_challenge_method: 'S256' });
    const bare = await begin({ pkce: 'bare' });
    expect(bare.query['code_challenge']).toBe(challengeOf(bare.secrets['verifier']!));
    expect(bare.query).not.toHaveProperty('code_challenge_method');
    expect([flowOf({ pkce: 'bare' }).connect.needsState, flowOf().connect.needsState]).toEqual([true, undefined]);
  });
});

describe('the exchange of the code', () => {
  const grant = { grant_type: 'authorization_code', code: 'C', redirect_uri: callback, code_verifier: 'V' };

  it('sends a form with the secret in it', async () => {
    const { asked, tokens } = await finish({ [TOKEN]: ok(TOKENS) });
    expect(asked.form).toEqual({ client_id: 'id', client_secret: 's:c', ...grant });
    expect(tokens).toEqual({ access: 'A', refresh: 'R', expiresAt: NOW + 3_600_000, granted: ['pins:read'], more: {} });
  });

  it.each<[string, Partial<CodeFlow>, object, Record<string, string>]>([
    ['Basic', { auth: 'basic' }, grant, { authorization: `Basic ${Buffer.from('id:s%3Ac').toString('base64')}` }],
    [
      'a header of its own',
      { auth: { header: 'secret_key' }, clientField: 'app_id' },
      { app_id: 'id', ...grant },
      { secret_key: 's:c' },
    ],
  ])('proves the client by %s', async (_, more, form, headers) => {
    const { asked } = await finish({ [TOKEN]: ok(TOKENS) }, more);
    expect(asked.form).toEqual(form);
    expect(asked.request.headers).toMatchObject(headers);
  });

  it('sends JSON or a query, and names the fields as the platform does', async () => {
    const json = await finish(
      { [TOKEN]: ok({ code: 0, data: TOKENS }) },
      {
        send: 'json',
        fields: ({ code, ...others }) => ({ ...others, auth_code: code }),
        tokensIn: (body) => (body as { data: unknown }).data,
      },
      { auth_code: 'C' },
    );
    expect(json.asked.body).toMatchObject({ client_id: 'id', auth_code: 'C' });
    expect(json.asked.body).not.toHaveProperty('code');
    expect(json.tokens.access).toBe('A');
    const query = await finish({ 'GET /v5/oauth/token': ok(TOKENS) }, { send: 'query' });
    expect(query.asked.query).toMatchObject({ client_secret: 's:c', code: 'C' });
  });

  it.each([
    [
      { access_token: 'A', expires_in: '90000' },
      // What was asked for is granted where the answer names no scope.
      { expiresAt: NOW + 90_000_000, refresh: undefined, granted: ['pins:read', 'pins:write'] },
    ],
    [
      { access_token: 'A', expires_in: 'soon', scope: 'a b,c' },
      { expiresAt: undefined, granted: ['a', 'b', 'c'] },
    ],
    [
      { access_token: 'A', scope: ['a', 'b'], open_id: 'o' },
      { granted: ['a', 'b'], more: { open_id: 'o' } },
    ],
  ])('reads %j', async (body, expected) => {
    expect((await finish({ [TOKEN]: ok(body) })).tokens).toMatchObject(expected);
  });

  it.each([
    [
      answer(400, { error: 'invalid_grant', error_description: 'used' }),
      'refused',
      'invalid_request',
      'start the connection again',
    ],
    [answer(401, { error: 'invalid_client' }), 'refused', 'permission_denied', 'PINTEREST_CLIENT_SECRET'],
    [ok({ error: 'invalid_request' }), 'refused', 'invalid_request', ''],
    [answer(400, { error: 'odd' }), 'unknown', 'api_error', ''],
    [answer(500, { error: 'invalid_grant' }), 'unknown', 'api_error', ''],
    [answer(429, ''), 'throttled', 'rate_limit', ''],
    [ok({ access_token: '' }), 'unknown', 'api_error', ''],
    [lost(), 'unknown', 'api_error', ''],
    [lost(false), 'not_sent', 'api_error', ''],
  ])('says what failed', async (reply, kind, reason, word) => {
    const message = expect.stringContaining(word);
    await expect(finish({ [TOKEN]: reply })).rejects.toMatchObject({ kind, reason, message });
  });

  it('lets the platform word its own errors', async () => {
    const errorOf: CodeFlow['errorOf'] = ({ body }, of) =>
      (body as { code: number }).code === 7 ? refused('blocked', of) : undefined;
    const finished = finish({ [TOKEN]: ok({ code: 7 }) }, { errorOf });
    await expect(finished).rejects.toMatchObject({ reason: 'blocked', message: 'code' });
  });

  it.each([
    [{ error: 'access_denied', error_description: 'no' }, 'permission_denied'],
    [{ error: 'server_error' }, 'invalid_request'],
    [{}, 'invalid_request'],
  ])('is not made without a code: %j', async (params, reason) => {
    await expect(finish({}, {}, params as Record<string, string>)).rejects.toMatchObject({ kind: 'refused', reason });
  });
});

describe('a refresh', () => {
  const session = { access: 'A', refresh: 'R', account: '7' };
  const refresh = (reply: Script[string], more?: Partial<CodeFlow>) => {
    const { acting, asked } = network({ [TOKEN]: reply }, session);
    return { renewed: flowOf(more).connect.refresh!(acting, client), asked };
  };

  it('keeps the token that rotates, and the old one where none comes', async () => {
    const rotating = refresh(ok({ ...TOKENS, access_token: 'A2', refresh_token: 'R2' }));
    const renewed = { access: 'A2', refresh: 'R2', account: '7' };
    expect(await rotating.renewed).toEqual({ session: renewed, expiresAt: NOW + 3_600_000 });
    const grant = { grant_type: 'refresh_token', refresh_token: 'R' };
    expect(rotating.asked[0]!.form).toEqual({ client_id: 'id', client_secret: 's:c', ...grant });
    const staying = { ...session, access: 'A2' };
    expect(await refresh(ok({ access_token: 'A2' })).renewed).toEqual({ session: staying, expiresAt: undefined });
  });

  it('that is refused ends the login; one that fails does not', async () => {
    await expect(refresh(answer(400, { error: 'invalid_grant' })).renewed).rejects.toMatchObject({ reason: 'auth' });
    await expect(refresh(answer(503, '')).renewed).rejects.toMatchObject({ kind: 'unknown' });
    const { acting } = network({}, { access: 'A' });
    await expect(flowOf().connect.refresh!(acting, client)).rejects.toMatchObject({ reason: 'auth' });
  });

  it('exists only where the platform has it', () => {
    expect(codeFlow(WITHOUT_REFRESH).refresh).toBeUndefined();
  });
});
