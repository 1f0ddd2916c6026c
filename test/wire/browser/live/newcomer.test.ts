import { describe, expect } from 'vitest';
import { jpeg } from '../../../harness/media-samples.ts';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

const TEXT = 'Fresh bread from seven o’clock';

describe.skipIf(missing !== '')(`a newcomer${missing}`, () => {
  it('connects, writes, plans, publishes and hears a first comment', async ({ stage: { page, root, rest } }) => {
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    for (const platform of ['Facebook', 'Threads']) {
      await page.getByRole('button', { name: `Connect ${platform}` }).click();
      await page.getByRole('link', { name: `Continue to ${platform}` }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(`${platform} is connected`).waitFor();
    }

    await page.getByRole('link', { name: 'New post', exact: true }).click();
    const chosen = page.getByRole('group', { name: 'Post to' }).getByRole('checkbox');
    for (const platform of ['Bluesky', 'Facebook', 'Threads'])
      await chosen
        .and(page.getByLabel(new RegExp(platform)))
        .first()
        .check();
    await page.getByLabel('Text for all accounts').fill(TEXT);
    await page.locator('#files').setInputFiles([{ name: 'bread.jpg', mimeType: 'image/jpeg', buffer: jpeg(800, 600) }]);
    await page.getByLabel('Description of bread.jpg').fill('Loaves on a shelf');
    await page.getByLabel('When', { exact: true }).fill('2030-05-15T07:00');
    await page.getByRole('button', { name: /^Schedule/ }).click();
    await page.waitForURL(/\/dashboard\/posts\/post_/);

    await page.goto(`${root}/dashboard/calendar?on=2030-05-15`);
    await page.locator('[data-day="2030-05-15"]').getByText(TEXT).waitFor();
    await page.locator('[data-day="2030-05-15"] .date').focus();
    for (const key of ['Enter', 'm', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.getByText(/Moved to Thursday,? 16 May, 07:00/).waitFor();

    const [planned] = (await rest('GET /v1/posts?status=scheduled')).data;
    expect(planned.scheduled_at).toBe('2030-05-16T07:00:00.000Z');
    await page.goto(`${root}/dashboard/posts/${planned.id}`);
    await page.getByRole('list', { name: 'Pictures and videos' }).getByText('bread.jpg').waitFor();
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect.poll(async () => (await rest(`GET /v1/posts/${planned.id}`)).status).toBe('published');

    await page.goto(`${root}/dashboard`);
    const sandbox = await page.context().newPage();
    await sandbox.goto(`${root}/sandbox/facebook`);
    const post = sandbox.locator('#posts article').filter({ hasText: TEXT });
    const form = post.locator('details', { hasText: 'Comment' }).first();
    await form.locator('summary').click();
    await form.getByRole('textbox', { name: /^Comment/ }).fill('Is there rye as well?');
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    await sandbox.getByText(/^Done: /).waitFor();
    await page.getByText('Is there rye as well?').waitFor();
  });
});
