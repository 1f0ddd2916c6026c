/** The kit that simulators are made of, by a small network of its own. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeActs, must, text } from '#sandbox/kit/acts.ts';
import { integer, object } from '#sandbox/kit/api/checks.ts';
import { makeGate } from '#sandbox/kit/api/gate.ts';
import type { TwinOptions } from '#sandbox/kit/options.ts';
import { openOrders, orderAct } from '#sandbox/kit/api/orders.ts';
import { openPushes, PUSH_SETTINGS, pushActs } from '#sandbox/kit/push/pushes.ts';
import { openRates } from '#sandbox/kit/api/rates.ts';
import { TwinError } from '#sandbox/kit/api/errors.ts';
import { answer, makeRoutes, nameOf, route, type Caller, type Route } from '#sandbox/kit/api/routes.ts';
import { makeExchange } from '#sandbox/kit/oauth/exchange.ts';
import { bearerOf } from '#sandbox/kit/oauth/secrets.ts';
import { openSettings, settingsAct } from '#sandbox/kit/settings.ts';
import { openTokens } from '#sandbox/kit/oauth/tokens.ts';
import { makeTwin } from '#sandbox/kit/twin.ts';
import { openWorld, type World } from '../harness/worlds/twins/bluesky.ts';

class ToyError extends TwinError {
  body() {
    return { error: this.code, message: this.message };
  }
}
const toyError = (status: number, code: string) => new ToyError(status, code, code.replaceAll('_', ' '));

const ANN = 'ann.sandbox.test';
const known = { network: 'toy', id: ANN, handle: ANN, display_name: 'Ann', credentials: {}, commits: 0, posts: 0 };

const TOY = { slug: 'toy', title: 'Toy', entry: 'Connect Ann.', apis: ['api'], prefix: 'toy' };

/** A network whose people only have notes; its tokens rotate, and it pushes each note in order. */
function openToy(options: TwinOptions) {
  const { store, clock } = options;
  const settings = openSettings(store, 'toy', PUSH_SETTINGS);
  const orders = openOrders<{ status: number; code: string }>(store, 'toy');
  const rates = openRates(clock);
  const tokens = openTokens(store, 'toy', clock, {
    lives: { code: 30, access: 7200, refresh: 86_400 },
    rotates: true,
    starts: { refresh: 'r-' },
    refuse: (kind, flaw) => toyError(kind === 'access' ? 401 : 400, `${kind}_${flaw}`),
  });
  const pushes = openPushes({ ...options, network: 'toy', prefix: 'toy', settings });
  pushes.start({
    bundle: (updates) =>
      updates.map(({ item }) => ({ url: `${options.productUrl()}/push`, body: JSON.stringify(item) })),
    request: ({ url, body }, isWrong) => ({ url, body, headers: { 'x-secret': isWrong ? 'wrong' : 'right' } }),
    waits: [1000],
    lastTry: 60_000,
    isInOrder: true,
  });
  const gate = makeGate({
    ...options,
    network: 'toy',
    orders,
    words: {
      throttled: () => toyError(429, 'slow_down'),
      expired: () => toyError(401, 'access_expired'),
      trouble: () => toyError(500, 'trouble'),
      ordered: ({ status, code }) => toyError(status, code),
    },
  });
  const exchange = makeExchange({
    tokens,
    auth: { by: 'basic' },
    app: { id: 'app', secret: options.appSecret },
    words: { client: () => toyError(401, 'invalid_client'), grant: () => toyError(400, 'unsupported_grant_type') },
  });
  const notes: unknown[] = [];
  const routes: readonly Route<Caller>[] = [
    route('POST', '/token', { isOpen: true }, ({ ctx, params }) => exchange(ctx, params)),
    route('GET', '/bot{name}/lists/{list}:count', { isOpen: true }, ({ path }) => path),
    route(
      'POST',
      '/notes/{list}',
      {
        scopes: ['write'],
        params: ['stars'],
        check: object({ stars: integer({ max: 5 }) }),
        rates: [{ name: 'notes', limit: 2, window_s: 60, sliding: true }],
      },
      ({ path, params, caller }) => {
        const note = { list: path['list'], by: caller.person, stars: params.whole('stars') };
        notes.push(note);
        pushes.add({ page_id: ANN, kind: 'note', item: note });
        return answer({ code: 0, note }, 201);
      },
    ),
    route('GET', '/notes', {}, () => ({ notes })),
  ];
  const answerApi = makeRoutes<Caller>({
    gate,
    routes,
    rates,
    words: {
      wrong: (name, what) => toyError(400, `${name} ${what}`),
      tooLong: () => toyError(413, 'too_long'),
      broken: () => toyError(400, 'broken'),
      noSuchPath: () => toyError(404, 'no_such_path'),
      caller: (ctx) => tokens.grantOf(bearerOf(ctx.get('authorization')) ?? ''),
      personOf: (ctx) => tokens.personOf(bearerOf(ctx.get('authorization')) ?? ''),
      missing: (scopes) => toyError(403, `needs_${scopes.join('_')}`),
      invalid: (message) => new ToyError(200, 'invalid', message),
      limited: () => toyError(429, 'limited'),
      rateHeaders: ({ remaining }) => ({ 'x-left': String(remaining) }),
    },
  });
  return makeTwin({
    ...TOY,
    methods: routes.map(nameOf),
    areas: { api: answerApi },
    people: () => [known],
    cast: () => [],
    find: (person) => (person === ANN ? ANN : undefined),
    addPerson: () => known,
    posts: () => [],
    latest: () => [],
    conversations: () => [],
    acts: makeActs({
      groups: { twin: 'What the network does' },
      acts: {
        allow: {
          group: 'twin',
          title: 'Allow the app',
          fields: { scopes: text('Rights'), challenge: text('Challenge') },
          run: (values) =>
            tokens.code(
              { person: ANN, scopes: must(values, 'scopes').split(','), profiles: [] },
              { redirect_uri: 'https://app.example/back', challenge: must(values, 'challenge') },
            ),
        },
        settings: settingsAct(settings, PUSH_SETTINGS),
        order: orderAct(orders, { code: text('Code') }, ({ code = '' }, status) => ({ status, code }), 200),
        ...pushActs(pushes),
      },
    }),
    lists: { reused: tokens.reused, pushes: () => pushes.list(50) },
    pushes,
    revoke: tokens.revoke,
    reset: tokens.reset,
  });
}

const VERIFIER = 'a-long-verifier-that-only-the-app-knows-of-course';
const challenge = createHash('sha256').update(VERIFIER).digest('base64url');

let world: World;
let got: string[];
let status: number;
const app = createServer((req, res) => {
  req.on('data', (chunk: Buffer) => got.push(`${String(req.headers['x-secret'])} ${chunk.toString()}`));
  req.on('end', () => res.writeHead(status).end());
});
beforeEach(async () => {
  got = [];
  status = 200;
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const productUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  world = await openWorld({ twins: [{ ...TOY, make: openToy }], appSecret: 'hush', productUrl: () => productUrl });
});
afterEach(async () => {
  await world.close();
  app.closeAllConnections();
  await new Promise((resolve) => app.close(resolve));
});

const control = async (name: string, input?: object) => {
  const json = { 'content-type': 'application/json' };
  const post = input && { method: 'POST', headers: json, body: JSON.stringify(input) };
  return (await world.ask(`/sandbox/__control/toy/${name}`, post)).json?.data;
};
const api = (path: string, init: RequestInit = {}) => world.ask(`/sandbox/toy/api/${path}`, init);
const token = (fields: Record<string, string>, secret = 'hush') =>
  api('token', {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`app:${secret}`).toString('base64')}` },
    body: new URLSearchParams(fields),
  });
const codeFor = async (scopes = 'write') => (await control('allow', { scopes, challenge })).done as string;
const redeem = (code: string, more: Record<string, string> = {}) =>
  token({
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'https://app.example/back',
    code_verifier: VERIFIER,
    ...more,
  });
async function bearer(scopes?: string): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${(await redeem(await codeFor(scopes))).json.access_token}` };
}
const note = (headers: Record<string, string>, stars: unknown = 3, more = {}) =>
  api('notes/today', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ stars, ...more }),
  });

describe('tokens', () => {
  it('come for a code once, to the right app, address and verifier, in time', async () => {
    const code = await codeFor();
    expect((await token({ grant_type: 'authorization_code', code }, 'guess')).json.error).toBe('invalid_client');
    expect((await redeem(code, { redirect_uri: 'https://else.example' })).json.error).toBe('code_redirect');
    expect((await redeem(code, { code_verifier: 'guess' })).json.error).toBe('code_verifier');
    expect((await redeem(code)).json).toMatchObject({ expires_in: 7200, refresh_expires_in: 86_400 });
    expect((await redeem(code)).json.error).toBe('code_used');
    expect(await control('reused')).toEqual([{ person: ANN, kind: 'code', reused: 1 }]);
    const late = await codeFor();
    world.clock.move(30_000);
    expect((await redeem(late)).json.error).toBe('code_expired');
    expect((await redeem('guess')).json.error).toBe('code_unknown');
  });

  it('rotate, and a refresh token that comes back is refused and recorded', async () => {
    const { refresh_token } = (await redeem(await codeFor())).json;
    const next = (await token({ grant_type: 'refresh_token', refresh_token })).json;
    expect(next.refresh_token).toMatch(/^r-/);
    expect(next.refresh_token).not.toBe(refresh_token);
    expect((await token({ grant_type: 'refresh_token', refresh_token })).json.error).toBe('refresh_used');
    expect(await control('reused')).toEqual([{ person: ANN, kind: 'refresh', reused: 1 }]);
    expect(await token({ grant_type: 'refresh_token', refresh_token: next.refresh_token })).toMatchObject({
      status: 200,
    });
  });

  it('expire, and end with the grant', async () => {
    const headers = await bearer();
    world.clock.move(7_200_000);
    expect((await note(headers)).json.error).toBe('access_expired');
    const fresh = await bearer();
    world.sandbox.setFault({ network: 'toy', person: ANN, kind: 'revoked' });
    expect(await note(fresh)).toMatchObject({ status: 401, json: { error: 'access_revoked' } });
  });
});

describe('routes', () => {
  it('check token, rights and parameters, and note what nobody knows', async () => {
    expect((await note({})).json.error).toBe('access_unknown');
    expect((await note(await bearer('read'))).json.error).toBe('needs_write');
    const headers = await bearer();
    expect(await note(headers, 6)).toMatchObject({ status: 200, json: { error: 'invalid', message: /5/ } });
    expect(await note(headers, 5, { colour: 'red' })).toMatchObject({
      status: 201,
      json: { note: { list: 'today', by: ANN, stars: 5 } },
    });
    const [, , last] = world.sandbox
      .requests()
      .filter(({ method }) => method === 'POST /notes/{list}')
      .slice(-3);
    expect(last).toMatchObject({
      person: ANN,
      note: 'today',
      status: 201,
      violation: expect.stringContaining('colour'),
    });
    expect((await api('nothing', { headers })).json.error).toBe('no_such_path');
    expect((await api('botann/lists/7:count')).json).toEqual({ name: 'ann', list: '7' });
    expect((await api('bot/lists/7:count')).status).toBe(404);
  });

  it('count calls in sliding windows and say what is left', async () => {
    const headers = await bearer();
    expect((await note(headers)).headers.get('x-left')).toBe('1');
    world.clock.move(40_000);
    await note(headers);
    expect(await note(headers)).toMatchObject({ status: 429, json: { error: 'limited' } });
    // The first call is out of the window, the two later ones are not.
    world.clock.move(21_000);
    expect((await note(headers)).status).toBe(429);
    world.clock.move(60_000);
    expect((await note(headers)).status).toBe(201);
  });

  it('go wrong as ordered: before or after the effect, or with the answer lost', async () => {
    const headers = await bearer();
    const count = async () => (await api('notes', { headers })).json.notes.length;
    await control('order', { when: 'before', code: 'busy', status: '200', method: 'POST /notes/{list}' });
    expect(await note(headers)).toMatchObject({ status: 200, json: { error: 'busy' } });
    expect(await count()).toBe(0);
    await control('order', { when: 'after', code: 'trouble', status: '503' });
    expect((await note(headers)).status).toBe(503);
    expect(await count()).toBe(1);
    world.sandbox.setFault({ network: 'toy', person: ANN, kind: 'lost' });
    await expect(note(headers)).rejects.toThrow();
    expect(await count()).toBe(2);
  });
});

describe('pushes', () => {
  it('wait for the earlier ones to the same address, and are repeated until taken', async () => {
    const headers = await bearer();
    status = 500;
    await note(headers, 1);
    await note(headers, 2);
    await world.sandbox.settle();
    const stars = () => got.map((one) => JSON.parse(one.slice('right '.length)).stars);
    expect(stars()).toEqual([1]);
    status = 200;
    world.clock.move(1000);
    await world.sandbox.settle();
    expect(stars()).toEqual([1, 1, 2]);
  });

  it('come twice, or with a signature that does not hold, where that is switched on', async () => {
    await control('settings', { push_duplicate: 'true', push_wrong_signature: 'true' });
    await note(await bearer());
    await world.sandbox.settle();
    expect(got).toHaveLength(2);
    expect(got[0]).toMatch(/^wrong /);
  });
});
