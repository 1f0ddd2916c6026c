import type { Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { it, missing, press } from '../clients/chromium.ts';
import { call } from '../clients/product.ts';
import { serve, type Served } from '../clients/serving.ts';
import { startClient } from './client.ts';
import { fillSetUp } from './owner.ts';

const BOB = 'bob.sandbox.test';

/** Each hop has a host name of its own; Chromium takes all of them for this machine. */
const HOSTS = ['localhost', 'relay.localhost', 'app.localhost'] as const;

describe.skipIf(missing !== '')(`clients whose callback redirects on, in a browser without scripts${missing}`, () => {
  const dataDir = makeFolder(afterAll);
  let server: Served;
  let client: Awaited<ReturnType<typeof startClient>>;
  let callback: string;
  /** Where the chain of redirects ends. */
  let end: string;
  /** What was fetched of the client: host, path and query. */
  let fetched: string[];
  let referrers: (string | undefined)[];

  it.beforeAll(async ({ page, press }) => {
    server = await serve(dataDir);
    client = await startClient(server.root, (req, res) => {
      const { pathname, search } = new URL(req.url!, 'http://any.invalid');
      fetched.push(`${req.headers.host!.split(':')[0]}${pathname}${search}`);
      referrers.push(req.headers.referer);
      const next = { '/back': client.at(HOSTS[1], '/relay'), '/relay': end }[pathname];
      if (next !== undefined) res.writeHead(pathname === '/back' ? 302 : 303, { Location: `${next}${search}` });
    });
    callback = client.at(HOSTS[0], '/back');
    await page.goto(server.setUpLink());
    await fillSetUp(page);
    await press('Become the owner');
    await page.waitForURL(`${server.root}/dashboard`);
  });
  afterAll(() => Promise.all([client?.close(), server?.stop()]));

  beforeEach(() => {
    fetched = [];
    referrers = [];
    end = client.at(HOSTS[2], '/done');
  });
  it.afterEach(({ complaints }) =>
    expect(complaints.filter((line) => /content security policy|form-action|ERR_BLOCKED/i.test(line))).toEqual([]),
  );

  /** Every hop was fetched with the same query, and none was told where the browser came from. */
  function arrived(hops: readonly string[] = WHOLE): URLSearchParams {
    const queries = fetched.map((url) => url.split('?')[1]);
    expect(fetched.map((url) => url.split('?')[0])).toEqual(hops);
    expect(new Set(queries).size).toBe(1);
    expect(referrers.filter((one) => one !== undefined)).toEqual([]);
    return new URLSearchParams(queries[0]);
  }
  const WHOLE = ['localhost/back', 'relay.localhost/relay', 'app.localhost/done'];

  async function askConsent(page: Page): Promise<string> {
    const client_id = await client.register(callback);
    await page.goto(client.authorizeUrl(client_id, callback, 's1'));
    return client_id;
  }

  async function startConnection(page: Page, platform: string): Promise<void> {
    const ask = { platform, redirect_uri: callback, state: 's1' };
    const { auth_url } = await call({ url: server.root }, server.key(), 'POST /v1/accounts/connect', ask);
    await page.goto(auth_url);
  }

  it('get a code that works', async ({ page, press }) => {
    const client_id = await askConsent(page);
    await press('Allow');
    await page.waitForURL(`${end}?**`);
    const query = arrived();
    expect(query.get('state')).toBe('s1');
    expect((await client.exchange(client_id, query.get('code')!)).status).toBe(200);
    // The way back leads to no second code.
    await page.goBack();
    expect(await page.locator('main').innerText()).toContain('auth.oauth.request_expired');
  });

  it('get a code that their own program is handed by a scheme of its own', async ({ page }) => {
    end = 'rostra-test-app://done';
    // The browser asks whether to open the app, and until it is answered that tab takes no more clicks.
    const tab = await page.context().newPage();
    await askConsent(tab);
    await press(tab, 'Allow');
    await expect.poll(() => fetched.length).toBe(2);
    expect(arrived(WHOLE.slice(0, 2)).has('code')).toBe(true);
    await tab.close();
  });

  it('hear a no', async ({ page, press }) => {
    await askConsent(page);
    await press('Deny');
    await page.waitForURL(`${end}?**`);
    expect(arrived().get('error')).toBe('access_denied');
  });

  it('hear of an account that was connected by our own form', async ({ page, press }) => {
    await page.goto(`${server.root}/sandbox/bluesky`);
    const shown = await page.locator('#people tr').filter({ hasText: BOB }).locator('code').first().innerText();
    await startConnection(page, 'bluesky');
    await page.getByLabel('Handle').fill(BOB);
    await page.getByLabel('App password').fill(shown);
    await press('Connect');
    await page.waitForURL(`${end}?**`);
    expect(Object.fromEntries(arrived())).toMatchObject({ status: 'success', state: 's1' });
  });

  it('hear of an account that was connected by the dialog of a platform', async ({ page, press }) => {
    await startConnection(page, 'facebook');
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByLabel('Olivia Harbour').check();
    await press('Continue');
    await page.waitForURL(`${end}?**`);
    expect(Object.fromEntries(arrived())).toMatchObject({ platform: 'facebook', state: 's1' });
  });

  it.for(['bluesky', 'facebook'])('hear that a person gave up connecting %s', async (platform, { page, press }) => {
    await startConnection(page, platform);
    await press('Cancel');
    await page.waitForURL(`${end}?**`);
    expect(arrived().get('error')).toBe('access_denied');
  });
});
