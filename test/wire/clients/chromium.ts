import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forFile } from '../../harness/fixtures.ts';

const CHROMIUM = '/usr/bin/chromium';
/** What the name of a test adds when there is no browser to run it in; empty when there is one. */
export const missing = existsSync(CHROMIUM) ? '' : `, skipped: there is no ${CHROMIUM}`;
/** Where a person may look at the pages afterwards. */
const PICTURES = process.env['SCREENSHOTS'];

/** A browser without scripts that keeps what its own console complains of. */
async function openChromium() {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  const context = await browser.newContext({ javaScriptEnabled: false });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('requestfailed', (request) => {
    // A browser without scripts asks for none of those that a page has.
    if (request.failure()?.errorText === 'csp' && request.url().endsWith('.js')) return;
    complaints.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  return { browser, complaints, page: await context.newPage() };
}

/** Presses the button of a name. */
export const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** What is done to a page, done to the tab of the file. */
const onPage =
  <A extends readonly unknown[]>(act: (page: Page, ...rest: A) => Promise<void>) =>
  ({ page }: Readonly<{ page: Page }>) =>
  (...rest: A) =>
    act(page, ...rest);

/** A test in a browser without scripts; the tests of a file go on in the same tab. */
export const it = test
  .extend(
    'chromium',
    { scope: 'file' },
    forFile(async (atEnd) => {
      const opened = await openChromium();
      atEnd(() => opened.browser.close());
      return opened;
    }),
  )
  .extend('browser', { scope: 'file' }, ({ chromium: { browser } }) => browser)
  .extend('page', { scope: 'file' }, ({ chromium: { page } }) => page)
  .extend('complaints', { scope: 'file' }, ({ chromium: { complaints } }) => complaints)
  .extend('press', { scope: 'file' }, onPage(press))
  .extend('look', { scope: 'file' }, onPage(look))
  .extend('listen', { scope: 'file' }, onPage(listen));

export const headingOf = (page: Page) => page.locator('h1').innerText();

/** Nothing on the page is wider than the narrowest phone, and it can be looked at in either light. */
export async function look(page: Page, name: string): Promise<void> {
  for (const width of [1000, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
    expect([name, width, wide]).toEqual([name, width, 0]);
    for (const colorScheme of PICTURES ? (['light', 'dark'] as const) : []) {
      mkdirSync(PICTURES!, { recursive: true });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(PICTURES!, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1000, height: 800 });
}

/** Every field has a name that is heard, and the page says what it is. */
export async function listen(page: Page): Promise<void> {
  expect(await page.locator('h1').count()).toBe(1);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  const nameless = await page
    .locator('input:not([type=hidden]), select, textarea')
    .evaluateAll((fields) =>
      (fields as unknown as { name: string; labels: ArrayLike<unknown> }[])
        .filter(({ labels }) => labels.length === 0)
        .map(({ name }) => name),
    );
  expect(nameless).toEqual([]);
}
