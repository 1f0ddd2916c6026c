import { afterEach, describe, expect, test, vi } from 'vitest';
import { askConsent, CALLBACK, decide, exchange, openAuthWorld } from '../../harness/calls/authorize.ts';
import { makeBrowser, OWNER, setUp, signIn, type Shown } from '../../harness/calls/browser.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { block } from '../../harness/calls/operations.ts';

/** Where the form of a consent goes. */
const actionOf = ({ text }: Shown) => /action="(\/oauth\/consent\/[^"]+)"/.exec(text)![1]!;
const EXPIRED = { status: 400, text: expect.stringContaining('auth.oauth.request_expired') as string };

const it = test.extend('auth', () => openAuthWorld()).extend('browser', ({ auth: { world } }) => setUp(world));

afterEach(() => void vi.useRealTimers());

describe('consent', () => {
  it('names the app, where it sends the browser, who is asked and what it may do', async ({
    auth: { world },
    browser,
  }) => {
    const { page } = await askConsent(world, browser, CALLBACK, '<b>Evil</b> & Co');
    expect(page.status).toBe(200);
    expect(page.text).toContain('&lt;b&gt;Evil&lt;/b&gt; &amp; Co');
    expect(page.words).toMatch(/Sends you to app\.example\.org .*Signed in as anna@example\.org/);
    expect(page.words).toMatch(/It may .*Only read .*Ask me first .*It publishes, sends and deletes by itself/);
    expect(page.text).not.toMatch(/<script| style=/);
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      // Nor does it name where forms may lead: what follows the callback is known to the client alone.
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' https: data:; frame-ancestors 'none'; base-uri 'none'",
    });
  });

  it('warns of apps on the own machine', async ({ auth: { world }, browser }) => {
    const { page } = await askConsent(world, browser, 'http://localhost:7777/cb');
    expect(page.words).toMatch(/localhost:7777 .*on your own machine/);
  });

  it('leads to a code that works for the user who agreed', async ({ auth: { world }, browser }) => {
    const { client, page } = await askConsent(world, browser);
    const back = await decide(browser, page, 'allow');
    expect(back.href).toMatch(/^https:\/\/app\.example\.org\/back\?/);
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: 'the state & more' });
    const { status, body } = await exchange(world, client, back.searchParams.get('code')!);
    expect([status, body.token_type]).toEqual([200, 'Bearer']);
    const me = await world.rest('GET /v1/users/me', undefined, { key: body.access_token });
    expect(me.body).toMatchObject({ id: world.userId, email: OWNER.email });
  });

  it('can be given while the payment is due, with no brands to choose from', async ({ auth: { world }, browser }) => {
    await block(world);
    const { client, page } = await askConsent(world, browser);
    expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('name="brand_ids"')]);
    const back = await decide(browser, page, 'allow');
    expect((await exchange(world, client, back.searchParams.get('code')!)).status).toBe(200);
    expect((await browser.open('/dashboard/assistants')).words).toContain(
      'until it is paid, only your profile, people, the connections and billing can be used',
    );
  });

  it('may be denied', async ({ auth: { world }, browser }) => {
    const { page } = await askConsent(world, browser);
    const back = await decide(browser, page, 'deny');
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'the state & more' });
    expect((await browser.open('/dashboard/assistants')).words).not.toContain('app.example.org');
  });

  it('is asked after signing in, when nobody is', async ({ auth: { world } }) => {
    await setUp(world);
    const browser = makeBrowser(world);
    const { client, page } = await askConsent(world, browser);
    expect(page.headers.location).toMatch(/^\/sign-in\?next=%2Foauth%2Fconsent%2F/);
    const door = await browser.follow(page);
    const consent = await browser.follow(await browser.submit(door, OWNER));
    expect(consent.words).toContain('Allow Assistant to act for you?');
    const back = await decide(browser, consent, 'allow');
    expect((await exchange(world, client, back.searchParams.get('code')!)).status).toBe(200);
  });

  it('takes no decision but allow and deny, none without a session, and none from elsewhere', async ({
    auth: { world },
    browser,
  }) => {
    const { page } = await askConsent(world, browser);
    const action = actionOf(page);
    expect((await browser.submit(page, { decision: 'whatever' }, action)).headers.location).toBe(action);
    expect((await browser.submit(page, {}, action)).headers.location).toBe(action);
    const allow = { decision: 'allow' };
    expect((await browser.submit(page, allow, action, { Origin: 'https://app.example.org' })).status).toBe(403);
    expect((await browser.submit(page, { ...allow, form_token: '0'.repeat(64) }, action)).status).toBe(403);
    const session = browser.jar.get('rostra-session')!;
    browser.jar.delete('rostra-session');
    expect((await browser.submit(page, allow, action)).headers.location).toMatch(/^\/sign-in\?next=/);
    browser.jar.set('rostra-session', session);
    expect((await browser.open('/dashboard/assistants')).words).not.toContain('app.example.org');
    expect((await decide(browser, page, 'allow')).searchParams.has('code')).toBe(true);
  });

  it('belongs to the browser it began in', async ({ auth: { world }, browser: attacker }) => {
    const { page } = await askConsent(world, attacker);
    const victim = makeBrowser(world);
    await signIn(victim);
    expect(await victim.open(actionOf(page))).toMatchObject(EXPIRED);
  });

  it('is over after an hour, after a decision, and when it never was', async ({ auth: { world, move }, browser }) => {
    const { page } = await askConsent(world, browser);
    const address = actionOf(page);
    move(3_599_000);
    expect((await browser.open(address)).status).toBe(200);
    move(1000);
    for (const shown of [
      await browser.open(address),
      await browser.submit(page, { decision: 'allow' }, address),
      await browser.open('/oauth/consent/never-was'),
    ]) {
      expect(shown).toMatchObject(EXPIRED);
      expect(shown.headers['content-type']).toContain('text/html');
    }
    const second = await askConsent(world, browser);
    await decide(browser, second.page, 'deny');
    expect((await browser.open(actionOf(second.page))).status).toBe(400);
  });
});

describe('connected apps', () => {
  it('are listed with their hosts, and end at once', async ({ auth: { world }, browser }) => {
    const { client, page } = await askConsent(world, browser, CALLBACK, 'Claudette <i>');
    const back = await decide(browser, page, 'allow');
    const { body } = await exchange(world, client, back.searchParams.get('code')!);
    const apps = await browser.open('/dashboard/assistants');
    expect(apps.text).toContain('Claudette &lt;i&gt;');
    expect(apps.words).toContain('app.example.org');
    const refresh = (refresh_token: string) =>
      world.rest('POST /oauth/token', { grant_type: 'refresh_token', client_id: client, refresh_token }, { key: null });
    const renewed = await refresh(body.refresh_token);
    expect(renewed.status).toBe(200);
    const list = () => world.rest('GET /v1/brands', undefined, { key: body.access_token });
    expect((await list()).status).toBe(200);
    const gone = await browser.submit(apps, {}, '/dashboard/assistants/end');
    expect((await browser.follow(gone)).words).not.toContain('Claudette');
    expect((await list()).status).toBe(401);
    expect((await refresh(renewed.body.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('of another user are not touched', async ({ auth: { world }, browser }) => {
    const { client, page } = await askConsent(world, browser);
    const back = await decide(browser, page, 'allow');
    await exchange(world, client, back.searchParams.get('code')!);
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const [mine, theirs] = [await dashboardToken(world), await dashboardToken(world, other.userId)];
    const { data } = (await world.rest('GET /v1/connections', undefined, { key: mine })).body;
    const app = data.find(({ kind }: { kind: string }) => kind === 'oauth');
    expect((await world.rest(`DELETE /v1/connections/${app.id}`, undefined, { key: theirs })).status).toBe(404);
    expect((await browser.open('/dashboard/assistants')).words).toContain('app.example.org');
  });
});
