import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

describe.skipIf(missing !== '')(`settings in the dashboard${missing}`, () => {
  it('set a theme, and switch single keys off', async ({ stage: { page, root }, inspect }) => {
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL(`${root}/dashboard/settings`);
    await page.getByText('(this browser)').waitFor();
    await inspect('settings');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.getByRole('button', { name: 'Save the theme' }).press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByRole('checkbox', { name: /^Single-key/ }).uncheck();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).click();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    expect(await page.getByRole('heading', { name: 'Keys' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.reload();
    expect(await page.getByRole('checkbox', { name: /^Single-key/ }).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: /^Single-key/ }).check();
    await page.goto(`${root}/dashboard/settings/delete`);
    await inspect('settings-delete');
  });

  it('set posting times, of the workspace and of a brand, by the keys alone', async ({ stage, inspect }) => {
    const { page, root, rest } = stage;
    await rest('POST /v1/brands', { name: 'Second brand' });
    await page.goto(`${root}/dashboard/settings`);
    await page.getByRole('link', { name: 'When you usually publish' }).press('Enter');
    await page.getByText('There are no posting times yet.').waitFor();
    await inspect('posting-times-empty');
    const another = page.getByRole('group', { name: 'New time' });
    await another.getByLabel('Time').fill('09:00');
    for (const day of ['Mon', 'Thu']) await another.getByLabel(day).press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    const nine = page.getByRole('group', { name: '09:00' });
    await nine.waitFor();
    expect(await nine.getByLabel('Thu').isChecked()).toBe(true);
    expect(await nine.getByLabel('Fri').isChecked()).toBe(false);
    await inspect('posting-times');
    await page.getByLabel('Times of').selectOption({ label: 'Second brand' });
    await page.getByRole('button', { name: 'Show' }).press('Enter');
    await page.getByText('This brand uses the times of the workspace.').waitFor();
    await inspect('posting-times-brand');
  });

  it('show what is used, and a new secret of a key once, to be copied', async ({ stage: { page, root }, inspect }) => {
    await page.goto(`${root}/dashboard/usage`);
    await inspect('usage');
    await page.goto(`${root}/dashboard/keys`);
    await inspect('keys');
    await page.getByRole('button', { name: /^New secret/ }).press('Enter');
    await page.getByRole('button', { name: 'Make a new secret' }).press('Enter');
    await page.getByRole('button', { name: 'Copy the secret' }).press('Enter');
    await page.getByText(/Copied|Press Ctrl C/).waitFor();
    expect(await page.locator('.secret code').innerText()).toMatch(/^rostra_key_/);
  });

  it('show the people, and the link of an invitation once, to be copied', async ({
    stage: { page, root },
    inspect,
  }) => {
    await page.goto(`${root}/dashboard/people`);
    await page.getByLabel('E-mail address').fill('bea@example.org');
    await page.getByRole('button', { name: 'Make the link' }).press('Enter');
    await page.getByRole('button', { name: 'Copy the link' }).press('Enter');
    await page.getByText(/Copied|Press Ctrl C/).waitFor();
    await inspect('people-invited');
    await page.getByRole('link', { name: 'Back to the people' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke the invitation of bea@example.org' }).waitFor();
    await inspect('people');
  });
});
