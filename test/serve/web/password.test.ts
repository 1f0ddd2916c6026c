import { MINUTE } from '#kernel/clock.ts';
import { afterEach, describe, expect, vi } from 'vitest';
import { resetPassword } from '#engine/signin/change.ts';
import { makeSignin } from '#engine/signin/index.ts';
import { makePasswords } from '#engine/signin/passwords.ts';
import { accessToken, askConsent, decide, exchange, openAuthWorld } from '../../harness/calls/authorize.ts';
import {
  formsOf,
  isSignedIn,
  makeBrowser,
  OWNER,
  says,
  sessionOf,
  setUp,
  signIn,
  type Browser,
  type Shown,
} from '../../harness/calls/browser.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { it as test, makeWorld, type World } from '../../harness/world.ts';

const it = test.extend('auth', () => openAuthWorld()).extend('browser', ({ world }) => setUp(world));

afterEach(() => void vi.useRealTimers());

const PATH = '/dashboard/password';
const NEXT = 'a better horse battery';
const CHANGE = { current: OWNER.password, password: NEXT, repeated: NEXT };
const WRONG = { ...CHANGE, current: 'wrong password' };
const CHANGED = 'Your password is changed';

const change = async (browser: Browser, fields: Readonly<Record<string, string>> = CHANGE) =>
  browser.submit(await browser.open(PATH), fields, PATH);
/** What a browser that was never here is told when it signs in. */
const tryToEnter = async (world: World, password: string, email: string = OWNER.email) =>
  (await signIn(makeBrowser(world), { email, password })).status;
const hashOf = async (world: World, id = world.userId) => {
  const { db } = world.product.store;
  return (await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()).password_hash;
};
/** The name of the field that is marked as wrong. */
const wrongField = ({ text }: Shown) => /<input[^>]* name="(\w+)"[^>]* aria-invalid="true"/.exec(text)?.[1];

/** A user who has no password, with a browser of theirs. */
async function addBob(world: World) {
  const { userId } = (await world.product.modules.users.create('bob@example.org', 'Bob'))!;
  return { userId, browser: await sessionOf(world, userId) };
}

async function signedIn(world: World): Promise<Browser> {
  const browser = makeBrowser(world);
  expect((await signIn(browser)).status).toBe(302);
  return browser;
}

const reset = ({ product: { store }, clock }: World, email: string, password: string, endApps = false) =>
  resetPassword({ store, clock, passwords: makePasswords() }, { email, password, endApps });

/** An app that the owner allowed: whether it can still renew its access. */
async function connectApp(world: World, browser: Browser) {
  const { client, page } = await askConsent(world, browser);
  const back = await decide(browser, page, 'allow');
  let { refresh_token } = (await exchange(world, client, back.searchParams.get('code')!)).body;
  return async () => {
    const form = { grant_type: 'refresh_token', client_id: client, refresh_token };
    const { status, body } = await world.rest('POST /oauth/token', form, { key: null });
    expect([status, body.error]).toEqual(status === 200 ? [200, undefined] : [400, 'invalid_grant']);
    refresh_token = body.refresh_token;
    return status === 200;
  };
}

describe('changing a password', () => {
  it('takes the new one from now on, signs the others out and this browser not', async ({ world, browser }) => {
    const others = [await signedIn(world), await signedIn(world)];
    const { browser: stranger } = await addBob(world);
    expect((await browser.open('/dashboard/settings')).text).toContain(`href="${PATH}"`);
    const done = await change(browser);
    expect(done.status).toBe(200);
    expect(done.words).toMatch(/is changed.*every other browser is signed/);
    expect(done.headers['cache-control']).toBe('no-store');
    expect(await Promise.all(others.map(isSignedIn))).toEqual([false, false]);
    expect([await isSignedIn(browser), await isSignedIn(stranger)]).toEqual([true, true]);
    expect([await tryToEnter(world, OWNER.password), await tryToEnter(world, NEXT)]).toEqual([400, 302]);
    // What is no session stays.
    expect((await world.rest('GET /v1/brands')).status).toBe(200);
  });

  it('ends connected apps at once where that is asked, and of this person alone', async ({ auth: { world } }) => {
    const browser = await setUp(world);
    const renews = await connectApp(world, browser);
    const held = await accessToken(world, browser);
    const others = await connectApp(world, (await addBob(world)).browser);
    const page = await browser.open(PATH);
    expect(page.words).toContain('End connected apps as well');
    expect(page.text).toMatch(/<input type="checkbox" name="end_apps" value="yes" \/?>/);

    expect((await browser.submit(page, CHANGE, PATH)).words).toMatch(/connections too: they stay as they are/);
    expect(await renews()).toBe(true);
    const back = { current: NEXT, password: OWNER.password, repeated: OWNER.password, end_apps: 'yes' };
    const refused = await browser.submit(page, { ...back, current: 'wrong password' }, PATH);
    expect(refused.text).toMatch(/name="end_apps" value="yes" checked/);
    expect(await renews()).toBe(true);
    expect((await browser.submit(refused, back, PATH)).words).toMatch(/Connected apps lose their access/);
    expect([await renews(), await others()]).toEqual([false, true]);
    expect((await world.rest('GET /v1/brands', undefined, { key: held })).status, 'its access token').toBe(401);
    expect((await browser.open('/dashboard/assistants')).words).not.toContain('app.example.org');
  });

  it('leaves a code that is under way without effect when apps end', async ({ auth: { world } }) => {
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    const back = await decide(browser, page, 'allow');
    await change(browser, { ...CHANGE, end_apps: 'yes' });
    const { status, body } = await exchange(world, client, back.searchParams.get('code')!);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  it.for([
    [WRONG, 'current', 'The current password is wrong'],
    [{ ...CHANGE, current: '' }, 'current', 'The current password is wrong'],
    [{ ...CHANGE, current: `${OWNER.password} ` }, 'current', 'The current password is wrong'],
    [{ ...CHANGE, password: 'short', repeated: 'short' }, 'password', '10 to 256 characters'],
    [{ ...CHANGE, password: 'x'.repeat(257), repeated: 'x'.repeat(257) }, 'password', '10 to 256 characters'],
    [{ current: OWNER.password }, 'password', '10 to 256 characters'],
    [{ ...CHANGE, repeated: 'a better horse batterie' }, 'repeated', 'The passwords differ'],
  ] as const)('explains what is wrong with %j, and goes on', async ([fields, field, words], { world, browser }) => {
    const other = await signedIn(world);
    const before = await hashOf(world);
    const refused = await change(browser, fields);
    expect([refused.status, wrongField(refused)]).toEqual([400, field]);
    expect(refused.words).toContain(words);
    expect(refused.text).toMatch(/<title>Error: /);
    for (const typed of [OWNER.password, NEXT, 'wrong password', 'x'.repeat(257)])
      expect(refused.text).not.toContain(typed);
    expect([await hashOf(world), await isSignedIn(other)]).toEqual([before, true]);
    expect((await browser.submit(refused, CHANGE, PATH)).words).toContain(CHANGED);
  });

  it('tells password managers whose it is, and cuts off nothing that is pasted', async ({ world }) => {
    const { text } = await (await setUp(world)).open(PATH);
    expect(text).toMatch(/<div hidden>[^]*autocomplete="username" value="anna@example\.org"[^]*<\/div>/);
    expect(text).not.toMatch(/maxlength|<script(?! src)| style=/);
    expect(text.match(/autocomplete="(?:current|new)-password"/g)).toEqual([
      'autocomplete="current-password"',
      'autocomplete="new-password"',
      'autocomplete="new-password"',
    ]);
  });

  it('becomes slower with every wrong guess, for this session alone', async ({ world, browser }) => {
    const other = await signedIn(world);
    for (let times = 0; times < 5; times++) expect((await change(browser, WRONG)).status).toBe(400);
    const waits: number[] = [];
    for (let times = 0; times < 8; times++) {
      const refused = await change(browser, CHANGE);
      expect(refused).toMatchObject(says(429, 'Too many attempts'));
      expect(formsOf(refused.text).map(({ action }) => action)).toContain(PATH);
      waits.push(Number(refused.headers['retry-after']));
      world.clock.move(waits.at(-1)! * 1000);
      expect((await change(browser, WRONG)).status).toBe(400);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect([await tryToEnter(world, OWNER.password), (await change(other, WRONG)).status]).toEqual([302, 400]);
    world.clock.move(MINUTE);
    expect((await change(browser, CHANGE)).words).toContain(CHANGED);
    // Who knew the password starts anew.
    for (let times = 0; times < 5; times++) expect((await change(browser, WRONG)).status).toBe(400);
  });

  it('is not slowed down by strangers who guess at the door', async ({ world, browser }) => {
    for (let times = 0; times < 6; times++) await tryToEnter(world, 'wrong password');
    expect(await tryToEnter(world, OWNER.password)).toBe(429);
    expect((await change(browser)).status).toBe(200);
  });

  it('gains nothing by many guesses at once', async ({ browser }) => {
    const page = await browser.open(PATH);
    const answers = await Promise.all(Array.from({ length: 30 }, () => browser.submit(page, WRONG, PATH)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(400), count(429)]).toEqual([5, 25]);
  });

  it('answers a form that was sent twice as it did the first time', async ({ world, browser }) => {
    const page = await browser.open(PATH);
    const both = await Promise.all([browser.submit(page, CHANGE, PATH), browser.submit(page, CHANGE, PATH)]);
    const later = await browser.submit(page, CHANGE, PATH);
    expect([...both, later].map(({ words }) => words.includes(CHANGED))).toEqual([true, true, true]);
    const hash = await hashOf(world);
    // Neither another form, nor another browser, nor this one later.
    expect((await browser.submit(page, WRONG, PATH)).status).toBe(400);
    const other = makeBrowser(world);
    await signIn(other, { email: OWNER.email, password: NEXT });
    expect((await change(other, CHANGE)).status).toBe(400);
    world.clock.move(MINUTE);
    expect((await browser.submit(page, CHANGE, PATH)).status).toBe(400);
    expect(await hashOf(world)).toBe(hash);
  });

  it('is for those who have one; the others are told whom to ask', async ({ world }) => {
    const { userId, browser } = await addBob(world);
    const page = await browser.open(PATH);
    expect(page).toMatchObject(says(200, 'Ask whoever runs this server'));
    expect(page.text).not.toContain('type="password"');
    const form_token = formsOf(page.text)[0]!.hidden['form_token']!;
    const posted = await browser.post(PATH, { ...CHANGE, current: '', form_token });
    expect(posted.words).toContain('You have no password');
    expect(await hashOf(world, userId)).toBeNull();
    expect(await reset(world, 'bob@example.org', NEXT)).toBe(true);
    expect(await tryToEnter(world, NEXT, 'bob@example.org')).toBe(302);
  });

  it('leaves no password in the log', async () => {
    const world = await makeWorld({ env: { LOG_LEVEL: 'trace' } });
    const browser = await setUp(world);
    await change(browser, WRONG);
    await change(browser);
    const log = world.log.join('\n');
    for (const secret of [OWNER.password, NEXT, WRONG.current]) expect(log).not.toContain(secret);
    expect(log).toContain(`"route":"${PATH}"`);
  });
});

describeStores('changed and reset passwords', (stores) => {
  const it = test.extend('world', async () => makeWorld({ store: await stores.place() }));

  it('have one winner when two browsers change one at once', async ({ world }) => {
    const browsers = [await setUp(world), await signedIn(world)];
    const rivals = browsers.map((browser, n) => ({ browser, password: `${NEXT} ${n}` }));
    const answers = await Promise.all(
      rivals.map(({ browser, password }) => change(browser, { ...CHANGE, password, repeated: password })),
    );
    const won = answers.map(({ words }) => words.includes(CHANGED));
    expect(won.filter(Boolean)).toHaveLength(1);
    // The session of the one that lost is over with the password it knew.
    expect(await Promise.all(rivals.map(({ browser }) => isSignedIn(browser)))).toEqual(won);
    const entered = await Promise.all(rivals.map(({ password }) => tryToEnter(world, password)));
    expect(entered).toEqual(won.map((one) => (one ? 302 : 400)));
  });

  it('let nobody in who was about to enter with the old one', async ({ world }) => {
    const browser = await setUp(world);
    const { store } = world.product;
    // The reset lands between the check of the password and the beginning of the session.
    const late = makeSignin({
      store: {
        ...store,
        async write(work) {
          expect(await reset(world, OWNER.email, NEXT)).toBe(true);
          return store.write(work);
        },
      },
      clock: world.clock,
      rootUrl: world.config.rootUrl,
      addUser: () => Promise.resolve(undefined),
      onSignIn: () => expect.unreachable(),
      forget: () => expect.unreachable(),
    });
    const attempt = { email: OWNER.email, password: OWNER.password, network: '127.0.0.1', device: undefined };
    expect(await late.signIn(attempt)).toMatchObject({ token: undefined });
    expect(await isSignedIn(browser)).toBe(false);
    expect(await store.db.selectFrom('web_sessions').selectAll().execute()).toEqual([]);
    expect(await tryToEnter(world, NEXT)).toBe(302);
  });

  it('end the sessions of their user alone, and set-up when it is the owner', async ({ world }) => {
    const owner = await sessionOf(world, world.userId);
    const { browser: other } = await addBob(world);
    const link = `/setup?token=${(await world.product.signin.setupLink())!}`;
    expect(await reset(world, 'nobody@example.org', NEXT)).toBe(false);
    expect(await reset(world, 'bob@example.org', NEXT)).toBe(true);
    expect([await isSignedIn(owner), await isSignedIn(other)]).toEqual([true, false]);
    const guest = makeBrowser(world);
    expect((await guest.follow(await guest.open(link))).status).toBe(200);
    expect(await reset(world, 'owner@example.org', NEXT)).toBe(true);
    expect((await guest.open('/setup')).status).toBe(403);
    expect(await isSignedIn(owner)).toBe(false);
    expect(await tryToEnter(world, NEXT, 'owner@example.org')).toBe(302);
  });
});
