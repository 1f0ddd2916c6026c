import { Agent } from 'node:http';
import { describe, expect } from 'vitest';
import { setUp, signIn, type Browser } from '../../harness/calls/browser.ts';
import { TOOLS } from '../../harness/calls/operations.ts';
import { exchange } from '../../harness/sockets.ts';
import { it as test, type World } from '../../harness/world.ts';

type Headers = Readonly<Record<string, string>>;

/** What a page of a signed-in person gives its scripts, and what their browser adds. */
async function pageOf(world: World, browser: Browser) {
  const { text } = await browser.open('/dashboard/keys');
  const token = /name="form_token" value="([0-9a-f]{64})"/.exec(text)![1]!;
  const cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return { session: { Cookie: cookie }, token: { 'Rostra-Page': token }, origin: { Origin: world.root } };
}

const it = test.extend('page', async ({ world }) => pageOf(world, await setUp(world)));

const agent = new Agent({ keepAlive: true });

/** The status of a call, the code of its refusal, and its answer. */
async function answerTo(world: World, method: string, path: string, headers: Headers, body?: string) {
  const { port, host } = new URL(world.root);
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const all = { Host: host, ...headers, ...length };
  const answer = await exchange({ port, method, path, headers: all, agent }, body);
  return { ...answer, code: answer.status < 400 ? undefined : (answer.body.error.code as string) };
}

/** Every operation, called so that it does nothing: what acts is sent a body that nobody can read. */
const CALLS = TOOLS.map(({ name, stream, http: { method, path } }) => ({
  name,
  method,
  path: path.replaceAll(/\{\w+\}/g, 'none') + (stream ? '?category=nothing' : ''),
  body: method === 'GET' ? undefined : '{',
}));

type Page = Awaited<ReturnType<typeof pageOf>>;
type Doubtful = Readonly<{ who: string; code: string; headers(page: Page, world: World): Headers }>;

const STRANGE = 'auth.state_mismatch';
const UNKNOWN = 'auth.not_authenticated';
const own = ({ session, token, origin }: Page) => ({ ...session, ...token, ...origin });
const bearer = ({ key }: World) => ({ Authorization: `Bearer ${key}` });
const DOUBTFUL: readonly Doubtful[] = [
  { who: 'the cookie alone', code: STRANGE, headers: ({ session, origin }) => ({ ...session, ...origin }) },
  { who: 'the page token alone', code: UNKNOWN, headers: ({ token, origin }) => ({ ...token, ...origin }) },
  {
    who: 'the token of another page',
    code: STRANGE,
    headers: (page) => ({ ...own(page), 'Rostra-Page': '0'.repeat(64) }),
  },
  { who: 'a foreign origin', code: STRANGE, headers: (page) => ({ ...own(page), Origin: 'https://evil.example' }) },
  { who: 'an origin that is hidden', code: STRANGE, headers: (page) => ({ ...own(page), Origin: 'null' }) },
  { who: 'another site', code: STRANGE, headers: (page) => ({ ...own(page), 'Sec-Fetch-Site': 'cross-site' }) },
  {
    who: 'a neighbour of the site',
    code: STRANGE,
    headers: (page) => ({ ...own(page), 'Sec-Fetch-Site': 'same-site' }),
  },
  { who: 'an address that was typed', code: STRANGE, headers: (page) => ({ ...own(page), 'Sec-Fetch-Site': 'none' }) },
  { who: 'a key', code: UNKNOWN, headers: ({ token, origin }, world) => ({ ...token, ...origin, ...bearer(world) }) },
];

/** The operations that answer otherwise than with a code; undefined stands for all that is no refusal of the caller. */
async function others(world: World, base: string, headers: Headers, code: string | undefined) {
  const found: unknown[] = [];
  for (const { name, method, path, body } of CALLS) {
    const answer = await answerTo(world, method, base + path, { 'Content-Type': 'application/json', ...headers }, body);
    const refusal = answer.code?.startsWith('auth.') === true ? answer.code : undefined;
    if (refusal !== code) found.push([name, answer.status, answer.code]);
  }
  return found;
}

describe('the door of the dashboard', () => {
  it('opens every operation to a session and its page together', async ({ world, page }) => {
    const headers = { ...own(page), 'Sec-Fetch-Site': 'same-origin' };
    expect(await others(world, '/dashboard/v1', headers, undefined)).toEqual([]);
  });

  it.for(DOUBTFUL)('refuses $who, for every operation', async ({ code, headers }, { world, page }) => {
    expect(await others(world, '/dashboard/v1', headers(page, world), code)).toEqual([]);
  });

  it('refuses what acts without an origin', async ({ world, page: { session, token } }) => {
    const open = await others(world, '/dashboard/v1', { ...session, ...token }, STRANGE);
    const reads = TOOLS.filter(({ http }) => http.method === 'GET').map(({ name }) => name);
    expect(open.map(([name]: any) => name)).toEqual(reads);
  });

  it('refuses a session that has ended, for every operation', async ({ world }) => {
    const browser = await setUp(world);
    const page = await pageOf(world, browser);
    await browser.submit(await browser.open('/dashboard/keys'), {}, '/sign-out');
    expect(await others(world, '/dashboard/v1', own(page), UNKNOWN)).toEqual([]);
  });

  it('is the only one for a session: /v1 refuses it, for every operation', async ({ world, page }) => {
    expect(await others(world, '/v1', own(page), 'auth.missing_header')).toEqual([]);
  });

  it('answers as /v1 does, repeats included, but tells other sites nothing', async ({ world, account, page }) => {
    const { session, token, origin } = page;
    const reads = { ...session, ...token };
    const read = await answerTo(world, 'GET', '/dashboard/v1/accounts?platform=bluesky', reads);
    expect(read).toMatchObject({ status: 200, body: { data: [{ id: account.id }] } });
    const json = { ...reads, ...origin, 'Content-Type': 'application/json', 'Idempotency-Key': 'pressed-once' };
    const create = () => answerTo(world, 'POST', '/dashboard/v1/posts', json, '{"text":"A draft"}');
    const [first, again] = [await create(), await create()];
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.body.id).toBe(first.body.id);
    // People read no names of operations.
    const said = async (path: string) => (await answerTo(world, 'GET', path, reads)).body.error.message as string;
    expect(await said('/dashboard/v1/posts/post_none')).toBe(
      'There is no post post_none. It may have been deleted: load the page again.',
    );
    expect(await said('/dashboard/v1/posts?limit=many')).toMatch(/^limit.* Correct it and try again\.$/);
    expect((await answerTo(world, 'GET', '/dashboard/v1/posts', session)).body.error.message).toMatch(/page/);
    expect((await answerTo(world, 'GET', '/dashboard/v1/oauth/redirect-uris', reads)).status).toBe(200);
    expect(first.headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = await answerTo(world, 'OPTIONS', '/dashboard/v1/posts', origin);
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([405, undefined]);
    for (const path of ['/dashboard/v1', '/dashboard/v1/', '/dashboard/v1/nothing', '/v1', '/v1?a=1'])
      expect([path, (await answerTo(world, 'GET', path, reads)).status]).toEqual([path, 404]);
  });

  it('gives a page of an earlier session the token of the present one, for the same person only', async ({ world }) => {
    const browser = await setUp(world);
    const page = await pageOf(world, browser);
    const ask = (headers: Headers) => answerTo(world, 'GET', '/dashboard/session', headers);
    const [mine, ...others] = [await ask(own(page)), await ask(page.token), await ask(page.session)];
    expect([mine.status, mine.body.token]).toEqual([200, page.token['Rostra-Page']]);
    expect(mine.headers['cache-control']).toBe('no-store');
    expect(others.map(({ code }) => code)).toEqual([UNKNOWN, STRANGE]);
    const foreign = { ...own(page), 'Sec-Fetch-Site': 'cross-site' };
    expect((await ask(foreign)).code).toBe(STRANGE);

    await browser.submit(await browser.open('/dashboard/keys'), {}, '/sign-out');
    await signIn(browser);
    const now = { ...own(await pageOf(world, browser)), ...page.token };
    expect((await answerTo(world, 'GET', '/dashboard/v1/brands', now)).code).toBe(STRANGE);
    const { body } = await ask(now);
    expect(body.person).toBe(mine.body.person);
    expect((await answerTo(world, 'GET', '/dashboard/v1/brands', { ...now, 'Rostra-Page': body.token })).status).toBe(
      200,
    );
  });
});
