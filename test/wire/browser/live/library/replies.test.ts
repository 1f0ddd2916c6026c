import { describe, expect } from 'vitest';
import { missing } from '../../../clients/chromium.ts';
import { play } from '../console.ts';
import { it } from '../stage.ts';

describe.skipIf(missing !== '')(`saved replies in the dashboard${missing}`, () => {
  it('are written once, and put into answers by the keys alone', async ({ stage, inspect }) => {
    const { page, root, rest } = stage;
    await rest('POST /v1/brands', { name: 'Second brand' });
    await page.goto(`${root}/dashboard`);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByText('There is no saved reply yet.').waitFor();
    await inspect('replies-empty');
    await page.getByLabel('Name', { exact: true }).fill('Opening hours');
    await page.getByLabel('Text', { exact: true }).fill('Hello {first_name}, we are open from 8 to 6.');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('Opening hours is saved.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Parking');
    await page.getByLabel('Text', { exact: true }).fill('Behind the house.');
    await page.getByLabel('Brand').selectOption({ label: 'Second brand' });
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('Parking is saved.').waitFor();
    await page.getByRole('button', { name: 'Edit Opening hours' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name');
    await page.locator('.editing textarea').fill('Hello {first_name}, we are open from 8 to 5.');
    // What is written stays, whatever is searched for.
    await page.getByLabel('Search saved replies').fill('parking');
    await page.getByText('1 found').waitFor();
    await page.getByLabel('Search saved replies').fill('');
    await page.locator('.editing').getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('from 8 to 5.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Edit');
    await inspect('replies');
    // A reload loses nothing that is typed, and Cancel drops it.
    const edited = page.locator('.editing textarea');
    for (const shown of ['Hello again.', 'Hello {first_name}, we are open from 8 to 5.']) {
      await page.getByRole('button', { name: 'Edit Opening hours' }).press('Enter');
      if (shown === 'Hello again.') await edited.fill(shown);
      await page.reload();
      await page.getByRole('button', { name: 'Edit Opening hours' }).press('Enter');
      expect(await edited.inputValue()).toBe(shown);
      await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    }

    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect Facebook' }).click();
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Facebook is connected').waitFor();
    const sandbox = await page.context().newPage();
    await sandbox.goto(`${root}/sandbox/facebook`);
    const Page = 'Harbour Coffee';
    await play(sandbox, 'Write to a Page', { Who: 'Mia Message', Page, 'Text (optional)': 'Are you open?' });
    await page.bringToFront();
    await page.goto(`${root}/dashboard/inbox`);
    await page.locator('.item', { hasText: 'Are you open?' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('#reply').waitFor();
    await page.keyboard.press('s');
    await page.getByRole('option', { name: /^Opening hours/ }).waitFor();
    // What is for another brand is not offered.
    expect(await page.locator('dialog [role=option]').count()).toBe(1);
    // One list at a time.
    await page.keyboard.press('Control+k');
    expect(await page.locator('dialog').count()).toBe(1);
    await page.keyboard.type('hours');
    await page.keyboard.press('Enter');
    const text = () => page.locator('#reply').inputValue();
    await expect.poll(text).toBe('Hello Mia, we are open from 8 to 5.');
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe('');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(text).toBe('Hello Mia, we are open from 8 to 5.');
    for (let n = 0; n < 'from 8 to 5.'.length; n += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+/');
    await page.keyboard.type('nothing like it');
    await page.getByText('No saved reply has these words.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.type('daily ');
    await expect.poll(text).toBe('Hello Mia, we are open daily from 8 to 5.');
    await inspect('inbox-saved');
    await page.keyboard.press('Control+Enter');
    await page.locator('.bubble', { hasText: 'Hello Mia, we are open daily from 8 to 5.' }).waitFor();

    await page.goto(`${root}/dashboard/replies`);
    await page.getByRole('button', { name: 'Delete Parking' }).press('Enter');
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByText('Parking is deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete Parking' }).count()).toBe(0);
  });

  it('that are written while another is being stored stay in the form', async ({ stage: { page, root } }) => {
    const stored = Promise.withResolvers<void>();
    await page.route('**/inbox/saved-replies', async (route) => {
      await stored.promise;
      await route.continue();
    });
    await page.goto(`${root}/dashboard/replies`);
    await page.getByText('Write a saved reply').click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Delivery');
    await page.getByLabel('Text', { exact: true }).fill('We deliver on Fridays.');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await name.fill('Delivery abroad');
    stored.resolve();
    await page.getByText('Delivery is saved.').waitFor();
    expect(await name.inputValue()).toBe('Delivery abroad');
    await page.unroute('**/inbox/saved-replies');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('Delivery abroad is saved.').waitFor();
    expect(await name.inputValue()).toBe('');
  });
});
