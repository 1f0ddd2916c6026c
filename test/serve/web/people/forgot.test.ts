import { afterEach, describe, expect, vi } from 'vitest';
import { updateUser } from '#db/access/users.ts';
import { resetPassword } from '#engine/signin/change.ts';
import { makePasswords } from '#engine/signin/passwords.ts';
import { disableUser, enableUser } from '#engine/users/standing.ts';
import { DAY, HOUR } from '#kernel/clock.ts';
import { sha256 } from '#kernel/sign.ts';
import { accessToken, openAuthWorld } from '../../../harness/calls/authorize.ts';
import {
  BEHIND_PROXY,
  isSignedIn,
  makeBrowser,
  OWNER,
  says,
  sessionOf,
  setUp,
  signIn,
  type Browser,
} from '../../../harness/calls/browser.ts';
import { dashboardToken } from '../../../harness/calls/dashboard.ts';
import { call } from '../../../harness/calls/operations.ts';
import { personWith } from '../../../harness/calls/people.ts';
import { describeStores } from '../../../harness/stores/stores.ts';
import { it as test, makeWorld, type World } from '../../../harness/world.ts';

const WITH_MAIL = { ...BEHIND_PROXY, mail: true } as const;
const it = test.extend('world', async () => makeWorld(WITH_MAIL)).extend('browser', ({ world }) => setUp(world));

afterEach(() => void vi.useRealTimers());

const NEXT = 'a better horse battery';
const FILLED = { password: NEXT, repeated: NEXT };
const ASKED = says(200, 'If somebody signs in here with this address, a link is on its way. It works for one hour.');
const SPENT = says(403, 'This link is not valid');

/** How many requests for a link are dealt with. */
const doneIn = ({ log }: World) => log.filter((line) => /"(?:no )?password link mailed"/.test(line)).length;

/** Asks for a link with a new browser; the answer comes first, so this waits until the request is dealt with. */
async function ask(world: World, email: string = OWNER.email, network = '203.0.113.7', browser = makeBrowser(world)) {
  const done = doneIn(world);
  const page = await browser.open('/forgot');
  const answer = await browser.submit(page, { email }, '/forgot', { 'X-Forwarded-For': network });
  if (answer.words.includes('on its way')) {
    await expect.poll(() => doneIn(world)).toBe(done + 1);
    await world.settle();
  }
  return answer;
}

/** Asks for a link, and reads it in the mail. */
async function linkFor(world: World, email: string = OWNER.email): Promise<string> {
  expect(await ask(world, email)).toMatchObject(ASKED);
  const { text } = world.mails.findLast(({ to }) => to === email)!;
  return `/new-password?token=${/\/new-password\?token=([0-9a-f]{64})\n/.exec(text)![1]!}`;
}

const openLink = async (browser: Browser, link: string) => browser.follow(await browser.open(link));
const choose = async (browser: Browser, link: string, fields: Readonly<Record<string, string>> = FILLED) =>
  browser.submit(await openLink(browser, link), fields, '/new-password');
const linksIn = ({ product: { store } }: World) => store.db.selectFrom('password_links').selectAll().execute();
const subjectsIn = ({ mails }: World) => mails.map(({ to, subject }) => `${to}: ${subject}`);
const enter = async (world: World, password: string, email: string = OWNER.email) =>
  (await signIn(makeBrowser(world), { email, password })).status;

describe('a forgotten password', () => {
  it('is replaced with a mailed link, which signs in here and out everywhere else', async ({ world, browser }) => {
    expect((await makeBrowser(world).open('/sign-in')).text).toContain('<a href="/forgot">Forgot your password?</a>');
    const link = await linkFor(world);
    const [mail, ...others] = world.mails;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: OWNER.email, subject: 'Choose a new password for Rostra' });
    expect(mail!.text).toContain(`\n${world.config.rootUrl}${link}\n`);
    await linkFor(world);

    const guest = makeBrowser(world);
    const page = await openLink(guest, link);
    expect(page).toMatchObject(says(200, `You sign in with it as ${OWNER.email}`));
    expect(page.text).toMatch(/<div hidden>[^]*autocomplete="username" value="anna@example\.org"[^]*<\/div>/);
    expect(page.text).not.toMatch(/maxlength|<script/);
    const done = await guest.submit(page, FILLED);
    expect([done.status, done.headers.location]).toEqual([302, '/']);
    expect((await guest.follow(await guest.follow(done))).words).toContain(OWNER.email);
    expect([await isSignedIn(guest), await isSignedIn(browser)]).toEqual([true, false]);
    expect([await enter(world, OWNER.password), await enter(world, NEXT)]).toEqual([400, 302]);
    expect(await linksIn(world)).toEqual([]);
    await world.settle();
    expect(world.mails.at(-1)).toMatchObject({
      to: OWNER.email,
      subject: 'Your Rostra password was changed',
      text: expect.not.stringMatching(/https?:|token/),
    });
    const audited = await world.product.store.db
      .selectFrom('audit')
      .select(['tool', 'caller_kind', 'client', 'verdict', 'args', 'address'])
      .where('tool', 'like', '%_password')
      .orderBy('at')
      .orderBy('id')
      .execute();
    const asked = { tool: 'forgot_password', caller_kind: 'visitor', address: '203.0.113.7' };
    expect(audited).toMatchObject([
      { ...asked, client: 'Anna', verdict: 'allow' },
      { ...asked, client: 'Anna', verdict: 'allow' },
      { tool: 'reset_password', caller_kind: 'dashboard', client: 'Anna', args: { end_apps: false } },
    ]);
  });

  it('ends connected apps only where that is asked', async () => {
    const { world } = await openAuthWorld(WITH_MAIL);
    const held = await accessToken(world, await setUp(world));
    const isHeld = async () => (await world.rest('GET /v1/brands', undefined, { key: held })).status === 200;
    await choose(makeBrowser(world), await linkFor(world));
    expect(await isHeld()).toBe(true);
    await choose(makeBrowser(world), await linkFor(world), { ...FILLED, end_apps: 'yes' });
    expect(await isHeld()).toBe(false);
  });

  it('is set by the operator where no mail is sent', async () => {
    const world = await makeWorld();
    const browser = await setUp(world);
    const page = await makeBrowser(world).open('/sign-in');
    expect(page.words).toContain('The operator of this server can set a lost password');
    expect(`${page.text}${(await browser.open('/dashboard/password')).text}`).not.toContain('/forgot');
    for (const path of ['/forgot', '/new-password']) expect((await browser.open(path)).status).toBe(404);
  });
});

describe('asking for a link', () => {
  it('gets the same answer, whoever has the address', async ({ world, browser }) => {
    const { email, id } = await personWith(world, 'editor', 'Bea');
    await world.product.modules.users.create('nopassword@example.org', 'Nobody');
    await world.product.store.write((tx) => updateUser(tx.db, id, { disabled_at: 1 }));
    const mailed = world.mails.length;
    const known = await ask(world, ` ${OWNER.email.toUpperCase()}`, '198.51.100.1');
    for (const other of ['nobody@example.org', email, 'nopassword@example.org']) {
      const answer = await ask(world, other, '198.51.100.1');
      expect([other, answer.status, answer.text]).toEqual([other, 200, known.text]);
    }
    expect(subjectsIn(world).slice(mailed)).toEqual([`${OWNER.email}: Choose a new password for Rostra`]);
    expect(await linksIn(world)).toHaveLength(1);
    const [answered, done] = [/"method":"POST".*"route":"\/forgot"/, /"password link mailed"/].map((line) =>
      world.log.findIndex((one) => line.test(one)),
    );
    expect([answered! > 0, done! > answered!], 'answered before anything was looked up').toEqual([true, true]);
    // Also for somebody who is signed in.
    expect(await ask(world, OWNER.email, '198.51.100.1', browser)).toMatchObject({ status: 200, text: known.text });
  });

  it('needs an address, and a form of this server', async ({ world }) => {
    const browser = makeBrowser(world);
    const page = await browser.open('/forgot');
    const refused = await browser.submit(page, { email: 'nobody' });
    expect(refused).toMatchObject(says(400, 'This is not an e-mail address.'));
    expect(refused.text).toMatch(/<title>Error: [^]*name="email"[^>]* value="nobody"[^>]* aria-invalid="true"/);
    const foreign = await browser.submit(page, { email: OWNER.email }, '/forgot', { Origin: 'https://evil.example' });
    expect(foreign).toMatchObject(says(403, 'came from another site'));
    expect(await makeBrowser(world).post('/forgot', { email: OWNER.email })).toMatchObject(
      says(400, 'No cookie came back'),
    );
    expect(doneIn(world)).toBe(0);
  });

  it('slows down who asks often, and nobody who signs in', async ({ world, browser }) => {
    void browser;
    const network = '198.51.100.2';
    for (let n = 0; n < 5; n += 1) expect(await ask(world, 'eve@example.org', network)).toMatchObject(ASKED);
    expect(await ask(world, 'eve@example.org', network)).toMatchObject(says(429, 'Too many attempts'));
    for (let n = 0; n < 15; n += 1) expect((await ask(world, `${n}@example.org`, network)).status).toBe(200);
    expect((await ask(world, OWNER.email, network)).status).toBe(429);
    const page = await makeBrowser(world).open('/sign-in');
    const other = makeBrowser(world);
    await other.open('/sign-in');
    expect(page.status).toBe(200);
    const entered = await other.submit(await other.open('/sign-in'), OWNER, undefined, { 'X-Forwarded-For': network });
    expect(entered.status).toBe(302);
    expect(await ask(world, OWNER.email, '198.51.100.3')).toMatchObject(ASKED);
  });

  it('mails a person at most three links an hour, which all work', async ({ world, browser }) => {
    void browser;
    const links = [await linkFor(world), await linkFor(world), await linkFor(world)];
    for (let n = 0; n < 5; n += 1) expect(await ask(world, OWNER.email, `198.51.100.${n}`)).toMatchObject(ASKED);
    expect(world.mails).toHaveLength(3);
    for (const link of links) expect((await openLink(makeBrowser(world), link)).status).toBe(200);
    world.clock.move(HOUR);
    await linkFor(world);
    expect(world.mails).toHaveLength(4);
  });
});

describe('the link for a new password', () => {
  it('is kept out of the address, the referrer, the store and the log', async ({ world, browser }) => {
    void browser;
    const link = await linkFor(world);
    const token = link.split('=')[1]!;
    const guest = makeBrowser(world);
    const opened = await guest.open(link);
    expect([opened.status, opened.headers['referrer-policy']]).toEqual([302, 'no-referrer']);
    const page = await guest.follow(opened);
    expect(`${opened.headers.location}${page.text}`).not.toContain(token);
    expect([page.headers['referrer-policy'], page.headers['cache-control']]).toEqual(['same-origin', 'no-store']);
    const [row] = await linksIn(world);
    expect(row).toMatchObject({ token_hash: sha256(token), expires_at: world.clock.now() + HOUR });
    await guest.submit(page, FILLED);
    const audit = await world.product.store.db.selectFrom('audit').selectAll().execute();
    for (const secret of [token, NEXT]) expect(`${world.log.join('\n')}${JSON.stringify(audit)}`).not.toContain(secret);
  });

  it('works once, also if its form is sent twice', async ({ world, browser }) => {
    void browser;
    const link = await linkFor(world);
    const guest = makeBrowser(world);
    for (let times = 0; times < 3; times += 1) await guest.open(link);
    const page = await guest.open('/new-password');
    const sent = await Promise.all([guest.submit(page, FILLED), guest.submit(page, FILLED)]);
    expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403]);
    const again = await openLink(makeBrowser(world), link);
    expect(again).toMatchObject(SPENT);
    expect(again.text).toContain('<a href="/forgot">Ask for a new link</a>');
  });

  it('ends with the hour, also under an open form, and is then deleted', async ({ world, browser }) => {
    void browser;
    const link = await linkFor(world);
    world.clock.move(HOUR - 1);
    const guest = makeBrowser(world);
    const page = await openLink(guest, link);
    expect(page.status).toBe(200);
    world.clock.move(1);
    expect(await guest.submit(page, FILLED)).toMatchObject(SPENT);
    expect(await openLink(makeBrowser(world), link)).toMatchObject(SPENT);
    expect(await enter(world, OWNER.password)).toBe(302);
    await world.pass(2 * DAY);
    expect(await linksIn(world)).toEqual([]);
  });

  it.for<[string, (world: World, email: string, id: string, browser: Browser) => Promise<unknown>]>([
    [
      'they change their password',
      async (_world, _email, _id, browser) => {
        const path = '/dashboard/password';
        await browser.submit(await browser.open(path), { ...FILLED, current: OWNER.password }, path);
      },
    ],
    [
      'the operator sets one',
      ({ product: { store }, clock }, email) =>
        resetPassword({ store, clock, passwords: makePasswords() }, { email, password: NEXT, endApps: false }),
    ],
    [
      'they were disabled, also when they are enabled again',
      async ({ product: { store }, clock }, email) => {
        await disableUser({ store, clock }, email);
        await enableUser({ store }, email);
      },
    ],
    [
      'they are removed',
      async (world, _email, id) => call(world, 'remove_person', { user_id: id }, { key: await dashboardToken(world) }),
    ],
  ])('ends when %s', async ([, change], { world }) => {
    await setUp(world);
    const { email, id, browser } = await personWith(world, 'editor');
    const link = await linkFor(world, email);
    const guest = makeBrowser(world);
    const page = await openLink(guest, link);
    expect(page.status).toBe(200);
    await change(world, email, id, browser);
    expect(await linksIn(world)).toEqual([]);
    expect(await guest.submit(page, FILLED)).toMatchObject(SPENT);
  });

  it('does not work while its person is disabled', async ({ world, browser }) => {
    void browser;
    const { email, id } = await personWith(world, 'editor');
    const link = await linkFor(world, email);
    const disable = (disabled_at: number | null) =>
      world.product.store.write((tx) => updateUser(tx.db, id, { disabled_at }));
    await disable(1);
    expect(await openLink(makeBrowser(world), link)).toMatchObject(SPENT);
    await disable(null);
    expect((await openLink(makeBrowser(world), link)).status).toBe(200);
  });

  it('cannot be made up', async ({ world }) => {
    const browser = makeBrowser(world);
    const made = `/new-password?token=${'0'.repeat(64)}`;
    for (const path of ['/new-password', '/new-password?token=', '/new-password?token=zz', `${made}&token=1`])
      expect([path, await browser.open(path)]).toMatchObject([path, SPENT]);
    expect(await openLink(browser, made)).toMatchObject(SPENT);
    expect(await makeBrowser(world).open('/new-password?via=link')).toMatchObject(says(400, 'No cookie came back'));
  });
});

describe('the form for a new password', () => {
  it.for([
    [{ password: 'short', repeated: 'short' }, 'password', '10 to 256 characters'],
    [{ ...FILLED, repeated: 'something else' }, 'repeated', 'The passwords differ'],
  ] as const)('explains what is wrong with %j, and goes on', async ([wrong, field, words], { world, browser }) => {
    void browser;
    const guest = makeBrowser(world);
    const refused = await choose(guest, await linkFor(world), { ...wrong, end_apps: 'yes' });
    expect(refused).toMatchObject(says(400, words));
    expect(refused.text).toMatch(new RegExp(`<title>Error: [^]*name="${field}"[^>]* aria-invalid="true"`));
    expect(refused.text).toMatch(/name="end_apps" value="yes" checked/);
    expect(refused.text).not.toContain(wrong.password);
    expect((await guest.submit(refused, FILLED)).status).toBe(302);
  });

  it('is refused from elsewhere, and for another link than the one shown', async ({ world, browser }) => {
    void browser;
    const { email } = await personWith(world, 'editor');
    const guest = makeBrowser(world);
    const page = await openLink(guest, await linkFor(world, email));
    const foreign = await guest.submit(page, FILLED, '/new-password', { Origin: 'https://evil.example' });
    expect(foreign).toMatchObject(says(403, 'came from another site'));
    await openLink(guest, await linkFor(world));
    expect(await guest.submit(page, FILLED)).toMatchObject(says(403, 'out of date'));
    expect(await enter(world, OWNER.password)).toBe(302);
  });

  it('says whose session ends in this browser, if it is of somebody else', async ({ world, browser }) => {
    const { email, id } = await personWith(world, 'editor');
    const link = await linkFor(world, email);
    expect((await openLink(await sessionOf(world, id), link)).words).not.toContain('which ends when');
    const page = await openLink(browser, link);
    expect(page.words).toMatch(/This browser is signed in as anna@example.org , which ends when you save/);
    const before = browser.jar.get('rostra-session')!;
    expect((await browser.submit(page, FILLED, '/new-password')).status).toBe(302);
    expect((await browser.open('/dashboard')).words).toContain(email);
    const old = makeBrowser(world);
    old.jar.set('rostra-session', before);
    expect(await isSignedIn(old)).toBe(false);
  });
});

describe('changing a password', () => {
  it('is told to its person by mail', async ({ world, browser }) => {
    const path = '/dashboard/password';
    const page = await browser.open(path);
    expect(page.text).toContain('<a href="/forgot">Forgot your password?</a>');
    await browser.submit(page, { ...FILLED, current: 'wrong password' }, path);
    expect(world.mails).toEqual([]);
    await browser.submit(page, { ...FILLED, current: OWNER.password }, path);
    await world.settle();
    expect(subjectsIn(world)).toEqual([`${OWNER.email}: Your Rostra password was changed`]);
  });
});

describeStores('at the same time', (stores) => {
  const it = test.extend('world', async () => makeWorld({ ...WITH_MAIL, store: await stores.place() }));

  it('two links change a password once, and few of many requests are mailed', async ({ world }) => {
    await setUp(world);
    const asked = Array.from({ length: 8 }, (_, n) => ({ network: `198.51.100.${n}`, browser: makeBrowser(world) }));
    const pages = await Promise.all(asked.map(({ browser }) => browser.open('/forgot')));
    await Promise.all(
      asked.map(({ browser, network }, n) =>
        browser.submit(pages[n]!, { email: OWNER.email }, '/forgot', { 'X-Forwarded-For': network }),
      ),
    );
    await expect.poll(() => doneIn(world)).toBe(asked.length);
    await world.settle();
    const links = world.mails.map(({ text }) => /\/new-password\?token=\w+/.exec(text)![0]);
    expect(links).toHaveLength(3);
    const guests = links.map((link, n) => ({ link, browser: makeBrowser(world), password: `${NEXT} ${n}` }));
    const opened = await Promise.all(guests.map(({ browser, link }) => openLink(browser, link)));
    const answers = await Promise.all(
      guests.map(({ browser, password }, n) => browser.submit(opened[n]!, { password, repeated: password })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403, 403]);
    const entered = await Promise.all(guests.map(({ password }) => enter(world, password)));
    expect(entered.map((status) => status === 302)).toEqual(answers.map(({ status }) => status === 302));
    expect(await linksIn(world)).toEqual([]);
  });
});
