import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missing, openChromium } from '../clients/chromium.ts';
import { serve, stop } from '../clients/serving.ts';

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const PASSWORD = 'correct horse battery';
const BOB = 'bob.sandbox.test';

const dataDir = mkdtempSync(join(tmpdir(), 'rostra-redirects-'));
const firstRun = () => readFileSync(join(dataDir, 'first-run.txt'), 'utf8');

/** Each hop has a host name of its own; Chromium takes all of them for this machine. */
const HOSTS = ['localhost', 'relay.localhost', 'app.localhost'] as const;

describe.skipIf(missing !== '')(`clients whose callback redirects on, in a browser without scripts${missing}`, () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let client: Server;
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];
  let key: string;
  /** Where the chain of redirects ends. */
  let end: string;
  /** What was fetched of the client: host, path and query. */
  let fetched: string[];
  let referrers: (string | undefined)[];

  const at = (host: string, path: string) => `http://${host}:${(client.address() as AddressInfo).port}${path}`;

  beforeAll(async () => {
    server = await serve({ PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error', PORT: '0' });
    client = createServer((req, res) => {
      const { pathname, search } = new URL(req.url!, 'http://any.invalid');
      fetched.push(`${req.headers.host!.split(':')[0]}${pathname}${search}`);
      referrers.push(req.headers.referer);
      const next = { '/back': at(HOSTS[1], '/relay'), '/relay': end }[pathname];
      if (next === undefined) res.setHeader('Content-Type', 'text/html');
      else res.writeHead(pathname === '/back' ? 302 : 303, { Location: `${next}${search}` });
      res.end('<!doctype html><link rel="icon" href="data:,"><title>The app</title><h1>Back at the app</h1>');
    });
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    key = /^ {2}API key {4}(\S+)$/m.exec(firstRun())![1]!;
    ({ browser, complaints, page } = await openChromium());
    await page.goto(/^ {2}Set up {5}(\S+)$/m.exec(firstRun())![1]!);
    await page.getByLabel('E-mail address').fill('anna@example.org');
    await page.getByLabel('Your name').fill('Anna');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password once more').fill(PASSWORD);
    await page.getByRole('button', { name: 'Become the owner' }).click();
    await page.waitForURL(`${server.root}/`);
  });

  afterAll(async () => {
    await browser?.close();
    client?.closeAllConnections();
    client?.close();
    if (server?.child.exitCode === null) await stop(server.child);
    rmSync(dataDir, { recursive: true, force: true });
  });

  beforeEach(() => {
    fetched = [];
    referrers = [];
    end = at(HOSTS[2], '/done');
  });

  /** Every hop was fetched with the same query, none was told where the browser came from, and no policy was violated. */
  function arrived(hops: readonly string[]): URLSearchParams {
    const queries = fetched.map((url) => url.split('?')[1]);
    expect(fetched.map((url) => url.split('?')[0])).toEqual(hops);
    expect(new Set(queries).size).toBe(1);
    expect(referrers.filter((one) => one !== undefined)).toEqual([]);
    expect(complaints.filter((line) => /content security policy|form-action|ERR_BLOCKED/i.test(line))).toEqual([]);
    return new URLSearchParams(queries[0]);
  }
  const WHOLE = ['localhost/back', 'relay.localhost/relay', 'app.localhost/done'];

  async function askConsent(): Promise<string> {
    const redirect_uri = at(HOSTS[0], '/back');
    const answer = await fetch(`${server.root}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirect_uri] }),
    });
    const { client_id } = (await answer.json()) as { client_id: string };
    const query = { client_id, redirect_uri, code_challenge: CHALLENGE, code_challenge_method: 'S256', state: 's1' };
    await page.goto(`${server.root}/oauth/authorize?${new URLSearchParams(query).toString()}`);
    return client_id;
  }

  async function startConnection(platform: string): Promise<void> {
    const answer = await fetch(`${server.root}/v1/accounts/connect`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ platform, redirect_uri: at(HOSTS[0], '/back'), state: 's1' }),
    });
    await page.goto(((await answer.json()) as { auth_url: string }).auth_url);
  }

  it('get a code that works', async () => {
    const client_id = await askConsent();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${end}?**`);
    const query = arrived(WHOLE);
    expect(query.get('state')).toBe('s1');
    const grant_type = 'authorization_code';
    const form = new URLSearchParams({ grant_type, client_id, code: query.get('code')!, code_verifier: VERIFIER });
    expect((await fetch(`${server.root}/oauth/token`, { method: 'POST', body: form })).status).toBe(200);
    // The way back leads to no second code.
    await page.goBack();
    expect(await page.locator('main').innerText()).toContain('auth.oauth.request_expired');
  });

  it('get a code that their own program is handed by a scheme of its own', async () => {
    end = 'rostra-test-app://done';
    // The browser asks whether to open the app, and until it is answered that tab takes no more clicks.
    const first = page;
    page = await first.context().newPage();
    await askConsent();
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect.poll(() => fetched.length).toBe(2);
    expect(arrived(WHOLE.slice(0, 2)).has('code')).toBe(true);
    await page.close();
    page = first;
  });

  it('hear a no', async () => {
    await askConsent();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${end}?**`);
    expect(arrived(WHOLE).get('error')).toBe('access_denied');
  });

  it('hear of an account that was connected by our own form', async () => {
    await page.goto(`${server.root}/sandbox/bluesky`);
    const shown = await page.locator('#people tr').filter({ hasText: BOB }).locator('code').first().innerText();
    await startConnection('bluesky');
    await page.getByLabel('Handle').fill(BOB);
    await page.getByLabel('App password').fill(shown);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.waitForURL(`${end}?**`);
    expect(Object.fromEntries(arrived(WHOLE))).toMatchObject({ status: 'success', state: 's1' });
  });

  it('hear of an account that was connected by the dialog of a platform', async () => {
    await startConnection('facebook');
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByLabel('Olivia Harbour').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${end}?**`);
    expect(Object.fromEntries(arrived(WHOLE))).toMatchObject({ platform: 'facebook', state: 's1' });
  });

  it.each(['bluesky', 'facebook'])('hear that a person gave up connecting %s', async (platform) => {
    await startConnection(platform);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${end}?**`);
    expect(arrived(WHOLE).get('error')).toBe('access_denied');
  });
});
