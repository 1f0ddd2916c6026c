import { afterEach, describe, expect, vi } from 'vitest';
import { formsOf, says, setUp, type Browser } from '../../../harness/calls/browser.ts';
import { askConsent, openAuthWorld } from '../../../harness/calls/authorize.ts';
import { dashboardToken } from '../../../harness/calls/dashboard.ts';
import { leashedKey } from '../../../harness/calls/leash.ts';
import { call } from '../../../harness/calls/operations.ts';
import { personWith } from '../../../harness/calls/people.ts';
import { it as test } from '../../../harness/world.ts';

const it = test.extend('owner', ({ world }) => setUp(world));

afterEach(() => void vi.useRealTimers());

const SETTINGS = '/dashboard/settings';
/** The pages for administrators, and where their forms go. */
const PAGES = [
  '/dashboard/people',
  '/dashboard/keys',
  '/dashboard/keys/new',
  '/dashboard/people/invited',
  '/dashboard/people/hand-over',
  '/dashboard/audit',
  '/dashboard/redirect-uris',
  '/dashboard/timezone',
  '/dashboard/billing',
];
const FORMS = [
  '/dashboard/people/invite',
  '/dashboard/people/role',
  '/dashboard/people/revoke',
  '/dashboard/people/hand-over',
  '/dashboard/keys',
  '/dashboard/keys/rotate',
  '/dashboard/keys/revoke',
  '/dashboard/redirect-uris',
  '/dashboard/redirect-uris/delete',
  '/dashboard/timezone',
  '/dashboard/posting-times',
  '/dashboard/billing',
];
const NOT_FOR = says(403, 'This page is not for your role');

/** What the forms of a session carry. */
const tokenOf = async (browser: Browser) => formsOf((await browser.open(SETTINGS)).text)[0]!.hidden;

describe.for(['editor', 'viewer'] as const)('a person in the role %s', (role) => {
  it('is told whom to ask on the pages of administrators, in the usual frame', async ({ world, owner }) => {
    const { browser } = await personWith(world, role);
    const brand = `${SETTINGS}/brands/${world.brandId}`;
    for (const path of [...PAGES, brand]) {
      const page = await browser.open(path);
      expect([path, page]).toMatchObject([path, NOT_FOR]);
      expect(page.words).toContain('ask an administrator of the workspace');
      expect(page.text).toContain('<nav aria-label="Dashboard">');
      expect([path, (await owner.open(path)).status]).not.toEqual([path, 403]);
    }
    const token = await tokenOf(browser);
    for (const path of [...FORMS, brand]) {
      expect([path, await browser.post(path, token)]).toMatchObject([path, NOT_FOR]);
    }
  });

  it('has the settings that are theirs', async ({ world, owner }) => {
    const { browser } = await personWith(world, role);
    const page = await browser.open(SETTINGS);
    expect(page.words).toContain(`Your role is ${role === 'editor' ? 'Editor' : 'Viewer'} .`);
    const own = await owner.open(SETTINGS);
    expect(own.words).toContain('Your role is Owner .');
    const links = [
      'people',
      'timezone',
      'redirect-uris',
      'keys',
      'settings/delete',
      `settings/brands/${world.brandId}`,
    ];
    for (const link of links) {
      expect([link, page.text.includes(`href="/dashboard/${link}"`)]).toEqual([link, false]);
      expect([link, own.text.includes(`href="/dashboard/${link}"`)]).toEqual([link, true]);
    }
    for (const link of ['password', 'posting-times', 'token', 'people/remove'])
      expect([link, page.text.includes(`href="/dashboard/${link}"`)]).toEqual([link, true]);
    expect(own.text).not.toContain('people/remove');
    for (const path of ['/dashboard/usage', '/dashboard/password']) {
      const { status, text } = await browser.open(path);
      expect([path, status, text.includes('/dashboard/keys')]).toEqual([path, 200, false]);
    }
    expect((await browser.open('/dashboard/token')).words).toMatch(/do what you may do: (Editor|Viewer)/);
  });

  it('reads the posting times', async ({ world, owner }) => {
    await owner.submit(await owner.open('/dashboard/posting-times'), { time: '09:00', day: ['mon', 'thu'] });
    const { browser } = await personWith(world, role);
    const page = await browser.open('/dashboard/posting-times');
    expect(page).toMatchObject(says(200, '09:00 Mon, Thu'));
    expect(page.words).not.toContain('New time');
    expect(page.text).not.toContain('/dashboard/timezone');
  });

  it('leaves instead of deleting the workspace', async ({ world }) => {
    const { browser } = await personWith(world, role);
    const remove = '/dashboard/people/remove';
    expect((await browser.open(`${SETTINGS}/delete`)).headers.location).toBe(remove);
    const sent = await browser.post(`${SETTINGS}/delete`, { ...(await tokenOf(browser)), confirm: 'bea@example.org' });
    expect(sent.headers.location).toBe(remove);
    expect((await world.rest('GET /v1/users/me')).status).toBe(200);
    expect((await browser.open(remove)).status).toBe(200);
  });
});

it('says on pages that a person who decided has left', async ({ world, owner }) => {
  const account = await world.connect();
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Is this right?', targets: [{ account_id: account.id }], publish_now: true };
  const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
  const { browser, id: person } = await personWith(world, 'editor', 'usr_Edna');
  await browser.submit(await browser.open(`/review/${id}`), { decision: 'deny' }, `/review/${id}`);
  expect((await owner.open(`/review/${id}`)).words).toContain('Denied, by usr_Edna');
  await call(world, 'remove_person', { user_id: person }, { key: await dashboardToken(world) });
  expect(await owner.open(`/review/${id}`)).toMatchObject(says(200, 'Denied, by a person who has left'));
  const audited = await owner.open('/dashboard/audit');
  expect(audited).toMatchObject(says(200, 'join by usr_Edna'));
  expect(audited.words).toContain('deny_action by usr_Edna');
});

it('says to an editor that an app may do at most what their role allows', async () => {
  const { world } = await openAuthWorld();
  const owner = await setUp(world);
  const { browser } = await personWith(world, 'editor');
  const own = 'the app may do at most what your role allows';
  expect((await askConsent(world, browser)).page.words).toContain(own);
  expect((await askConsent(world, owner)).page.words).not.toContain(own);
});
