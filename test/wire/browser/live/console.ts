import type { Page } from 'playwright-core';

/** Fills in a form of the sandbox console by what is written on it, and sends it. */
export async function play(console: Page, name: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const form = console
    .locator('#play details')
    .filter({ has: console.getByText(name, { exact: true }) })
    .first();
  await form.locator('summary').click();
  for (const [label, value] of Object.entries(fields)) {
    const list = form.getByRole('combobox', { name: label, exact: true });
    if ((await list.count()) === 1) await list.selectOption({ label: value });
    else await form.getByLabel(label, { exact: true }).fill(value);
  }
  await form.getByRole('button', { name, exact: true }).click();
  await console.getByText(/^Done: /).waitFor();
}
