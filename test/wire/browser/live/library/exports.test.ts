import { describe } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

describe.skipIf(missing !== '')(`exports in the dashboard${missing}`, () => {
  it('are made, followed, downloaded and deleted', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await rest('POST /v1/posts', { text: 'Bread', account_ids: [account.id], publish_now: true });
    await page.goto(`${root}/dashboard/exports`);
    await page.getByText('There are no exports yet.').waitFor();
    await inspect('exports-empty');
    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    await page.getByText('The export has begun.').waitFor();
    await page.getByText('Ready').waitFor();
    await inspect('exports');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Spreadsheet of/ }).press('Enter'),
    ]);
    if (!saved.suggestedFilename().endsWith('.xlsx')) throw new Error(saved.suggestedFilename());
    await page.getByRole('button', { name: /^Delete the export of/ }).press('Enter');
    await page.getByText('This cannot be undone.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Delete the export of/ }).press('Enter');
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByText('There are no exports yet.').waitFor();
  });
});
