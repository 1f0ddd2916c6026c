import { createHash, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import type { Store } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { insertUser } from '#db/access/users.ts';
import { makeOAuth, type OAuth, type OAuthDeps, type OAuthOptions } from '#oauth/index.ts';
import { toolset } from '#call/tool.ts';
import { makeCallers } from '#engine/keys/callers.ts';
import { newId } from '#kernel/ids.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makeSealer } from '#kernel/seal.ts';
import { makeHttp } from '#serve/http/app.ts';
import { programApi } from '#serve/http/rest.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import { describeStores, type OnWhich, type Stores } from '../stores/stores.ts';
import { exchange as exchangeHttp, serveTest, type Exchanged } from '../sockets.ts';
import { freely, toy } from '../toys.ts';
import { addWorkspace } from './rows.ts';

export type Answer = Exchanged;
export type Sending = Readonly<{
  headers?: Record<string, string>;
  form?: Record<string, string> | string;
  json?: unknown;
  raw?: string | Buffer;
}>;
export type Client = Readonly<{ client_id: string; client_secret: string } & Record<string, unknown>>;
export type Browser = { cookies: { name: string; value: string; path: string; line: string }[] };

export const CALLBACK = 'https://client.example/callback';

const whoami = toy(
  'whoami',
  'GET /whoami',
  {},
  async (_, { caller }) => ({ kind: caller.kind, user: caller.userId, workspace: caller.workspace.id }),
  { access: { admin: true } },
);
const dashboardOnly = toy('dashboard_only', 'GET /dashboard-only', {}, async () => ({ ok: true }), {
  access: { dashboard: true },
});

export type WorldOptions = Readonly<{
  clock?: FakeClock;
  options?: OAuthOptions;
  outbound?: OAuthDeps['outbound'];
  trustProxy?: number;
  /** Another root than the address the server listens on, as behind a proxy. */
  rootUrl?: string;
}>;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A clock that global `Date` follows: the provider and jose read that one. `describeServer` restores it after each test. */
function movingClock(): FakeClock {
  const clock = fakeClock();
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now() });
  return Object.freeze({
    ...clock,
    move(ms: number) {
      clock.move(ms);
      vi.setSystemTime(clock.now());
    },
  });
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** The authorization server on a port of its own, inside the real web application. */
export async function openWorld(bare: Store, given: WorldOptions = {}) {
  const {
    clock = movingClock(),
    options = {},
    outbound = { send: () => Promise.reject(new Error('no network')) },
  } = given;
  const lines: string[] = [];
  const log = makeLog({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const store = productStore(bare, clock);
  const handler = Promise.withResolvers<RequestListener>();
  const server = createServer({ maxHeaderSize: 65_536 }, (req, res) => {
    void handler.promise.then((handle) => handle(req, res));
  });
  const { port } = new URL(await serveTest(server));
  const rootUrl = given.rootUrl ?? `http://localhost:${port}`;
  const oauth: OAuth = makeOAuth({
    store,
    clock,
    log,
    rootUrl,
    outbound,
    sealer: makeSealer(['11'.repeat(32)]),
    options,
  });
  const callers = makeCallers({ store, clock, log, verifyToken: oauth.verifyToken });
  const toolsets = [toolset('test', 'Test', 'For tests.', [whoami, dashboardOnly])];
  const handle = makeHttp({
    config: { rootUrl, allowedHosts: [], trustProxy: given.trustProxy ?? 0, metricsToken: undefined },
    toolsets,
    invoke: makeInvoke({ modules: {}, log, meterHeaders: async () => ({}), ...freely, checkOutput: true }),
    restApi: programApi(callers),
    audit: freely.audit,
    idempotency: { once: () => Promise.reject(new Error('this world keeps no answers')) },
    log,
    mounts: [],
    routes: oauth.routes,
    health: async () => [],
    meter: makeMeter(),
    gauges: async () => [],
    uploads: { maxFileBytes: 1, spoolDir: tmpdir() },
  });
  handler.resolve(handle);

  async function send(call: `${string} /${string}`, { headers = {}, form, json, raw }: Sending = {}): Promise<Answer> {
    const [method, path] = [call.slice(0, call.indexOf(' ')), call.slice(call.indexOf(' ') + 1)];
    const body =
      form !== undefined
        ? typeof form === 'string'
          ? form
          : new URLSearchParams(form).toString()
        : json !== undefined
          ? JSON.stringify(json)
          : raw;
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const typed = body !== undefined && { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) };
    const all = { Host: new URL(rootUrl).host, ...typed, ...headers };
    return exchangeHttp({ port, method, path, maxHeaderSize: 65_536, headers: all }, body);
  }

  const users: { userId: string; workspaceId: string }[] = [];
  async function newUser(): Promise<string> {
    const now = clock.now();
    const userId = newId('usr', now);
    const { id: workspaceId } = await addWorkspace(store, now);
    await store.write(({ db }) =>
      insertUser(db, {
        id: userId,
        workspace_id: workspaceId,
        email: `${userId}@example.org`,
        name: `User ${users.length + 1}`,
        onboarding: 1,
        lock_accounts_to_brand: 0,
        created_at: now,
      }),
    );
    users.push({ userId, workspaceId });
    return userId;
  }

  async function register(extra: Record<string, unknown> = {}): Promise<Client> {
    const { status, body } = await send('POST /oauth/register', {
      json: { client_name: 'Test client', redirect_uris: [CALLBACK], ...extra },
    });
    expect(status).toBe(201);
    return body as Client;
  }

  const authorize = (params: Record<string, string>, headers = {}) =>
    send(`GET /oauth/authorize?${new URLSearchParams(params).toString()}`, { headers });

  /** A request up to the consent page. */
  async function begin(client: Pick<Client, 'client_id'>, challenge: string, extra: Record<string, string> = {}) {
    const answer = await authorize({ ...requestOf(client.client_id, challenge), ...extra });
    expect([answer.status, answer.text]).toEqual([303, '']);
    const location = answer.headers.location!;
    expect(location).toMatch(/^\/oauth\/consent\/[\w-]+$/);
    const browser: Browser = { cookies: [] };
    keep(browser, answer);
    const uid = location.split('/').at(-1)!;
    return { uid, browser, answer, cookie: cookieFor(browser, location) };
  }

  /** What the client is told when the person says no. */
  async function deny({ uid, browser, cookie }: Awaited<ReturnType<typeof begin>>): Promise<URL> {
    return finish(browser, await oauth.interactions.deny(uid, cookie));
  }

  /** What the browser does after the decision. */
  async function finish(browser: Browser, path: string): Promise<URL> {
    const answer = await send(`GET ${path as `/${string}`}`, { headers: { Cookie: cookieFor(browser, path) } });
    expect([answer.status, answer.text]).toEqual([303, '']);
    keep(browser, answer);
    return new URL(answer.headers.location!);
  }

  /** A whole authorization up to the code. */
  async function codeFor(client: Pick<Client, 'client_id'>, userId?: string, extra: Record<string, string> = {}) {
    const { verifier, challenge } = pkce();
    const { uid, browser, cookie } = await begin(client, challenge, extra);
    const path = await oauth.interactions.approve(uid, cookie, userId ?? users[0]?.userId ?? (await newUser()));
    const url = await finish(browser, path);
    return { code: url.searchParams.get('code')!, verifier, url };
  }

  const token = (form: Record<string, string>, headers = {}) => send('POST /oauth/token', { form, headers });

  const exchange = (
    client: Pick<Client, 'client_id'>,
    { code, verifier }: { code: string; verifier: string },
    extra = {},
  ) =>
    token({ grant_type: 'authorization_code', client_id: client.client_id, code, code_verifier: verifier, ...extra });

  const refresh = (client: Pick<Client, 'client_id'>, refreshToken: string, extra = {}) =>
    token({ grant_type: 'refresh_token', client_id: client.client_id, refresh_token: refreshToken, ...extra });

  /** The tokens of a fresh authorization. */
  async function tokensFor(client: Pick<Client, 'client_id'>, userId?: string) {
    const { status, body } = await exchange(client, await codeFor(client, userId));
    expect(status).toBe(200);
    return body as { access_token: string; refresh_token: string };
  }

  const whoIs = (bearer: string, path: `/${string}` = '/v1/whoami') =>
    send(`GET ${path}`, { headers: { Authorization: `Bearer ${bearer}` } });

  return {
    oauth,
    callers,
    store,
    clock,
    log: lines,
    port,
    rootUrl,
    send,
    newUser,
    users,
    register,
    authorize,
    begin,
    deny,
    finish,
    codeFor,
    token,
    exchange,
    refresh,
    tokensFor,
    whoIs,
  };
}

/** What tests of a server are given: `it` has a server of its own, and a client and a user of it where they are named. */
const testOf = (stores: Stores) =>
  test
    .extend('world', async () => openWorld(await stores.open()))
    .extend('client', ({ world }) => world.register())
    .extend('userId', ({ world }) => world.newUser());
type ServerTests = (given: Readonly<{ it: ReturnType<typeof testOf>; stores: Stores }>) => void;

/** The same tests of a server on several kinds of store. */
export function describeServer(title: string, ...rest: [ServerTests] | [OnWhich, ServerTests]): void {
  const [options, tests]: [OnWhich, ServerTests] = rest.length === 1 ? [{}, ...rest] : rest;
  describeStores(title, options, (stores) => {
    afterEach(() => void vi.useRealTimers());
    tests({ it: testOf(stores), stores });
  });
}

/** Two servers on one database, with one clock and one address. */
export async function openPair(stores: Stores) {
  const place = await stores.place();
  const first = await openWorld(await stores.open(place));
  const { clock, rootUrl } = first;
  return [first, await openWorld(await stores.open(place), { clock, rootUrl })] as const;
}

/** The parameters that an authorization needs. */
export const requestOf = (client_id: string, code_challenge = pkce().challenge) => ({
  client_id,
  redirect_uri: CALLBACK,
  code_challenge,
  code_challenge_method: 'S256',
});

/** What a browser remembers of an answer. */
export function keep(browser: Browser, { headers }: Pick<Answer, 'headers'>): void {
  for (const line of headers['set-cookie'] ?? []) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    const path = /path=([^;]+)/i.exec(line)?.[1] ?? '/';
    browser.cookies = browser.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (!/expires=Thu, 01 Jan 1970/i.test(line)) browser.cookies.push({ name: name!, value: value!, path, line });
  }
}

/** The Cookie header a browser sends for a path. */
export function cookieFor({ cookies }: Browser, path: string): string {
  const sent = cookies.filter(
    (cookie) => path === cookie.path || path.startsWith(`${cookie.path.replace(/\/$/, '')}/`),
  );
  return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
}
