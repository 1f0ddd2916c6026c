import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

describe.skipIf(missing !== '')(`accounts in the dashboard${missing}`, () => {
  it('are connected in three presses, and are there then', async ({ stage: { page, rest, root }, inspect }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect Facebook' }).waitFor();
    await inspect('accounts');
    await page.getByRole('button', { name: 'Connect Facebook' }).click();
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${root}/dashboard/accounts?connected=acc_**`);
    await page.getByText('Facebook is connected: Olivia Harbour').waitFor();
    expect((await rest('GET /v1/accounts?platform=facebook')).data).toHaveLength(1);
    await inspect('accounts-connected');
  });

  it('have pages that are switched off and on', async ({ stage: { page, rest, root } }) => {
    const [{ id }] = (await rest('GET /v1/accounts?platform=facebook')).data;
    const pages = async () =>
      (await rest(`GET /v1/accounts/${id}/pages`)).data as { name: string; is_active: boolean }[];
    const name = (await pages()).at(-1)!.name;
    await page.goto(`${root}/dashboard/accounts`);
    const card = page.getByRole('article', { name: 'Olivia Harbour' });
    await card.getByText('Pages and permissions').click();
    await card.getByRole('checkbox', { name }).press('Space');
    await page.getByText(`${name} is off`).waitFor();
    expect((await pages()).find((one) => one.name === name)).toMatchObject({ is_active: false });
    expect(await card.getByRole('checkbox', { name }).isChecked()).toBe(false);
    expect(await page.locator(':focus').getAttribute('type')).toBe('checkbox');
    await page.getByRole('button', { name: 'Dismiss' }).first().press('Enter');
    await expect.poll(() => page.locator(':focus').getAttribute('type')).toBe('checkbox');
  });

  it('are connected again under the same id, and let go once a person says so', async ({
    stage: { page, rest, root },
  }) => {
    const ids = async () => (await rest('GET /v1/accounts?platform=facebook')).data.map(({ id }: { id: string }) => id);
    const before = await ids();
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByRole('button', { name: 'Connect again: Olivia Harbour' }).click();
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${root}/dashboard/accounts?connected=${before[0]}**`);
    expect(await ids()).toEqual(before);
    await page.getByRole('button', { name: 'Disconnect: Olivia Harbour' }).press('Enter');
    const focused = () => page.locator(':focus').innerText();
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Escape');
    const label = () => page.locator(':focus').getAttribute('aria-label');
    expect(await label()).toBe('Disconnect: Olivia Harbour (Facebook)');
    await page.getByRole('button', { name: 'Disconnect: Olivia Harbour' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect.poll(label).toBe('Disconnect: Olivia Harbour (Facebook)');
    await page.getByRole('button', { name: 'Disconnect: Olivia Harbour' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).press('Enter');
    await page.getByText('Olivia Harbour is disconnected.').waitFor();
    await expect.poll(focused).toBe('Connected');
    expect(await ids()).toEqual([]);
  });

  it('belong to brands that are made and renamed, and guests are invited to', async ({
    stage: { page, rest, root },
    inspect,
  }) => {
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByLabel('Name of a new brand').fill('<b>Bakery</b>');
    await page.keyboard.press('Enter');
    const name = page.getByLabel('Name of the brand <b>Bakery</b>');
    await name.fill('Bakery');
    await name.press('Enter');
    await page.getByLabel('Name of the brand Bakery').waitFor();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Name of the brand Bakery');
    expect((await rest('GET /v1/brands')).data.map((brand: { name: string }) => brand.name)).toContain('Bakery');
    await page.getByLabel('Brand of the guest').selectOption('Bakery');
    await page.getByLabel('Platform').selectOption('Threads');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText(`${root}/invite/`).waitFor();
    await page.getByText('QR code', { exact: true }).press('Enter');
    const code = page.getByRole('img', { name: 'QR code of the invite to Threads' });
    await code.waitFor();
    expect((await code.boundingBox())!.width).toBeGreaterThan(100);
    await inspect('accounts-brands');
    await page.getByRole('button', { name: 'Withdraw the invite to Threads' }).press('Enter');
    await page.getByText('The link no longer works.').waitFor();
    await expect.poll(() => page.getByText(`${root}/invite/`).count()).toBe(0);
    expect(await page.locator(':focus').innerText()).toBe('Invites');
    await page.getByLabel('Brand', { exact: true }).selectOption('Bakery');
    await page.getByText('No account matches the search and the brand.').waitFor();
    await page.getByRole('button', { name: 'Show all accounts' }).press('Enter');
    await page
      .getByRole('article', { name: /Bluesky/ })
      .first()
      .waitFor();
  });

  it('are made with an app of their own, which is removed after a question', async ({
    stage: { page, rest, root },
  }) => {
    await rest('PUT /v1/platforms/twitter/credentials', { client_id: 'client', client_secret: 'secret' });
    await page.goto(`${root}/dashboard/accounts`);
    await page.getByText('Your app', { exact: true }).click();
    expect(await page.getByLabel('Client secret').getAttribute('type')).toBe('password');
    const removing = page.getByRole('button', { name: 'Remove it' });
    await removing.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Remove it');
    await removing.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('Your app: none yet').waitFor();
    await expect.poll(() => page.locator(':focus').innerText()).toBe('X');
    await page.getByRole('button', { name: 'Enter your app first' }).press('Enter');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('app-client_id');
    expect((await rest('GET /v1/platforms/twitter/credentials')).data).toEqual([]);
  });

  it('are connected and let go without a script', async ({ stage: { browser, page, root }, inspect }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies(await page.context().cookies());
    const plain = await context.newPage();
    await plain.goto(`${root}/dashboard/accounts`);
    await plain.getByRole('button', { name: 'Connect Threads' }).click();
    await plain.getByRole('link', { name: 'Continue to Threads' }).click();
    await plain.getByRole('button', { name: 'Continue' }).click();
    await plain.waitForURL(`${root}/dashboard/accounts?connected=acc_*`);
    await plain
      .getByRole('button', { name: /^Disconnect: / })
      .first()
      .click();
    await plain.getByRole('heading', { name: 'Disconnect this account?' }).waitFor();
    await plain.getByRole('button', { name: 'Disconnect' }).click();
    await plain.waitForURL(`${root}/dashboard/accounts`);
    await context.close();
    await page.goto(`${root}/dashboard/accounts`);
    await inspect('accounts-one');
  });
});
