import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeBrowser, signIn } from '../harness/calls/browser.ts';
import { askRest, type Answer } from '../harness/calls/requests.ts';
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

export type Tokens = Readonly<{ access_token: string; refresh_token: string }>;
type Client = Readonly<{ client_id: string }>;
type Issued = Readonly<{ code: string; verifier: string }>;

/** Registers a client, from an address as the proxy names it. */
export function register({ url }: Product, address = '192.0.2.1'): Promise<Answer> {
  const client = { client_name: 'Assistant', redirect_uris: [CALLBACK] };
  return askRest(url, null, 'POST /oauth/register', client, { 'X-Forwarded-For': address });
}

function token({ url }: Product, form: Record<string, string>): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return askRest(url, null, 'POST /oauth/token', new URLSearchParams(form).toString(), headers);
}

/** Trades a code for tokens. */
export const exchange = (server: Product, { client_id }: Client, { code, verifier }: Issued) =>
  token(server, { grant_type: 'authorization_code', client_id, code, code_verifier: verifier });

/** Trades a refresh token for the next ones. */
export const refresh = (server: Product, { client_id }: Client, refresh_token: string) =>
  token(server, { grant_type: 'refresh_token', client_id, refresh_token });

/** The user an access token acts for, read from the database each time. */
export const me = ({ url }: Product, { access_token }: Tokens, method = 'GET') =>
  askRest(url, access_token, `${method} /v1/users/me`);

/** Something for which a server only has to know the user it remembers. */
export const brands = ({ url }: Product, { access_token }: Tokens) => askRest(url, access_token, 'GET /v1/brands');

/** Two processes on a database that was empty before, a person of theirs, and a client the person can allow. */
export async function startPair(database: (typeof DATABASES)[number], env: Env = {}) {
  const dataDir = makeFolder();
  const settings: Env = { ...(await database.open()), MASTER_KEY, ROOT_URL, TRUST_PROXY: '1', ...env };
  const url = settings['DATABASE_URL'];
  const args = ['user', 'create', '--email', PERSON.email, '--password-stdin'];
  const made = await runCommand(args, { DATA_DIR: dataDir, ...settings }, { input: [`${PERSON.password}\n`] });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const start = () => startProduct(dataDir, settings);
  const servers = await Promise.all([start(), start()]);
  const [first, second] = servers;

  const registered = await register(first);
  expect(registered.status).toBe(201);
  const client = registered.body as Client;
  // The proxy hands the requests of a browser to the servers in turn.
  let turn = 0;
  const nextPort = () => Number(new URL(servers[turn++ % servers.length]!.url).port);
  const browser = makeBrowser({ config: { rootUrl: ROOT_URL }, root: ROOT_URL }, nextPort);
  expect((await signIn(browser, PERSON)).status).toBe(302);

  /** A code the person allowed on the page, each request of the way at another server than the one before. */
  async function codeFor(): Promise<Issued> {
    // What follows begins at the other server.
    turn += 1;
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const asked = await browser.open(`/oauth/authorize?${query.toString()}`);
    const location: unknown = expect.stringMatching(/^\/oauth\/consent\//);
    expect(asked).toMatchObject({ status: 303, headers: { location }, text: '' });
    const decided = await browser.submit(await browser.follow(asked), { decision: 'allow' });
    const { status, headers, text } = await browser.follow(decided);
    expect([status, headers.location, text]).toEqual([303, expect.stringContaining(`${CALLBACK}?code=`), '']);
    return { code: new URL(headers.location!).searchParams.get('code')!, verifier };
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
      const { status, body } = await exchange(first, client, await codeFor());
      expect(status).toBe(200);
      return body as Tokens;
    },
  });
}

export type Pair = Awaited<ReturnType<typeof startPair>>;
