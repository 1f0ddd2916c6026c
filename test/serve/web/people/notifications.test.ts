import { describe, expect } from 'vitest';
import { says, setUp, type Browser } from '../../../harness/calls/browser.ts';
import { personWith } from '../../../harness/calls/people.ts';
import { it, makeWorld } from '../../../harness/world.ts';

const PATH = '/dashboard/notifications';
const SETTINGS = '/dashboard/settings';

const ticked = async (browser: Browser) =>
  [...(await browser.open(PATH)).text.matchAll(/<input type="checkbox" name="kind" value="(\w+)"( checked)?/g)].map(
    ([, kind, checked]) => `${checked ? '+' : '-'}${kind}`,
  );

describe('the page of notifications', () => {
  it('shows everything that is for the role, and keeps what somebody chooses', async ({ world }) => {
    const owner = await setUp(world);
    expect((await owner.open(SETTINGS)).text).toContain(`href="${PATH}"`);
    expect(await ticked(owner)).toEqual(['+posts', '+accounts', '+requests']);
    const saved = await owner.submit(await owner.open(PATH), { kind: ['accounts'] });
    expect([saved.status, saved.headers.location]).toEqual([302, SETTINGS]);
    expect(await ticked(owner)).toEqual(['-posts', '+accounts', '-requests']);
    await owner.submit(await owner.open(PATH), { kind: [] });
    expect(await ticked(owner)).toEqual(['-posts', '-accounts', '-requests']);
  });

  it('says to whom the mails go, or that there are none yet', async ({ world }) => {
    expect(await (await setUp(world)).open(PATH)).toMatchObject(says(200, 'This server sends no mail yet.'));
    const mailing = await makeWorld({ mail: true });
    expect(await (await setUp(mailing)).open(PATH)).toMatchObject(says(200, 'They go to anna@example.org'));
  });

  it('is for editors, without what is for administrators, and not for viewers', async ({ world }) => {
    await setUp(world);
    const editor = await personWith(world, 'editor');
    expect(await ticked(editor.browser)).toEqual(['+posts', '+requests']);
    const { browser } = await personWith(world, 'viewer', 'Cem');
    expect((await browser.open(SETTINGS)).text).not.toContain(PATH);
    expect(await browser.open(PATH)).toMatchObject(says(403, 'This page is not for your role'));
  });

  it('refuses a kind that does not exist, and keeps what was ticked', async ({ world }) => {
    const owner = await setUp(world);
    const page = await owner.open(PATH);
    const refused = await owner.submit(page, { kind: ['posts', 'weather'] });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/value="posts" checked/);
    expect(refused.text).not.toMatch(/value="accounts" checked/);
  });
});
