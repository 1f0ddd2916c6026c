import { createServer } from 'node:http';
import Koa from 'koa';
import { onTestFinished } from 'vitest';
import { ApiError } from '#kernel/errors.ts';
import { makeLog } from '#kernel/log.ts';
import { makeSealer } from '#kernel/seal.ts';
import { sha256 } from '#kernel/sign.ts';
import type { RequestState } from '#kernel/route.ts';
import type { Connect, ConnectPending } from '#serve/web/connect/pending.ts';
import { makeRouter } from '#serve/http/router.ts';
import { makePages } from '#serve/web/index.ts';
import { exchange, listen, stop } from '../sockets.ts';

export const STATE = 'a1'.repeat(32);
const START = Date.UTC(2026, 10, 21);
const sealer = makeSealer(['0f'.repeat(32)]);

export type Account = Awaited<ReturnType<Connect['submit']>>;
type Row = ConnectPending['row'];

const formOf = ({ connect }: ConnectPending['platform']) => (connect.kind === 'direct' ? connect.form : undefined);

/** A connection as the engine would give it. */
export function pendingOf(row: Partial<Row> = {}, more: Partial<Omit<ConnectPending, 'row'>> = {}): ConnectPending {
  return {
    row: {
      id: sha256(STATE),
      workspace_id: 'ws_1',
      platform: 'bluesky',
      network: 'real',
      brand_id: null,
      account_id: null,
      redirect_uri: 'https://app.example.org/back?tenant=7',
      client_state: 'abc',
      sealed: '',
      created_at: START,
      expires_at: START + 900_000,
      used_at: null,
      app_id: null,
      invite_id: null,
      metadata: {},
      ...row,
    },
    platform: DIRECT,
    form: formOf(more.platform ?? DIRECT),
    brandName: 'Acme',
    username: undefined,
    invitedUntil: undefined,
    ...more,
  };
}

const DIRECT: ConnectPending['platform'] = {
  slug: 'bluesky',
  title: 'Bluesky',
  hosts: { real: {}, sandbox: () => ({}) },
  connect: {
    kind: 'direct',
    required: ['identifier', 'app_password'],
    form: [
      {
        name: 'identifier',
        label: 'Handle',
        hint: 'Such as alice.example.',
        type: 'text',
        required: true,
        autocomplete: 'username',
      },
      { name: 'app_password', label: 'App password', hint: 'Made in the settings.', type: 'password', required: true },
      { name: 'service', label: 'Server', hint: '', type: 'url', required: false },
    ],
    login: () => Promise.reject(new Error('the engine logs in, not the page')),
  },
};

const CONSENT: ConnectPending['platform'] = {
  slug: 'threads',
  title: 'Threads',
  hosts: { real: {}, sandbox: () => ({}) },
  connect: {
    kind: 'oauth',
    begin: () => Promise.reject(new Error('begun already')),
    finish: () => Promise.reject(new Error('not a matter of the page')),
  },
};

/** A platform with a consent page of its own, and a row that leads there. */
export function consentPending(url: string, row: Partial<Row> = {}): ConnectPending {
  return pendingOf({ platform: 'threads', sealed: `sealed ${url}`, ...row }, { platform: CONSENT });
}

export const accountOf = (more: Partial<Account> = {}) =>
  ({ id: 'acc_1', network: 'real', metadata: {}, ...more }) as Account;

export const refusedLogin = () => new ApiError('platform.bluesky.auth', { message: 'The app password is wrong.' });

/** A promise and the function that fulfils it. */
export function deferred<T>() {
  const { promise, resolve: settle } = Promise.withResolvers<T>();
  return { promise, settle };
}

const unused = () => Promise.reject(new Error('nobody signs in here'));

/** What the pages of the signed in need, in a world where nobody is. */
const nobody = {
  signin: {
    passwordLength: { min: 10, max: 256 },
    signIn: unused,
    hasPassword: unused,
    changePassword: unused,
    confirmPassword: unused,
    devices: unused,
    endDevice: unused,
    endOtherDevices: unused,
    rename: unused,
    visitor: () => Promise.resolve(undefined),
    signOut: unused,
    isSetupNeeded: () => Promise.resolve(false),
    setupLink: unused,
    isSetupOpen: () => Promise.resolve(false),
    setUp: unused,
    passwordLinks: undefined,
    invitation: async () => undefined,
    join: unused,
  },
  people: { keysOf: unused, mailsInvitations: false },
  oauth: {
    interactions: { read: unused, allowedBefore: unused, approve: unused, deny: unused },
    signDashboardToken: unused,
  },
  audit: { note: unused, rehearse: unused },
  toolsets: [],
  invoke: unused,
  isConsole: () => false,
};

/**
 * The pages on a server that ends with the test, before a simulator for the API; `login` is what the engine does with
 * a form.
 */
export async function openWeb({
  rootUrl,
  sandbox = true,
  pending = pendingOf(),
  login = () => Promise.resolve(accountOf()),
}: Readonly<{
  rootUrl?: string;
  sandbox?: boolean;
  pending?: ConnectPending;
  login?: (fields: Readonly<Record<string, string>>) => Promise<Account>;
}> = {}) {
  const lines: string[] = [];
  const submitted: Readonly<Record<string, string>>[] = [];
  const server = createServer();
  onTestFinished(() => stop(server));
  const local = `http://localhost:${await listen(server)}`;
  const origin = rootUrl ?? local;
  const live = { used: false, now: START };

  const isUnused = (slug: string, state: string) =>
    slug === pending.platform.slug && sha256(state) === pending.row.id && !live.used;
  const isOver = () => live.now >= pending.row.expires_at;

  const connect: Connect = {
    pending: async (slug, state) => (isUnused(slug, state) && !isOver() ? pending : undefined),
    expired: async (slug, state) =>
      isUnused(slug, state) && isOver() ? { row: pending.row, code: 'auth.state_mismatch' } : undefined,
    async submit(_pending, fields) {
      submitted.push(fields);
      const account = await login(fields);
      if (live.used) throw new ApiError('auth.state_mismatch');
      live.used = true;
      return account;
    },
    consents: ({ row, platform }) =>
      platform.connect.kind === 'oauth' ? [{ title: platform.title, url: row.sealed.replace('sealed ', '') }] : [],
    finishCallback: () => Promise.reject(new ApiError('auth.state_mismatch')),
    openChoice: () => Promise.resolve(undefined),
    pick: () => Promise.reject(new Error('there is no choice')),
    forgo: () => Promise.resolve(false),
    abandon() {
      const first = !live.used;
      live.used = true;
      return Promise.resolve(first);
    },
  };

  const app = new Koa<RequestState>();
  app.use((ctx, next) => {
    ctx.state.requestId = 'req1';
    return next();
  });
  app.use(
    makeRouter(
      makePages({
        config: { rootUrl: origin, sandbox, consentPreset: 'full', stripe: undefined },
        connect,
        invites: { open: () => Promise.reject(new ApiError('resource.not_found')) },
        workspaceName: (id) => Promise.resolve(`Workspace of ${id}`),
        paymentOutcome: () => Promise.resolve(undefined),
        log: makeLog({ level: 'debug' }, { write: (line) => void lines.push(line) }),
        clock: { now: () => live.now, after: () => () => undefined },
        sealer,
        version: '1.2.3',
        root: '/',
        titleOf: (slug) => [DIRECT, CONSENT].find((platform) => platform.slug === slug)?.title,
        setups: [],
        providers: [],
        pause: { state: () => undefined, isOwner: async () => false, takeOver: async () => 0 },
        doctor: undefined,
        ...nobody,
      }).routes,
    ),
  );
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { error: { code: 'http.404' } };
  });
  const listener = app.callback();
  server.on('request', (req, res) => void listener(req, res));

  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) => {
    const target = path.startsWith(origin) ? path.slice(origin.length) : path;
    return exchange({ port: new URL(local).port, method, path: target, headers }, body);
  };

  /** Opens a form as a browser does, and gives back what posting it takes. */
  async function visit(path = `/connect/bluesky/form?state=${STATE}`) {
    const shown = await send('GET', path);
    const cookie = shown.setCookies.map((line) => line.split(';')[0]!).join('; ');
    const token = /name="form_token" value="([0-9a-f]+)"/.exec(shown.text)?.[1] ?? '';
    const post = (fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
      send(
        'POST',
        path,
        { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin, Cookie: cookie, ...headers },
        new URLSearchParams({ form_token: token, ...fields }).toString(),
      );
    return { shown, cookie, token, post };
  }

  return { origin, live, lines, submitted, send, visit };
}
