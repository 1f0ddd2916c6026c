import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

const fileOf = (rows: readonly string[]) => ({
  name: 'posts.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['text,account_ids,scheduled_at', ...rows, ''].join('\n')),
});

describe.skipIf(missing !== '')(`the import in the dashboard${missing}`, () => {
  it('checks a file, says which rows are wrong, and creates the other posts', async ({ stage, inspect }) => {
    const { page, root, rest, account } = stage;
    await page.goto(`${root}/dashboard/posts`);
    await page.getByRole('link', { name: 'Import', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Import posts' }).waitFor();
    await page.getByText('Columns').press('Enter');
    await inspect('import');
    const [template] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Template with your accounts' }).press('Enter'),
    ]);
    expect(template.suggestedFilename()).toBe('posts.csv');
    const field = page.getByLabel('Choose a CSV file, or drop it here');
    await field.setInputFiles({ ...fileOf([]), buffer: Buffer.from('text,texts\nBread,\n') });
    await page.getByRole('alert').filter({ hasText: 'texts' }).waitFor();
    const day = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
    await field.setInputFiles(
      fileOf([`Rye is back,${account.id},${day} 14:00`, 'A draft,,', `Too early,${account.id},01/02/2026`]),
    );
    await page.getByText('2 of 3 rows can be imported.').waitFor();
    await page.getByText('write the year first').waitFor();
    expect((await rest('GET /v1/posts')).data).toEqual([]);
    await page.getByRole('button', { name: 'Import 2 posts' }).press('Enter');
    await page.getByText('2 posts imported, 1 row not.').waitFor();
    const posts = (await rest('GET /v1/posts')).data as { text: string; status: string }[];
    expect(Object.fromEntries(posts.map(({ text, status }) => [text, status]))).toEqual({
      'A draft': 'draft',
      'Rye is back': 'scheduled',
    });
    await page.getByRole('link', { name: 'Scheduled posts' }).press('Enter');
    await page.getByText('Rye is back').waitFor();
  });
});
