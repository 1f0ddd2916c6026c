import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../../harness/program.ts';
import { listen as listenTo, look as lookAt, missing, openChromium } from '../clients/chromium.ts';
import { serve, stop } from '../clients/serving.ts';

const EMAIL = 'anna@example.org';
const PASSWORD = 'correct horse battery';
const NEXT_PASSWORD = 'a better horse battery';
const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const dataDir = mkdtempSync(join(tmpdir(), 'rostra-browser-'));
const firstRun = join(dataDir, 'first-run.txt');
const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error' };

const setUpLink = () => /^ {2}Set up {5}(\S+)$/m.exec(readFileSync(firstRun, 'utf8'))![1]!;

describe.skipIf(missing !== '')(`a browser without scripts${missing}`, () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let client: Server;
  let callback: string;
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];
  const visited: string[] = [];

  beforeAll(async () => {
    server = await serve({ ...env, PORT: '0' });
    client = createServer((req, res) => {
      visited.push(req.url!);
      res.setHeader('Content-Type', 'text/html');
      res.end('<!doctype html><link rel="icon" href="data:,"><title>The app</title><h1>Back at the app</h1>');
    });
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/back`;
    ({ browser, complaints, page } = await openChromium());
  });

  afterAll(async () => {
    await browser?.close();
    client?.closeAllConnections();
    client?.close();
    if (server?.child.exitCode === null) await stop(server.child);
    rmSync(dataDir, { recursive: true, force: true });
  });

  const heading = () => page.locator('h1').innerText();
  const register = async (): Promise<string> => {
    const body = JSON.stringify({ client_name: 'Assistant', redirect_uris: [callback] });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${server.root}/oauth/register`, { method: 'POST', headers, body });
    return ((await answer.json()) as { client_id: string }).client_id;
  };
  const authorize = (client_id: string) => {
    const query = {
      client_id,
      redirect_uri: callback,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: 'ünï & ✓',
    };
    return `${server.root}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  };
  const exchange = async (form: Record<string, string>) => {
    const answer = await fetch(`${server.root}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };

  const look = (name: string) => lookAt(page, name);
  const listen = () => listenTo(page);

  it('sets the server up with the link of the first start', async () => {
    expect(server.printed).not.toMatch(/setup\?token|rostra_key_/);
    expect(statSync(firstRun).mode & 0o777).toBe(0o600);
    await page.goto(server.root);
    await look('landing-new');
    await page.goto(setUpLink());
    expect(page.url()).not.toContain('token');
    await listen();
    await look('setup');
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Your name').fill('Anna');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password once more').fill('a different one');
    await page.getByRole('button', { name: 'Become the owner' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('differ');
    await look('setup-refused');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password once more').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.root}/`);
    expect(await heading()).toBe('Overview');
    await look('overview');
    expect(existsSync(firstRun)).toBe(false);
  });

  it('signs out, and in again by the keyboard alone', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await heading()).toBe('You are signed out');
    await look('signed-out');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await listen();
    await look('sign-in');
    expect(await page.locator('input:focus').getAttribute('name')).toBe('email');
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong password');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toContain('is wrong');
    await look('sign-in-refused');
    expect(await page.locator('input:focus').getAttribute('name')).toBe('password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.root}/`);
  });

  it('says so when it keeps no cookies', async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false });
    const tab = await bare.newPage();
    await tab.goto(`${server.root}/sign-in`);
    await bare.clearCookies();
    await tab.getByLabel('E-mail address').fill(EMAIL);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    expect(await tab.locator('h1').innerText()).toBe('No cookie came back');
    await bare.close();
  });

  it('agrees to an app, which then acts for the person', async () => {
    const client_id = await register();
    await page.goto(authorize(client_id));
    expect(await heading()).toBe('Allow Assistant to act for you?');
    expect(await page.locator('main').innerText()).toContain(new URL(callback).host);
    await listen();
    await look('consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${callback}?**`);
    const back = new URL(page.url());
    expect(back.searchParams.get('state')).toBe('ünï & ✓');
    const code = back.searchParams.get('code')!;
    const tokens = await exchange({ grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER });
    expect(tokens.status).toBe(200);
    const me = await fetch(`${server.root}/v1/users/me`, {
      headers: { Authorization: `Bearer ${tokens.body['access_token']}` },
    });
    expect(await me.json()).toMatchObject({ email: EMAIL });

    await page.goto(`${server.root}/dashboard/apps`);
    expect(await page.locator('main').innerText()).toContain('Assistant');
    await look('apps');
    await page.getByRole('button', { name: 'Revoke Assistant' }).click();
    await page.getByText('No app is connected').waitFor();
    await look('apps-none');
    const ended = await exchange({
      grant_type: 'refresh_token',
      client_id,
      refresh_token: tokens.body['refresh_token']!,
    });
    expect([ended.status, ended.body['error']]).toEqual([400, 'invalid_grant']);
  });

  it('signs in on the way to an app, and says no to it', async () => {
    const guest = await browser.newContext({ javaScriptEnabled: false });
    const tab = await guest.newPage();
    await tab.goto(authorize(await register()));
    await tab.getByLabel('E-mail address').fill(EMAIL);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'Deny' }).click();
    await tab.waitForURL(`${callback}?**`);
    expect(Object.fromEntries(new URL(tab.url()).searchParams)).toEqual({ error: 'access_denied', state: 'ünï & ✓' });
    await tab.goBack();
    await guest.close();
    expect(visited.filter((url) => url.includes('access_denied'))).toHaveLength(1);
  });

  it('makes and revokes a key', async () => {
    await page.goto(`${server.root}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click();
    await listen();
    await look('keys');
    await page.getByLabel('Name').fill('n8n');
    await page.getByRole('checkbox', { name: /^posts:read/ }).check();
    await page.getByRole('button', { name: 'Create API key' }).click();
    const key = await page.locator('.secret code').innerText();
    await look('key-made');
    const use = async () =>
      (await fetch(`${server.root}/v1/posts`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await use()).toBe(200);
    await page.getByRole('link', { name: 'Back to the keys' }).click();
    await page.getByRole('button', { name: 'Revoke the key n8n' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect(await use()).toBe(401);
  });

  it('registers and removes a redirect address', async () => {
    await page.goto(`${server.root}/dashboard/redirect-uris`);
    await listen();
    await look('redirects-open');
    await page.getByLabel('Address').fill('https://app.example.org/back');
    await page.getByLabel('Label').fill('My app');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('My app').waitFor();
    await look('redirects');
    await page.getByRole('button', { name: 'Remove https://app.example.org/back' }).click();
    await page.getByText('Open mode.').waitFor();
  });

  it('trades its session for a dashboard token, as the command line does', async () => {
    await page.goto(`${server.root}/dashboard/token`);
    await look('token');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('.secret code').innerText();
    await look('token-made');
    const list = (bearer: string) =>
      fetch(`${server.root}/v1/oauth/redirect-uris`, { headers: { Authorization: `Bearer ${bearer}` } });
    expect((await list(token)).status).toBe(200);

    const port = new URL(server.root).port;
    const rostra = (...args: string[]) =>
      spawnSync(process.execPath, [MAIN, ...args], { env: { ...env, PORT: port }, encoding: 'utf8' });
    const made = rostra('token', 'create', '--user', ' Anna@Example.org');
    expect([made.status, made.stdout]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
    expect((await list(made.stdout.trim())).status).toBe(200);
    for (const args of [['--user', 'nobody@example.org'], ['--user', 'nobody'], []]) {
      const refused = rostra('token', 'create', ...args);
      expect(refused.status).toBe(1);
      expect(refused.stdout).toBe('');
      expect(refused.stderr).toMatch(/^rostra: [^\n]+\n$/);
    }
  });

  it('changes its password, and signs the other browsers out', async () => {
    const other = await browser.newContext({ javaScriptEnabled: false });
    const tab = await other.newPage();
    await tab.goto(`${server.root}/sign-in`);
    await tab.getByLabel('E-mail address').fill(EMAIL);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    expect(await tab.locator('h1').innerText()).toBe('Overview');

    await page.goto(`${server.root}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'Password' }).click();
    await listen();
    await look('password');
    const fill = async (current: string, repeated = NEXT_PASSWORD) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(NEXT_PASSWORD);
      await page.getByLabel('New password once more').fill(repeated);
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    };
    await fill(PASSWORD, 'a different one');
    expect(await page.getByRole('alert').innerText()).toContain('differ');
    expect(await page.locator('input:focus').getAttribute('name')).toBe('repeated');
    await fill('wrong password');
    expect(await page.getByRole('alert').innerText()).toContain('is wrong');
    expect(await page.locator('input:focus').getAttribute('name')).toBe('current');
    await listen();
    await look('password-refused');
    await fill(PASSWORD);
    expect(await heading()).toBe('Your password is changed');
    await look('password-changed');

    await tab.reload();
    expect(await tab.getByRole('link', { name: 'Sign in' }).count()).toBe(1);
    await other.close();
    await page.getByRole('link', { name: 'Back to the overview' }).click();
    expect(await heading()).toBe('Overview');
  });

  it('has its password reset by the operator', async () => {
    const { port } = new URL(server.root);
    const args = [MAIN, 'user', 'password', '--email', EMAIL, '--password-stdin'];
    const done = spawnSync(process.execPath, args, { env: { ...env, PORT: port }, input: PASSWORD, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    await page.goto(`${server.root}/dashboard/password`);
    expect(await heading()).toBe('Sign in');
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.root}/dashboard/password`);
  });

  it('sees one kind of error page', async () => {
    await page.goto(`${server.root}/oauth/consent/gone`);
    expect(await page.locator('main').innerText()).toContain('auth.oauth.request_expired');
    await look('expired');
    await page.goto(`${server.root}/setup`);
    await look('setup-spent');
    // Statuses above 399 are told on the console; nothing else is.
    expect(complaints.filter((line) => !/the server responded with a status of (?:400|403)/.test(line))).toEqual([]);
  });

  it('finds no set-up link after a later start', async () => {
    const { port } = new URL(server.root);
    await stop(server.child);
    server = await serve({ ...env, PORT: port });
    expect(server.printed).not.toContain('Set up');
    expect(existsSync(firstRun)).toBe(false);
    await page.goto(`${server.root}/dashboard/keys`);
    expect(await heading()).toBe('API keys');
  });
});

describe('starts before the owner has a password', () => {
  it('keep the first key and replace the link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostra-starts-'));
    const file = join(folder, 'first-run.txt');
    const start = async () => {
      const child = spawn(process.execPath, [MAIN, 'serve'], {
        env: { ...env, DATA_DIR: folder, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      for await (const chunk of child.stdout) {
        printed += String(chunk);
        if (/REST {7}\S+\/v1\n/.test(printed)) break;
      }
      await stop(child);
      const text = readFileSync(file, 'utf8');
      return { printed, link: /^ {2}Set up {5}\S+token=([0-9a-f]{64})$/gm.exec(text)![1]!, text };
    };
    try {
      const [first, second] = [await start(), await start()];
      expect(second.link).not.toBe(first.link);
      expect(second.text.match(/^ {2}Set up/gm)).toHaveLength(1);
      expect(second.text).toContain(/API key {4}(\S+)/.exec(first.text)![1]!);
      expect(second.printed).toContain(file);
      expect(`${first.printed}${second.printed}`).not.toMatch(/token=|rostra_key_/);
      rmSync(file);
      const third = await start();
      expect(third.text).not.toContain('rostra_key_');
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
