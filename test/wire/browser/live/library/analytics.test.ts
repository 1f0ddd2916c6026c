import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

describe.skipIf(missing !== '')(`analytics in the dashboard${missing}`, () => {
  it('are shown by day and by post, for a period, and saved', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await page.goto(`${root}/dashboard/analytics`);
    await page.getByText('Nothing was published or gained').waitFor();
    await inspect('analytics-empty');
    const post = { text: '=1+1 loaves', account_ids: [account.id], publish_now: true };
    const { id } = await rest('POST /v1/posts', post);
    await rest(`GET /v1/posts/${id}/metrics`);
    await page.getByRole('link', { name: '7 days' }).press('Enter');
    await page.getByRole('link', { name: '=1+1 loaves' }).waitFor();
    await page.getByRole('button', { name: /^Published 1 .*1 more than before/ }).press('Enter');
    await page.getByRole('img', { name: /^Published by day/ }).waitFor();
    await page.getByText('The numbers as a table').press('Enter');
    await expect.poll(() => page.locator('table').first().locator('tbody tr').count()).toBe(7);
    await inspect('analytics');
    await page.setViewportSize({ width: 390, height: 844 });
    const days = page.getByRole('group', { name: 'Numbers by day' });
    expect(await days.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1360, height: 900 });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save posts as CSV' }).press('Enter'),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^posts-\S+\.csv$/);
    expect(readFileSync(await saved.path(), 'utf8')).toContain(`,'=1+1 loaves,`);
    const before = page.url();
    await page.getByLabel('Platform').focus();
    // The first key opens the list, so that moving in it loads no page.
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    expect(page.url()).toBe(before);
    await page.keyboard.press('Enter');
    await page.waitForURL(/platform=/);
    await page.goto(`${root}/dashboard/analytics?from=2026-01-31&to=2026-01-01`);
    await page.getByText('must span 1 to 366 days').first().waitFor();
    stage.complaints.length = 0;
    await page.getByRole('link', { name: 'Show the last 28 days' }).press('Enter');
    await page.getByRole('heading', { name: 'Best posts' }).waitFor();
  });
});
