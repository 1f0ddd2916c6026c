import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { MAIN } from '../../harness/program.ts';
import { headingOf, it, missing, press } from '../clients/chromium.ts';
import { serve, type Served } from '../clients/serving.ts';
import { startClient } from './client.ts';
import { EMAIL, fillSetUp, PASSWORD, signIn } from './owner.ts';

const NEXT_PASSWORD = 'a better horse battery';
const STATE = 'ünï & ✓';

describe.skipIf(missing !== '')(`a browser without scripts${missing}`, () => {
  const dataDir = makeFolder(afterAll);
  const firstRun = join(dataDir, 'first-run.txt');
  let server: Served;
  let client: Awaited<ReturnType<typeof startClient>>;
  let callback: string;
  const visited: string[] = [];

  beforeAll(async () => {
    server = await serve(dataDir);
    client = await startClient(server.root, ({ url }) => void visited.push(url!));
    callback = client.at('127.0.0.1', '/back');
  });
  afterAll(() => Promise.all([client?.close(), server?.stop()]));

  /** Another browser, which knows nobody. */
  const newTab = async (browser: Browser) => (await browser.newContext({ javaScriptEnabled: false })).newPage();
  const rostra = (args: readonly string[], input = '') => {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error', PORT: new URL(server.root).port };
    return spawnSync(process.execPath, [MAIN, ...args], { env, input, encoding: 'utf8' });
  };
  const asks = (path: string, bearer: string) =>
    fetch(server.root + path, { headers: { Authorization: `Bearer ${bearer}` } });

  it('sets the server up with the link of the first start', async ({ page, press, look, listen }) => {
    expect(server.printed).not.toMatch(/setup\?token|rostra_key_/);
    expect(statSync(firstRun).mode & 0o777).toBe(0o600);
    await page.goto(server.root);
    await look('landing-new');
    await page.goto(server.setUpLink());
    expect(page.url()).not.toContain('token');
    await listen();
    await look('setup');
    await fillSetUp(page, 'a different one');
    await press('Become the owner');
    expect(await page.getByRole('alert').innerText()).toContain('differ');
    await look('setup-refused');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password once more').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.root}/dashboard`);
    expect(await headingOf(page)).toBe('Today');
    await look('today');
    expect(existsSync(firstRun)).toBe(false);
  });

  it('signs out, and in again by the keyboard alone', async ({ page, press, look, listen }) => {
    await press('Sign out');
    expect(await headingOf(page)).toBe('You are signed out');
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
    await page.waitForURL(`${server.root}/dashboard`);
  });

  it('says so when it keeps no cookies', async ({ browser }) => {
    const tab = await newTab(browser);
    await tab.goto(`${server.root}/sign-in`);
    await tab.context().clearCookies();
    await signIn(tab);
    expect(await headingOf(tab)).toBe('No cookie came back');
    await tab.context().close();
  });

  it('agrees to an app, which then acts for the person', async ({ page, press, look, listen }) => {
    const client_id = await client.register(callback);
    await page.goto(client.authorizeUrl(client_id, callback, STATE));
    expect(await headingOf(page)).toBe('Allow Assistant to act for you?');
    expect(await page.locator('main').innerText()).toContain(new URL(callback).host);
    await listen();
    await look('consent');
    await press('Allow');
    await page.waitForURL(`${callback}?**`);
    const back = new URL(page.url());
    expect(back.searchParams.get('state')).toBe(STATE);
    const tokens = await client.exchange(client_id, back.searchParams.get('code')!);
    expect(tokens.status).toBe(200);
    const me = await asks('/v1/users/me', tokens.body['access_token']!);
    expect(await me.json()).toMatchObject({ email: EMAIL });

    await page.goto(`${server.root}/dashboard/assistants`);
    expect(await page.locator('main').innerText()).toContain('Assistant');
    await look('connections');
    await press('End now: Assistant');
    await page.getByText('Assistant', { exact: true }).waitFor({ state: 'detached' });
    await look('connections-none');
    const ended = await client.refresh(client_id, tokens.body['refresh_token']!);
    expect([ended.status, ended.body['error']]).toEqual([400, 'invalid_grant']);
  });

  it('signs in on the way to an app, and says no to it', async ({ browser }) => {
    const tab = await newTab(browser);
    await tab.goto(client.authorizeUrl(await client.register(callback), callback, STATE));
    await signIn(tab);
    await press(tab, 'Deny');
    await tab.waitForURL(`${callback}?**`);
    expect(Object.fromEntries(new URL(tab.url()).searchParams)).toEqual({ error: 'access_denied', state: STATE });
    await tab.goBack();
    await tab.context().close();
    expect(visited.filter((url) => url.includes('access_denied'))).toHaveLength(1);
  });

  it('makes and revokes a key', async ({ page, press, look, listen }) => {
    await page.goto(`${server.root}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click();
    await listen();
    await look('keys');
    await page.getByLabel('Name').fill('n8n');
    await page.getByRole('checkbox', { name: /^posts:read/ }).check();
    await press('Create API key');
    const key = await page.locator('.secret code').innerText();
    await look('key-made');
    const use = async () => (await asks('/v1/posts', key)).status;
    expect(await use()).toBe(200);
    await page.getByRole('link', { name: 'Back to the keys' }).click();
    await press('Revoke the key n8n');
    await page.getByText('revoked', { exact: true }).waitFor();
    expect(await use()).toBe(401);
  });

  it('registers and removes a redirect address', async ({ page, press, look, listen }) => {
    await page.goto(`${server.root}/dashboard/redirect-uris`);
    await listen();
    await look('redirects-open');
    await page.getByLabel('Address').fill('https://app.example.org/back');
    await page.getByLabel('Label').fill('My app');
    await press('Add');
    await page.getByText('My app').waitFor();
    await look('redirects');
    await press('Remove https://app.example.org/back');
    await page.getByText('Open mode.').waitFor();
  });

  it('trades its session for a dashboard token, as the command line does', async ({ page, press, look }) => {
    await page.goto(`${server.root}/dashboard/token`);
    await look('token');
    await press('Create token');
    const token = await page.locator('.secret code').innerText();
    await look('token-made');
    const list = (bearer: string) => asks('/v1/oauth/redirect-uris', bearer);
    expect((await list(token)).status).toBe(200);

    const made = rostra(['token', 'create', '--user', ' Anna@Example.org']);
    expect([made.status, made.stdout]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
    expect((await list(made.stdout.trim())).status).toBe(200);
    for (const args of [['--user', 'nobody@example.org'], ['--user', 'nobody'], []]) {
      const refused = rostra(['token', 'create', ...args]);
      expect([refused.status, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/^rostra: [^\n]+\n$/);
    }
  });

  it('changes its password, and signs the other browsers out', async ({ browser, page, look, listen }) => {
    const tab = await newTab(browser);
    await tab.goto(`${server.root}/sign-in`);
    await signIn(tab);
    expect(await headingOf(tab)).toBe('Today');

    await page.goto(`${server.root}/`);
    await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Change the password' }).click();
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
    expect(await headingOf(page)).toBe('Your password is changed');
    await look('password-changed');

    await tab.reload();
    expect(await tab.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
    await tab.context().close();
    await page.getByRole('link', { name: 'Back to today' }).click();
    expect(await headingOf(page)).toBe('Today');
  });

  it('has its password reset by the operator', async ({ page }) => {
    const done = rostra(['user', 'password', '--email', EMAIL, '--password-stdin'], PASSWORD);
    expect([done.status, done.stderr]).toEqual([0, '']);
    await page.goto(`${server.root}/dashboard/password`);
    expect(await headingOf(page)).toBe('Sign in');
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.root}/dashboard/password`);
  });

  it('sees one kind of error page', async ({ page, look, complaints }) => {
    await page.goto(`${server.root}/oauth/consent/gone`);
    expect(await page.locator('main').innerText()).toContain('auth.oauth.request_expired');
    await look('expired');
    await page.goto(`${server.root}/setup`);
    await look('setup-spent');
    // Statuses above 399 are told on the console; nothing else is.
    expect(complaints.filter((line) => !/the server responded with a status of (?:400|403)/.test(line))).toEqual([]);
  });

  it('finds no set-up link after a later start', async ({ page }) => {
    const { port } = new URL(server.root);
    await server.stop();
    server = await serve(dataDir, { PORT: port });
    expect(server.printed).not.toContain('Set up');
    expect(existsSync(firstRun)).toBe(false);
    await page.goto(`${server.root}/dashboard/keys`);
    expect(await headingOf(page)).toBe('API keys');
  });
});

describe('starts before the owner has a password', () => {
  it('keep the first key and replace the link', async () => {
    const folder = makeFolder();
    const file = join(folder, 'first-run.txt');
    const start = async () => {
      const server = await serve(folder);
      await server.stop();
      const text = server.firstRun;
      return { printed: server.printed, link: /^ {2}Set up {5}\S+token=([0-9a-f]{64})$/gm.exec(text)![1]!, text };
    };
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
  });
});
