import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

describe.skipIf(missing !== '')(`the activity in the dashboard${missing}`, () => {
  it('grows live, waits while the focus is on it, and leads to what an entry is about', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    const make = (text: string) =>
      rest('POST /v1/posts', { text, account_ids: [account.id], scheduled_at: '2030-01-05T09:00:00Z' });
    await page.goto(`${root}/dashboard/activity?type=webhook`);
    await page.getByText('Nothing of this kind happened.').waitFor();
    await inspect('activity-empty');
    await page.getByRole('link', { name: 'Posts' }).last().press('Enter');
    await page.waitForURL(/type=post/);
    await make('First');
    const entries = page.locator('#log li');
    await expect.poll(() => entries.count()).toBe(1);
    await entries.first().getByRole('link').focus();
    await make('Second');
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await entries.count()).toBe(1);
    await page.getByRole('button', { name: '1 new' }).press('Enter');
    await expect.poll(() => entries.count()).toBe(2);
    await page.getByRole('searchbox', { name: 'Words in the entries below' }).fill('nowhere');
    await page.getByText('None of the 2 entries').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).press('Enter');
    await entries.nth(1).waitFor();
    await inspect('activity');
    await entries.first().getByRole('link').press('Enter');
    await page.getByRole('heading', { name: 'Post', exact: true }).waitFor();
  });
});
