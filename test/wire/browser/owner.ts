import type { Page } from 'playwright-core';

export const EMAIL = 'anna@example.org';
export const PASSWORD = 'correct horse battery';

/** Fills in who the owner of a new server is. */
export async function fillSetUp(page: Page, repeated = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail address').fill(EMAIL);
  await page.getByLabel('Your name').fill('Anna');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password once more').fill(repeated);
}

/** Signs in on the page that asks for it. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
