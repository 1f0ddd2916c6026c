import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { sha256 } from '#kernel/sign.ts';
import {
  BEHIND_PROXY,
  isSignedIn,
  makeBrowser,
  OWNER,
  says,
  setUp,
  signIn,
  signInFrom,
  type Browser,
  type Shown,
} from '../../harness/calls/browser.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { it as test, makeWorld, type World } from '../../harness/world.ts';

const it = test.extend('browser', ({ world }) => setUp(world));

const FILLED = { ...OWNER, repeated: OWNER.password };
const HTTPS = { env: { ROOT_URL: 'https://social.example.org' } };

const link = async (world: World) => `/setup?token=${(await world.product.signin.setupLink())!}`;
/** A browser that has opened the link of the set-up. */
const openSetup = async (world: World, browser = makeBrowser(world)) => ({
  browser,
  page: await browser.follow(await browser.open(await link(world))),
});
const sessionsIn = ({ product: { store } }: World) => store.db.selectFrom('web_sessions').selectAll().execute();
const owner = (world: World) => world.product.store.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
const WRONG = 'The e-mail address or the password is wrong.';

describe('first-run set-up', () => {
  it('makes the holder of the link the owner, and signs them in', async ({ world }) => {
    const { browser, page } = await openSetup(world);
    expect(page).toMatchObject(says(200, 'You become the owner'));
    const done = await browser.submit(page, { ...FILLED, email: ' Anna@Example.org ' });
    expect([done.status, done.headers.location]).toEqual([302, '/']);
    expect((await browser.follow(await browser.follow(done))).words).toContain('anna@example.org');
    expect(await owner(world)).toMatchObject({
      id: world.userId,
      email: 'anna@example.org',
      name: 'Anna',
      password_hash: expect.stringMatching(/^\$argon2id\$/),
    });
  });

  it('keeps the token out of the address, the referrer and the store', async ({ world }) => {
    const browser = makeBrowser(world);
    const path = await link(world);
    const token = path.split('=')[1]!;
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const opened = await browser.open(path);
    expect([opened.status, opened.headers['referrer-policy']]).toEqual([302, 'no-referrer']);
    const page = await browser.follow(opened);
    expect(`${opened.headers.location}${page.text}`).not.toContain(token);
    const rows = await world.product.store.db.selectFrom('setup_links').selectAll().execute();
    expect(rows).toEqual([{ id: sha256(token), expires_at: world.clock.now() + HOUR }]);
    expect(world.log.join('\n')).not.toContain(token);
  });

  it('is consumed by the form and not by looking', async ({ world }) => {
    const browser = makeBrowser(world);
    const path = await link(world);
    for (let times = 0; times < 3; times++) await browser.open(path);
    const page = await browser.open('/setup');
    expect((await browser.submit(page, FILLED)).status).toBe(302);
    const again = makeBrowser(world);
    expect((await again.follow(await again.open(path))).status).toBe(403);
    expect((await browser.submit(page, FILLED)).status).toBe(403);
  });

  it('ends with the hour, and with the owner having a password', async ({ world }) => {
    const late = await openSetup(world);
    const later = await link(world);
    world.clock.move(HOUR);
    expect((await late.browser.submit(late.page, FILLED)).status).toBe(403);
    const other = await openSetup(world);
    expect((await makeBrowser(world).open(later)).status).toBe(302);
    await setUp(world);
    expect((await other.browser.submit(other.page, { ...FILLED, email: 'eve@example.org' })).status).toBe(403);
    expect(await world.product.signin.setupLink()).toBeUndefined();
    expect((await owner(world)).email).toBe(OWNER.email);
  });

  it('refuses made-up tokens and says what to do', async ({ world }) => {
    const browser = makeBrowser(world);
    for (const path of ['/setup', '/setup?token=', '/setup?token=zz', `/setup?token=${'0'.repeat(64)}&token=1`]) {
      expect([path, await browser.open(path)]).toMatchObject([path, says(403, 'first-run.txt')]);
    }
    expect((await browser.follow(await browser.open(`/setup?token=${'0'.repeat(64)}`))).status).toBe(403);
  });

  it.for([
    [{ email: 'nobody' }, 'not an e-mail address'],
    [{ email: '' }, 'not an e-mail address'],
    [{ email: `${'a'.repeat(250)}@example.org` }, 'not an e-mail address'],
    [{ name: '  ' }, 'Enter your name'],
    [{ name: 'a\0b' }, 'Enter your name'],
    [{ password: 'short', repeated: 'short' }, '10 to 256 characters'],
    [{ password: 'x'.repeat(257), repeated: 'x'.repeat(257) }, '10 to 256 characters'],
    [{ password: 'e\u0301'.repeat(5), repeated: 'e\u0301'.repeat(5) }, '10 to 256 characters'],
    [{ repeated: 'something else' }, 'The passwords differ'],
    [{ email: 'taken@example.org' }, 'Another user'],
  ] as const)('explains what is wrong with %j, and goes on', async ([wrong, words], { world }) => {
    await world.product.modules.users.create('taken@example.org', 'Taken');
    const { browser, page } = await openSetup(world);
    const refused = await browser.submit(page, { ...FILLED, ...wrong });
    expect(refused).toMatchObject(says(400, words));
    expect(refused.text).toMatch(new RegExp(`name="${Object.keys(wrong)[0]}"[^>]* aria-invalid="true"`));
    expect(refused.text).not.toContain(OWNER.password);
    expect((await browser.submit(refused, FILLED)).status).toBe(302);
  });

  it('cuts off no password that is pasted', async ({ world }) => {
    const { page } = await openSetup(world);
    const passwords = page.text.match(/<input[^>]* type="password"[^>]*>/g);
    expect(passwords).toHaveLength(2);
    expect(passwords!.join()).not.toContain('maxlength');
  });

  it('comes back when the owner leaves', async ({ world, browser }) => {
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    for (const path of ['/', '/sign-in']) {
      const { words } = await browser.open(path);
      expect([path, words]).toEqual([
        path,
        expect.stringMatching(/no owner yet.* to get a new one, restart the server/),
      ]);
    }
    const second = await setUp(world);
    expect(await isSignedIn(second)).toBe(true);
    expect((await owner(world)).id).not.toBe(world.userId);
    expect((await second.open('/dashboard')).words).toContain(OWNER.email);
  });

  it('takes first-run.txt away', async ({ world }) => {
    const file = join(world.config.dataDir, 'first-run.txt');
    writeFileSync(file, 'key');
    await openSetup(world);
    expect(existsSync(file)).toBe(true);
    await setUp(world);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'key');
    expect((await signIn(makeBrowser(world))).status).toBe(302);
    expect(existsSync(file)).toBe(false);
  });
});

describeStores('set-up and sessions', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', async () => makeWorld({ store: await stores.place() }));

  it('has one winner when two links are used at once', async ({ world }) => {
    const rivals = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        return { ...(await openSetup(world)), fields: { ...FILLED, email: `${name}@example.org` } };
      }),
    );
    const ends = await Promise.all(rivals.map(({ browser, page, fields }) => browser.submit(page, fields)));
    expect(ends.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403, 403]);
    const won = rivals[ends.findIndex(({ status }) => status === 302)]!;
    expect((await owner(world)).email).toBe(won.fields.email);
  });

  it('gain nothing by many guesses at once', async ({ world }) => {
    await setUp(world);
    const browsers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const browser = makeBrowser(world);
        return { browser, page: await browser.open('/sign-in') };
      }),
    );
    const answers = await Promise.all(
      browsers.map(({ browser, page }, n) =>
        browser.submit(page, { email: OWNER.email, password: n === 29 ? OWNER.password : 'wrong password' }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(400)).toBeLessThanOrEqual(5);
    expect(count(429)).toBeGreaterThanOrEqual(25);
    for (const { status, headers } of answers)
      if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    world.clock.move(MINUTE);
    expect((await signIn(makeBrowser(world))).status).toBe(302);
  });

  it('begin, are prolonged, end and are swept', async ({ world }) => {
    const [first, second] = [await setUp(world), makeBrowser(world)];
    expect((await signIn(second)).status).toBe(302);
    world.clock.move(6 * DAY);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true]);
    await second.submit(await second.open('/sign-out'), {}, '/sign-out');
    world.clock.move(6 * DAY);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, false]);
    world.clock.move(7 * DAY);
    expect(await isSignedIn(first)).toBe(false);
    expect((await signIn(second)).status).toBe(302);
    const rows = await sessionsIn(world);
    expect(rows.map(({ created_at }) => created_at)).toEqual([world.clock.now()]);
  });
});

describe('signing in', () => {
  it('answers wrong passwords, unknown people and people without a password alike', async ({ world }) => {
    await setUp(world);
    await world.product.modules.users.create('bare@example.org', 'Bare');
    const answers: Shown[] = [];
    for (const email of [OWNER.email, 'nobody@example.org', 'bare@example.org', 'no address'])
      answers.push(await signIn(makeBrowser(world), { email, password: 'wrong password' }));
    const same = answers.map(({ status, text, setCookies }) => ({
      status,
      text: text.replace(/name="form_token" value="\w+"/, '').replace(/type="email" required value="[^"]*"/, ''),
      cookies: setCookies.length,
    }));
    expect(same[0]).toMatchObject({ status: 400, text: expect.stringContaining(WRONG) });
    expect(same[0]!.text).toContain('rostra user password');
    expect(new Set(same.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('sets a cookie that is ours alone, with the flags ROOT_URL allows', async ({ world }) => {
    const browser = makeBrowser(world);
    await setUp(world);
    const { setCookies } = await signIn(browser);
    expect(setCookies.find((line) => line.startsWith('rostra-session='))).toMatch(
      /^rostra-session=[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const secure = await makeWorld(HTTPS);
    await setUp(secure);
    const lines = (await signIn(makeBrowser(secure))).setCookies;
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(line).toMatch(/^__Host-rostra-\w+=\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('keeps nothing that would open a session out of the store', async ({ world, browser }) => {
    const token = browser.jar.get('rostra-session')!.value;
    const rows = await sessionsIn(world);
    expect(rows).toEqual([expect.objectContaining({ id: sha256(token), user_id: world.userId })]);
    expect(JSON.stringify(rows)).not.toContain(token);
    const stolen = makeBrowser(world);
    stolen.jar.set('rostra-session', { value: rows[0]!.id, path: '/' });
    expect(await isSignedIn(stolen)).toBe(false);
  });

  it('never continues a session the browser had before', async ({ world }) => {
    await setUp(world);
    const planted = 'ab'.repeat(32);
    const victim = makeBrowser(world);
    victim.jar.set('rostra-session', { value: planted, path: '/' });
    await signIn(victim);
    const first = victim.jar.get('rostra-session')!;
    expect(first.value).not.toBe(planted);
    const page = await makeBrowser(world).open('/sign-in');
    expect(page.status).toBe(200);
    // Signing in again with a session that lives ends it.
    const old = makeBrowser(world);
    old.jar.set('rostra-session', first);
    await victim.submit(await signInFormFor(victim), OWNER);
    expect(victim.jar.get('rostra-session')!.value).not.toBe(first.value);
    expect([await isSignedIn(old), await isSignedIn(victim)]).toEqual([false, true]);
  });

  const SEARCH = `/dashboard/posts?search=${encodeURIComponent("Let's bake: 焼きたてのパンの香り (part 1)")}&back=/dashboard`;

  it.for([
    ['/dashboard/keys', '/dashboard/keys'],
    [SEARCH, SEARCH],
    ['/oauth/consent/abc-123', '/oauth/consent/abc-123'],
    ['/sandbox/bluesky/profile/alice.test', '/sandbox/bluesky/profile/alice.test'],
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/dashboard/../../x', '/'],
    ['/sandbox//evil.example', '/'],
    ['/v1/keys', '/'],
    ['javascript:alert(1)', '/'],
    ['/dashboard\r\nX: y', '/'],
  ] as const)('leads to %j as %s', async ([next, location], { world, browser }) => {
    expect((await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)).headers.location).toBe(location);
    expect((await signIn(makeBrowser(world), OWNER, next)).headers.location).toBe(location);
  });

  it('sends those who are not signed in to the door, and back to where they wanted to go', async ({ world }) => {
    await setUp(world);
    const browser = makeBrowser(world);
    const sent = await browser.open('/dashboard/assistants');
    expect([sent.status, sent.headers.location]).toEqual([302, '/sign-in?next=%2Fdashboard%2Fassistants']);
    expect((await browser.submit(await browser.follow(sent), OWNER)).headers.location).toBe('/dashboard/assistants');
  });

  it('takes no form that another site or another browser made', async ({ world }) => {
    await setUp(world);
    const browser = makeBrowser(world);
    const page = await browser.open('/sign-in');
    expect(page.headers['content-security-policy']).toContain("form-action 'self';");
    const tokens = /name="form_token" value="(\w+)"/.exec(page.text)!;
    const foreign = await browser.submit(page, OWNER, undefined, { Origin: 'https://evil.example' });
    const hidden = await browser.submit(page, OWNER, undefined, { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' });
    const bare = await browser.post('/sign-in', OWNER);
    const other = makeBrowser(world);
    await other.open('/sign-in');
    const borrowed = await other.post('/sign-in', { ...OWNER, form_token: tokens[1]! });
    for (const answer of [foreign, hidden, bare, borrowed]) {
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('auth.state_mismatch')]);
      expect(answer.setCookies.join()).not.toContain('session');
    }
    expect((await browser.submit(page, OWNER)).status).toBe(302);
  });

  it('says so when no cookie comes back, instead of asking for ever', async () => {
    const world = await makeWorld(HTTPS);
    await setUp(world);
    const browser = makeBrowser(world);
    const page = await browser.open('/sign-in');
    browser.jar.clear();
    const { status, words } = await browser.submit(page, OWNER);
    expect(status).toBe(400);
    expect(words).toMatch(/No cookie came back.*https:\/\/social\.example\.org/);
    const lost = makeBrowser(world);
    await lost.open(`/setup?token=${'0'.repeat(64)}`);
    lost.jar.clear();
    expect((await lost.open('/setup?via=link')).words).toContain('No cookie came back');
  });

  it('leads the owner who goes back to the set-up page to the dashboard', async ({ world }) => {
    const { browser, page } = await openSetup(world);
    await browser.submit(page, FILLED);
    expect((await browser.open('/setup?via=link')).headers.location).toBe('/');
  });

  it('works the same composed or decomposed, and takes long passwords to the last letter', async ({ world }) => {
    const password = `Grüße ${'x'.repeat(240)}`;
    const { browser, page } = await openSetup(world);
    await browser.submit(page, { ...FILLED, password, repeated: password });
    expect((await signIn(makeBrowser(world), { ...OWNER, password: password.normalize('NFD') })).status).toBe(302);
    expect((await signIn(makeBrowser(world), { ...OWNER, password: `${password}x` })).status).toBe(400);
    expect((await signIn(makeBrowser(world), { ...OWNER, password: password.slice(0, -1) })).status).toBe(400);
  });
});

/** The sign-in page, as a browser that is signed in already sees it when it opened it before. */
async function signInFormFor(browser: Browser): Promise<Shown> {
  const session = browser.jar.get('rostra-session')!;
  browser.jar.delete('rostra-session');
  const page = await browser.open('/sign-in');
  browser.jar.set('rostra-session', session);
  return page;
}

describe('guessing', () => {
  const guess = (world: World, browser = makeBrowser(world), email: string = OWNER.email) =>
    signIn(browser, { email, password: 'wrong password' });
  const guessOften = async (times: number, world: World) => {
    for (let time = 0; time < times; time++) await guess(world);
  };

  it('becomes slower per account, whoever exists, and locks nobody out', async ({ world }) => {
    await setUp(world);
    for (const email of [OWNER.email, 'nobody@example.org']) {
      for (let times = 0; times < 5; times++) expect((await guess(world, undefined, email)).status).toBe(400);
      const waits: number[] = [];
      for (let times = 0; times < 9; times++) {
        const refused = await guess(world, undefined, email);
        expect(refused).toMatchObject(says(429, 'Too many attempts'));
        waits.push(Number(refused.headers['retry-after']));
        world.clock.move(waits.at(-1)! * 1000);
        expect((await guess(world, undefined, email)).status).toBe(400);
      }
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
      world.clock.move(HOUR);
    }
    await guessOften(6, world);
    expect((await signIn(makeBrowser(world))).status).toBe(429);
    world.clock.move(2000);
    expect((await signIn(makeBrowser(world))).status).toBe(302);
  });

  it('does not slow down a browser the account was signed in with', async ({ world }) => {
    const known = makeBrowser(world);
    await setUp(world);
    await signIn(known);
    known.jar.delete('rostra-session');
    await guessOften(7, world);
    expect((await signIn(makeBrowser(world))).status).toBe(429);
    expect((await signIn(known)).status).toBe(302);
    known.jar.delete('rostra-session');
    // Its mark is for this account alone, and has patience of its own.
    const mark = known.jar.get('rostra-device')!;
    const forged = makeBrowser(world);
    forged.jar.set('rostra-device', { value: `${'0'.repeat(32)}.${mark.value.split('.')[1]!}`, path: '/' });
    expect((await signIn(forged)).status).toBe(429);
    for (let times = 0; times < 5; times++) expect((await guess(world, known)).status).toBe(400);
    expect((await guess(world, known)).status).toBe(429);
  });

  it('does not slow down the browser that did the set-up', async ({ world, browser: owner }) => {
    owner.jar.delete('rostra-session');
    await guessOften(7, world);
    expect((await signIn(makeBrowser(world))).status).toBe(429);
    expect((await signIn(owner)).status).toBe(302);
  });

  it('becomes slower per network over many accounts', async () => {
    const world = await makeWorld(BEHIND_PROXY);
    await setUp(world);
    const from = async (network: string, email = 'other@example.org') =>
      (await signInFrom(world, network, { email, password: 'wrong password' })).status;
    for (let n = 0; n < 20; n++) expect(await from(`2001:db8:1:${n}::1`, `u${n}@example.org`)).toBe(400);
    expect(await from('2001:db8:1:ffff::1')).toBe(429);
    for (const network of ['2001:db8:2::1', '198.51.100.7', '198.51.100.8', 'garbage'])
      expect([network, await from(network)]).toEqual([network, 400]);
  });

  it('becomes slower per account for the network it comes from alone', async () => {
    const world = await makeWorld(BEHIND_PROXY);
    await setUp(world);
    const from = async (network: string, password: string = OWNER.password) =>
      (await signInFrom(world, network, { email: OWNER.email, password })).status;
    for (let times = 0; times < 5; times++) expect(await from('198.51.100.1', 'wrong password')).toBe(400);
    expect(await from('198.51.100.1')).toBe(429);
    expect(await from('203.0.113.9')).toBe(302);
  });
});

describe('a session', () => {
  it('lives a week unused and a month at most', async ({ world, browser: idle }) => {
    world.clock.move(7 * DAY - 1);
    expect(await isSignedIn(idle)).toBe(true);
    world.clock.move(7 * DAY);
    expect(await isSignedIn(idle)).toBe(false);
    const busy = makeBrowser(world);
    await signIn(busy);
    for (let days = 0; days < 25; days += 5) {
      world.clock.move(5 * DAY);
      expect(await isSignedIn(busy)).toBe(true);
    }
    world.clock.move(5 * DAY - 1);
    expect(await isSignedIn(busy)).toBe(true);
    world.clock.move(1);
    expect(await isSignedIn(busy)).toBe(false);
    await signIn(makeBrowser(world));
    expect(await sessionsIn(world)).toHaveLength(1);
  });

  it('ends with signing out, in the store too', async ({ world, browser }) => {
    const session = browser.jar.get('rostra-session')!;
    const page = await browser.open('/sign-out');
    expect(page.words).toContain(OWNER.email);
    const out = await browser.submit(page, {}, '/sign-out');
    expect((await browser.follow(out)).words).toContain('You are signed out');
    expect(browser.jar.has('rostra-session')).toBe(false);
    browser.jar.set('rostra-session', session);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await sessionsIn(world)).toEqual([]);
    expect((await browser.post('/sign-out', {})).status).toBe(302);
  });

  it('ends with its user', async ({ world, browser }) => {
    await world.rest('DELETE /v1/users/me');
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.open('/')).status).toBe(200);
  });

  it('opens no door of the API, and no token of the API opens a page', async ({ world, browser }) => {
    for (const path of ['/v1/brands', '/v1/oauth/redirect-uris', '/mcp']) {
      const { status, text } = await browser.open(path, path === '/mcp' ? { Accept: 'text/event-stream' } : {});
      expect([path, status, text]).toEqual([path, 401, expect.stringContaining('auth.missing_header')]);
    }
    const bearer = makeBrowser(world);
    const { token } = await world.product.oauth.signDashboardToken(world.userId);
    for (const Authorization of [`Bearer ${world.key}`, `Bearer ${token}`])
      expect((await bearer.open('/dashboard/keys', { Authorization })).headers.location).toContain('/sign-in');
  });

  it('is not opened by garbage', async ({ world }) => {
    await setUp(world);
    for (const value of ['', 'x', '0'.repeat(64), 'A'.repeat(64), "' or 1=1", 'a'.repeat(5000)]) {
      const browser = makeBrowser(world);
      browser.jar.set('rostra-session', { value, path: '/' });
      expect((await browser.open('/dashboard/keys')).status).toBe(302);
    }
  });

  it('leaves no password or token in the log', async () => {
    const world = await makeWorld({ env: { LOG_LEVEL: 'trace' } });
    const browser = await setUp(world);
    await signIn(makeBrowser(world), { email: OWNER.email, password: 'a wrong password' });
    const log = world.log.join('\n');
    for (const secret of [OWNER.password, 'a wrong password', browser.jar.get('rostra-session')!.value, OWNER.email])
      expect(log).not.toContain(secret);
    expect(log).toContain('"route":"/sign-in"');
    const dump = await sql<{ password_hash: string }>`select password_hash from users`.execute(world.product.store.db);
    expect(JSON.stringify(dump.rows)).not.toContain(OWNER.password);
  });
});
