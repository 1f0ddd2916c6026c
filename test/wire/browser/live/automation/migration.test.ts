import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { it } from '../stage.ts';

describe.skipIf(missing !== '')(`a migration in the dashboard${missing}`, () => {
  it('is started, shows what comes and what stays, and is stopped', async ({ stage, inspect }) => {
    const { page, root } = stage;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto(`${root}/dashboard/migration`);
    await button('Start').waitFor();
    await inspect('migration');
    await page.getByRole('link', { name: 'its console' }).press('Enter');
    const keys = page.getByText(/sk_[0-9a-f]{64}/);
    await keys.first().waitFor();
    const [key] = /sk_[0-9a-f]{64}/.exec((await keys.first().textContent())!)!;
    await page.goto(`${root}/dashboard/migration`);
    await page.getByRole('textbox', { name: 'API key of Zernio' }).fill(key);
    await page.getByRole('checkbox').press('Space');
    await button('Start').press('Enter');
    await page.getByText(/accounts? comes?, to/).waitFor();
    await page.getByText('What stays with Zernio').waitFor();
    await inspect('migration-started');
    await button('Read the accounts again').press('Enter');
    await page.getByText('The accounts were read.').waitFor();
    await button('Stop the migration').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByText('Stopped: the key is erased').waitFor();
    await button('Start').waitFor();
    expect(await page.getByRole('textbox', { name: 'API key of Zernio' }).inputValue()).toBe('');
  });
});
