import type { Page, Request } from 'playwright-core';
import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

/** More than the six connections that a browser opens to a server. */
const PATHS = ['/activity', '/inbox', '/calendar', '/posts', '/webhooks', '/assistants', '/media', '/activity'];

const rowsOf = (tab: Page) => tab.locator('#log li').count();

describe.skipIf(missing !== '')(`many tabs of the dashboard${missing}`, () => {
  it('all load, hear what happens, and keep one stream open, whichever of them is closed', async ({
    stage: { page, root, rest, complaints },
  }) => {
    const context = page.context();
    const asked = new Set<Request>();
    context.on('request', (request) => void (request.url().endsWith('/events/stream') && asked.add(request)));
    context.on('requestfinished', (request) => void asked.delete(request));
    context.on('requestfailed', (request) => void asked.delete(request));
    const streams = () => [...asked].filter((request) => !request.frame().page().isClosed());

    const tabs: Page[] = [];
    for (const path of PATHS) {
      const tab = tabs.length === 0 ? page : await context.newPage();
      await tab.goto(`${root}/dashboard${path}`);
      await tab.locator('main h1').waitFor();
      tabs.push(tab);
    }
    const [first, last] = [tabs[0]!, tabs.at(-1)!];
    await expect.poll(() => streams().map((request) => request.frame().page() === last)).toEqual([true]);

    const before = await Promise.all([rowsOf(first), rowsOf(last)]);
    await rest('POST /v1/brands', { name: 'First' });
    await expect.poll(() => Promise.all([rowsOf(first), rowsOf(last)])).toEqual(before.map((rows) => rows + 1));

    await last.close();
    await expect.poll(() => streams().length).toBe(1);
    await rest('POST /v1/brands', { name: 'Second' });
    await expect.poll(() => rowsOf(first)).toBe(before[0] + 2);
    await expect.poll(() => streams().length).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('say that the server does not answer until it does, and keep what is typed', async ({
    stage: { page, root, restart, complaints },
  }) => {
    await page.goto(`${root}/dashboard/compose`);
    const text = page.getByLabel('Text for all accounts');
    await text.fill('Half a sen');
    const notice = page.getByText('No connection to the server. Trying again');
    await restart(async () => {
      await notice.waitFor();
      await text.press('End');
      await page.keyboard.type('tence');
    });
    await notice.waitFor({ state: 'detached' });
    expect(await text.inputValue()).toBe('Half a sentence');
    complaints.length = 0;
  });
});
