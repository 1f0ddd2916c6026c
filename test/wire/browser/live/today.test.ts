import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

describe.skipIf(missing !== '')(`today in the dashboard${missing}`, () => {
  it('has a list for the first day, and nothing that waits', async ({ stage: { page, root }, inspect }) => {
    await page.goto(root);
    await page.waitForURL(`${root}/dashboard`);
    await page.getByText('Nothing is waiting for you.').waitFor();
    await page.getByText(`${root}/mcp`).waitFor();
    expect(await page.getByRole('link', { name: 'Write a post' }).getAttribute('href')).toBe('/dashboard/compose');
    expect(await page.title()).toBe('Today · Rostra');
    await inspect('today-empty');
    await page.getByRole('button', { name: 'Hide' }).press('Enter');
    expect(await page.getByText('The first day').count()).toBe(0);
    await page.reload();
    await page.getByText('Nothing is waiting for you.').waitFor();
    expect(await page.getByText('The first day').count()).toBe(0);
  });

  it('offers the timezone of the device, once', async ({ stage: { browser, page, root } }) => {
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ storageState, timezoneId: 'Europe/Berlin' });
    const berlin = await context.newPage();
    await berlin.goto(`${root}/dashboard`);
    await berlin.evaluate('localStorage.clear()');
    await berlin.reload();
    await berlin.getByText('this device is in Europe/Berlin').waitFor();
    await berlin.getByRole('button', { name: 'Use it' }).press('Enter');
    await berlin.getByText('Times in Europe/Berlin').waitFor();
    expect(await berlin.getByText('this device is in').count()).toBe(0);
    await context.close();
  });

  it('shows what happened between its reading and its listening', async ({ stage: { page, rest, root, account } }) => {
    // No other tab reads the stream for this one.
    await page.goto('about:blank');
    const tab = await page.context().newPage();
    const { promise: happened, resolve: release } = Promise.withResolvers<void>();
    const places: (string | undefined)[] = [];
    await tab.route('**/events/stream', async (route) => {
      places.push(route.request().headers()['last-event-id']);
      await happened;
      await route.continue();
    });
    await tab.goto(`${root}/dashboard`);
    await tab.getByText('Nothing is scheduled.').waitFor();
    const soon = new Date(Date.now() + 1_800_000).toISOString();
    const post = await rest('POST /v1/posts', { text: 'Just now', account_ids: [account.id], scheduled_at: soon });
    await expect.poll(() => places).toEqual([await tab.locator('.rail').getAttribute('data-since')]);
    release();
    await tab.getByRole('link', { name: /Scheduled.*Just now/ }).waitFor();
    await tab.close();
    await rest(`DELETE /v1/posts/${post.id}`);
    await page.goto(`${root}/dashboard`);
  });

  it('shows what failed and what comes next, without a reload', async ({
    stage: { page, rest, root, account },
    inspect,
  }) => {
    const make = (text: string, more: object) => rest('POST /v1/posts', { text, account_ids: [account.id], ...more });
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await make('<img src=x onerror=alert(1)> at noon', { scheduled_at: inAnHour });
    await page.getByRole('link', { name: /Scheduled.*at noon/ }).waitFor();
    await expect(make('x'.repeat(400), { skip_validation: true, publish_now: true })).rejects.toThrow(
      'platform.bluesky',
    );
    await page.getByRole('heading', { name: 'Failed' }).waitFor();
    await expect.poll(() => page.title()).toBe('(1) Today · Rostra');
    await inspect('today');
    // At 400 % nothing floats over what little is to be seen.
    await page.setViewportSize({ width: 340, height: 225 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.rail')).position")).toBe('static');
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.locator('.post.failed').press('Enter');
    await page.waitForURL(`${root}/dashboard/posts/post_*`);
  });
});
