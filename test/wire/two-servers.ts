import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formsOf } from '../harness/calls/browser.ts';
import { freshDatabase, noPostgres } from '../harness/stores/postgres.ts';
import { makeFolder } from '../harness/folders.ts';
import { runCommand, startProduct, type Product } from './clients/product.ts';

/** Several processes on PostgreSQL are told it; on a file they find it beside that. */
const MASTER_KEY = '5a'.repeat(32);
/** The address of both servers: that of the proxy in front of them. */
const ROOT_URL = 'https://social.example.org';
const CALLBACK = 'https://app.example.org/back';
const PERSON = Object.freeze({ email: 'anna@example.org', password: 'correct horse battery' });

type Env = Readonly<Record<string, string>>;

/** The databases that two servers can share; `open` answers the settings of a fresh one. */
export const DATABASES = Object.freeze([
  { name: 'one SQLite file', missing: undefined, open: async (): Promise<Env> => ({}) },
  {
    name: 'one PostgreSQL database',
    missing: noPostgres,
    open: async (): Promise<Env> => ({ DATABASE_URL: await freshDatabase('wire'), MASTER_KEY }),
  },
]);

export type Answer = Readonly<{ status: number; headers: Headers; body: any }>;
export type Tokens = Readonly<{ access_token: string; refresh_token: string }>;
type Client = Readonly<{ client_id: string }>;
type Issued = Readonly<{ code: string; verifier: string }>;

/** Asks one server something that is answered in JSON. */
export async function ask(server: Product, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(server.url + path, init);
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Registers a client, from an address as the proxy names it. */
export const register = (server: Product, address = '192.0.2.1') =>
  ask(server, '/oauth/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [CALLBACK] }),
  });

const token = (server: Product, form: Record<string, string>) =>
  ask(server, '/oauth/token', { method: 'POST', body: new URLSearchParams(form) });

/** Trades a code for tokens. */
export const exchange = (server: Product, { client_id }: Client, { code, verifier }: Issued) =>
  token(server, { grant_type: 'authorization_code', client_id, code, code_verifier: verifier });

/** Trades a refresh token for the next ones. */
export const refresh = (server: Product, { client_id }: Client, refresh_token: string) =>
  token(server, { grant_type: 'refresh_token', client_id, refresh_token });

const bearer = ({ access_token }: Tokens) => ({ Authorization: `Bearer ${access_token}` });

/** The user an access token acts for, read from the database each time. */
export const me = (server: Product, tokens: Tokens, method = 'GET') =>
  ask(server, '/v1/users/me', { method, headers: bearer(tokens) });

/** Something for which a server only has to know the user it remembers. */
export const brands = (server: Product, tokens: Tokens) => ask(server, '/v1/brands', { headers: bearer(tokens) });

type Shown = Readonly<{ status: number; location: string; text: string }>;

/** A browser whose requests a proxy hands to the servers in turn. */
function makeBrowser(servers: readonly Product[]) {
  const jar = new Map<string, Readonly<{ value: string; path: string }>>();
  let turn = 0;

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)!;
    const path = /; *path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
    else jar.set(name, { value, path });
  }

  async function send(path: string, init: RequestInit = {}): Promise<Shown> {
    const server = servers[turn++ % servers.length]!;
    const kept = [...jar].filter(([, cookie]) => path.startsWith(cookie.path));
    const Cookie = kept.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { Cookie, Origin: ROOT_URL, 'X-Forwarded-For': '192.0.2.2' };
    const answer = await fetch(server.url + path, { redirect: 'manual', headers, ...init });
    answer.headers.getSetCookie().forEach(keep);
    return { status: answer.status, location: answer.headers.get('Location') ?? '', text: await answer.text() };
  }

  return Object.freeze({
    open: (path: string) => send(path),
    /** Fills in the form of a page whose action begins so, and sends it. */
    submit(page: Shown, action: string, fields: Record<string, string>): Promise<Shown> {
      const form = formsOf(page.text).find((one) => one.action.startsWith(action));
      if (form === undefined) throw new Error(`no form for ${action}: ${page.status} ${page.text}`);
      return send(form.action, { method: 'POST', body: new URLSearchParams({ ...form.hidden, ...fields }) });
    },
    /** Leaves one server out, so that what follows begins at the other one. */
    skip: () => void (turn += 1),
  });
}

/** Two processes on a database that was empty before, a person of theirs, and a client the person can allow. */
export async function startPair(database: (typeof DATABASES)[number], env: Env = {}) {
  const dataDir = makeFolder();
  const settings: Env = { ...(await database.open()), MASTER_KEY, ROOT_URL, TRUST_PROXY: '1', ...env };
  const url = settings['DATABASE_URL'];
  const args = ['user', 'create', '--email', PERSON.email, '--password-stdin'];
  const made = await runCommand(args, { DATA_DIR: dataDir, ...settings }, { input: `${PERSON.password}\n` });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const start = () => startProduct(dataDir, settings);
  const servers = await Promise.all([start(), start()]);
  const [first, second] = servers;

  const registered = await register(first);
  expect(registered.status).toBe(201);
  const client = registered.body as Client;
  const browser = makeBrowser(servers);
  const { status } = await browser.submit(await browser.open('/sign-in'), '/sign-in', PERSON);
  expect(status).toBe(302);

  /** A code the person allowed on the page, each request of the way at another server than the one before. */
  async function codeFor(): Promise<Issued> {
    browser.skip();
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const asked = await browser.open(`/oauth/authorize?${query.toString()}`);
    expect(asked).toEqual({ status: 303, location: expect.stringMatching(/^\/oauth\/consent\//), text: '' });
    const page = await browser.open(asked.location);
    const decided = await browser.submit(page, '/oauth/consent/', { decision: 'allow' });
    const back = await browser.open(decided.location);
    expect(back).toEqual({ status: 303, location: expect.stringContaining(`${CALLBACK}?code=`), text: '' });
    return { code: new URL(back.location).searchParams.get('code')!, verifier };
  }

  return Object.freeze({
    servers,
    first,
    second,
    person: PERSON,
    client,
    browser,
    /** What a third process on the same database opens it and its secrets with. */
    masterKey: MASTER_KEY,
    place: url === undefined ? { file: join(dataDir, 'rostra.db') } : { url },
    codeFor,
    async tokens(): Promise<Tokens> {
      const { status: given, body } = await exchange(first, client, await codeFor());
      expect(given).toBe(200);
      return body as Tokens;
    },
  });
}

export type Pair = Awaited<ReturnType<typeof startPair>>;
