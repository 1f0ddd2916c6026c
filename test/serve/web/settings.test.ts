import { describe, expect } from 'vitest';
import { makeBrowser, OWNER, setUp, signIn } from '../../harness/calls/browser.ts';
import { it } from '../../harness/world.ts';

const PATH = '/dashboard/settings';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1';

describe('settings', () => {
  it('have a name, which is refused where it is none', async ({ world }) => {
    const browser = await setUp(world);
    const page = await browser.open(PATH);
    for (const name of [' ', 'a\0b']) {
      const refused = await browser.submit(page, { name }, `${PATH}/name`);
      expect([refused.status, refused.words]).toEqual([400, expect.stringContaining('1 to 100 characters')]);
    }
    await browser.submit(page, { name: ' Anna B. ' }, `${PATH}/name`);
    expect((await world.rest('GET /v1/users/me')).body.name).toBe('Anna B.');
    expect((await browser.open(PATH)).text).toMatch(/name="name"[^>]* value="Anna B."/);
  });

  it('have a theme, kept in the browser and drawn on every page', async ({ world }) => {
    const browser = await setUp(world);
    expect((await browser.open(PATH)).text).toContain('<html lang="en">');
    await browser.submit(await browser.open(PATH), { theme: 'dark' }, `${PATH}/theme`);
    for (const path of [PATH, '/dashboard', '/sign-out'])
      expect((await browser.open(path)).text).toContain('<html lang="en" data-theme="dark">');
    await browser.submit(await browser.open(PATH), { theme: 'system' }, `${PATH}/theme`);
    expect((await browser.open(PATH)).text).toContain('<html lang="en">');
  });

  it('say where somebody is signed in, and end one or all others', async ({ world }) => {
    const browser = await setUp(world);
    const others = [makeBrowser(world), makeBrowser(world), makeBrowser(world)];
    for (const other of others) expect((await signIn(other)).status).toBe(302);
    const { store } = world.product;
    const sessions = () => store.db.selectFrom('web_sessions').selectAll().orderBy('created_at').execute();
    await store.write((tx) => tx.db.updateTable('web_sessions').set({ agent: PHONE }).execute());
    const page = await browser.open(PATH);
    expect(page.words).toContain('Safari on iOS');
    for (const { id } of await sessions()) expect(page.text).not.toContain(id);
    await browser.submit(page, {}, `${PATH}/devices/end`);
    expect(await sessions()).toHaveLength(3);
    await browser.submit(await browser.open(PATH), {}, `${PATH}/devices/end-others`);
    expect([(await sessions()).length, (await browser.open(PATH)).status]).toEqual([1, 200]);
    for (const other of others) expect((await other.open(PATH)).status).toBe(302);
    const rows = await store.db.selectFrom('audit').select('client').where('tool', '=', 'end_sessions').execute();
    expect(rows).toEqual([{ client: OWNER.name }, { client: OWNER.name }]);
  });

  it('delete a brand and the workspace once their name was typed', async ({ world }) => {
    const browser = await setUp(world);
    const { id } = (await world.rest('POST /v1/brands', { name: 'Old' })).body;
    const path = `${PATH}/brands/${id}`;
    const asked = await browser.open(path);
    expect((await browser.submit(asked, { confirm: 'Other' }, path)).status).toBe(400);
    expect((await browser.submit(asked, { confirm: 'Old' }, path)).headers.location).toBe(PATH);
    expect((await world.rest('GET /v1/brands')).body.data).toHaveLength(1);
    expect((await browser.open(path)).headers.location).toBe(PATH);
    const all = `${PATH}/delete`;
    const question = await browser.open(all);
    expect((await browser.submit(question, { confirm: '' }, all)).status).toBe(400);
    expect((await browser.submit(question, { confirm: OWNER.email }, all)).headers.location).toBe('/');
    expect((await world.rest('GET /v1/users/me')).status).toBe(401);
  });
});
