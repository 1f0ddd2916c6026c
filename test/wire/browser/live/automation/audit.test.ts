import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

const TEXT = 'Fresh bread from seven o’clock, as every day of the year but the first of January';

describe.skipIf(missing !== '')(`what an assistant asks for${missing}`, () => {
  it('is decided by the keyboard alone, and what became of it is in the audit', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await page.goto(`${root}/dashboard/assistants`);
    await page
      .getByRole('link', { name: /^Edit what/ })
      .first()
      .press('Enter');
    await page.getByRole('radio', { name: /^Ask me first/ }).press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.waitForURL(`${root}/dashboard/assistants`);
    for (const text of [TEXT, `${TEXT} `]) {
      const held = await rest('POST /v1/posts', { text, account_ids: [account.id], publish_now: true });
      expect(held.status).toBe('held');
    }
    await rest('POST /v1/posts', { text: TEXT, account_ids: [account.id] });

    await page.goto(`${root}/review`);
    await inspect('review');
    await page
      .getByRole('link', { name: /^Publish/ })
      .first()
      .press('Enter');
    await page.getByRole('heading', { name: 'May this be done?' }).waitFor();
    await inspect('review-action');
    await page.getByRole('button', { name: 'Approve as asked' }).press('Enter');
    await page.getByText(/^(Approved, being done|Being done|Done), by /).waitFor();

    await page.goto(`${root}/dashboard/audit`);
    await page.getByText('Arguments').first().press('Enter');
    await page.getByText('account_ids').first().waitFor();
    await inspect('audit');
    await page.getByLabel('Verdict').selectOption('has to ask');
    await page.getByRole('button', { name: 'Show' }).press('Enter');
    await page.waitForURL(/verdict=hold/);
    await expect.poll(() => page.locator('main li').count()).toBe(2);
  });
});
