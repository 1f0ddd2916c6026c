import { describe, expect } from 'vitest';
import { DAY } from '#kernel/clock.ts';
import { sha256 } from '#kernel/sign.ts';
import { isSignedIn, makeBrowser, OWNER, says, setUp, signIn, type Browser } from '../../../harness/calls/browser.ts';
import { dashboardToken } from '../../../harness/calls/dashboard.ts';
import { call } from '../../../harness/calls/operations.ts';
import { invite, PASSWORD } from '../../../harness/calls/people.ts';
import { it as test, type World } from '../../../harness/world.ts';

const it = test.extend('owner', ({ world }) => setUp(world));

const EMAIL = 'bea@example.org';
const FILLED = { name: 'Bea', password: PASSWORD, repeated: PASSWORD };
const SPENT = says(403, 'This invitation is not valid');

/** A browser that has opened the link of an invitation. */
async function openLink(url: string, browser: Browser) {
  const opened = await browser.open(url);
  return { opened, page: await browser.follow(opened) };
}
const usersOf = async ({ product: { store } }: World) =>
  (await store.db.selectFrom('users').select('email').orderBy('created_at').execute()).map(({ email }) => email);

describe('the link of an invitation', () => {
  it('says who invites to what, and makes its holder a person of the workspace', async ({ world, owner }) => {
    void owner;
    const browser = makeBrowser(world);
    const { page } = await openLink((await invite(world, EMAIL, 'viewer')).url, browser);
    expect(page).toMatchObject(says(200, 'Join the workspace of Anna'));
    expect(page.words).toMatch(/Anna invites you .* Your role Viewer Reads posts, inbox and analytics/);
    expect(page.text).toMatch(/<input[^>]*name="email"[^>]* readonly[^>]* value="bea@example.org"/);
    expect(page.text).toMatch(/<input[^>]*name="email"[^>]* autocomplete="username"/);
    const done = await browser.submit(page, { ...FILLED, name: ' Bea ', email: 'eve@example.org' });
    expect([done.status, done.headers.location]).toEqual([302, '/']);
    expect((await browser.follow(await browser.follow(done))).words).toContain(EMAIL);
    expect(await usersOf(world)).toEqual([OWNER.email, EMAIL]);
    expect((await browser.open('/dashboard/settings')).text).toContain('value="Bea"');
    const back = await browser.open('/join?via=link');
    expect([back.status, back.headers.location]).toEqual([302, '/']);
    expect((await signIn(makeBrowser(world), { email: EMAIL, password: PASSWORD })).status).toBe(302);
    const audited = await world.product.store.db
      .selectFrom('audit')
      .select(['client', 'verdict'])
      .where('tool', '=', 'join')
      .execute();
    expect(audited).toEqual([{ client: 'Bea', verdict: 'allow' }]);
  });

  it('is kept out of the address, the referrer and the store', async ({ world }) => {
    const { url } = await invite(world, EMAIL);
    const token = url.split('=')[1]!;
    const { opened, page } = await openLink(url, makeBrowser(world));
    expect([opened.status, opened.headers['referrer-policy']]).toEqual([302, 'no-referrer']);
    expect(`${opened.headers.location}${page.text}`).not.toContain(token);
    const rows = await world.product.store.db.selectFrom('invitations').select('token_hash').execute();
    expect(rows).toEqual([{ token_hash: sha256(token) }]);
    expect(world.log.join('\n')).not.toContain(token);
  });

  it('works once, and also if its form is sent twice', async ({ world }) => {
    const { url } = await invite(world, EMAIL);
    const browser = makeBrowser(world);
    const { page } = await openLink(url, browser);
    const second = makeBrowser(world);
    for (const [name, cookie] of browser.jar) second.jar.set(name, cookie);
    expect((await browser.submit(page, FILLED)).status).toBe(302);
    expect(await second.submit(page, FILLED)).toMatchObject(SPENT);
    expect((await openLink(url, makeBrowser(world))).page).toMatchObject(SPENT);
    expect(await usersOf(world)).toHaveLength(2);
  });

  it('makes one person of two forms at once', async ({ world }) => {
    const { url } = await invite(world, EMAIL);
    const browser = makeBrowser(world);
    const { page } = await openLink(url, browser);
    const sent = await Promise.all([browser.submit(page, FILLED), browser.submit(page, FILLED)]);
    expect(sent.find(({ status }) => status !== 302)).toMatchObject(SPENT);
    expect(await usersOf(world)).toHaveLength(2);
  });

  it('ends after 7 days, also under an open form', async ({ world }) => {
    const { url } = await invite(world, EMAIL);
    const browser = makeBrowser(world);
    world.clock.move(7 * DAY - 1);
    const { page } = await openLink(url, browser);
    world.clock.move(1);
    expect(await browser.submit(page, FILLED)).toMatchObject(SPENT);
    expect((await openLink(url, makeBrowser(world))).page).toMatchObject(SPENT);
  });

  it('ends when it is revoked', async ({ world }) => {
    const { id, url } = await invite(world, EMAIL);
    const browser = makeBrowser(world);
    const { page } = await openLink(url, browser);
    await call(world, 'revoke_invitation', { invitation_id: id }, { key: await dashboardToken(world) });
    expect(await browser.submit(page, FILLED)).toMatchObject(SPENT);
  });

  it('cannot be made up', async ({ world }) => {
    const browser = makeBrowser(world);
    for (const path of ['/join', '/join?token=', '/join?token=zz', `/join?token=${'0'.repeat(64)}&token=1`])
      expect([path, await browser.open(path)]).toMatchObject([path, SPENT]);
    expect((await openLink(`/join?token=${'0'.repeat(64)}`, browser)).page).toMatchObject(SPENT);
    expect(await makeBrowser(world).open('/join?via=link')).toMatchObject(says(400, 'No cookie came back'));
  });
});

describe('the form of an invitation', () => {
  it.for([
    [{ name: '  ' }, 'Enter your name'],
    [{ password: 'short', repeated: 'short' }, '10 to 256 characters'],
    [{ repeated: 'something else' }, 'The passwords differ'],
  ] as const)('explains what is wrong with %j, and goes on', async ([wrong, words], { world }) => {
    const browser = makeBrowser(world);
    const { page } = await openLink((await invite(world, EMAIL)).url, browser);
    const refused = await browser.submit(page, { ...FILLED, ...wrong });
    expect(refused).toMatchObject(says(400, words));
    expect(refused.text).toMatch(new RegExp(`name="${Object.keys(wrong)[0]}"[^>]* aria-invalid="true"`));
    expect(refused.text).not.toContain(PASSWORD);
    expect((await browser.submit(refused, FILLED)).status).toBe(302);
  });

  it('keeps the invitation of an address that somebody else took meanwhile', async ({ world }) => {
    const browser = makeBrowser(world);
    const { page } = await openLink((await invite(world, EMAIL)).url, browser);
    await world.product.modules.users.create(EMAIL, 'Taken');
    const refused = await browser.submit(page, FILLED);
    expect(refused).toMatchObject(says(400, 'Another user of this server has this e-mail address.'));
    expect(refused.words).toContain('to invite another address');
    const { body } = await call(world, 'list_invitations', {}, { key: await dashboardToken(world) });
    expect(body.count).toBe(1);
  });

  it('is refused from elsewhere, and for another invitation than the one shown', async ({ world }) => {
    const browser = makeBrowser(world);
    const { page } = await openLink((await invite(world, EMAIL)).url, browser);
    const foreign = await browser.submit(page, FILLED, '/join', { Origin: 'https://evil.example' });
    expect(foreign).toMatchObject(says(403, 'came from another site'));
    expect((await browser.post('/join', FILLED)).status).toBe(403);
    await openLink((await invite(world, 'carl@example.org', 'admin')).url, browser);
    expect(await browser.submit(page, FILLED)).toMatchObject(says(403, 'out of date'));
    expect(await usersOf(world)).toHaveLength(1);
  });

  it('says whose session ends, and ends it', async ({ world, owner }) => {
    const { url } = await invite(world, EMAIL);
    const { page } = await openLink(url, owner);
    expect(page.words).toMatch(/This browser is signed in as anna@example.org , which ends when you join/);
    const before = owner.jar.get('rostra-session')!;
    expect((await owner.submit(page, FILLED, '/join')).status).toBe(302);
    expect((await owner.open('/dashboard')).words).toContain(EMAIL);
    const old = makeBrowser(world);
    old.jar.set('rostra-session', before);
    expect(await isSignedIn(old)).toBe(false);
  });
});
