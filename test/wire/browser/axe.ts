import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { headingOf, it as test, listen, look } from '../clients/chromium.ts';
import { violationsOf } from './lights.ts';

const SIZES = [
  { width: 1000, height: 800 },
  { width: 390, height: 800 },
];

/**
 * The heading of a page, less the sign before it. The page is held to be as it is meant: nothing wider than a phone,
 * heard as it is seen, and nothing that axe finds wrong.
 */
async function checkPage(browser: Browser, page: Page, name: string, more: readonly Size[]): Promise<string> {
  await listen(page);
  await look(page, name);
  const cookies = await page.context().cookies();
  expect([name, await faultsOf(browser, page.url(), cookies, [...SIZES, ...more])]).toEqual([name, []]);
  return (await headingOf(page)).replace(/^[^\w\s]\s*/, '');
}

/** A test in a browser without scripts that checks the pages it comes to. */
export const it = test.extend(
  'check',
  { scope: 'file' },
  ({ browser, page }) =>
    (name: string, ...more: readonly Size[]) =>
      checkPage(browser, page, name, more),
);

/**
 * What is wrong with a page in both lights and on a phone. axe is a script, so the page is opened in a context that runs
 * scripts, with the cookies given; the page itself has none.
 */
async function faultsOf(
  browser: Browser,
  url: string,
  cookies: Parameters<Cookies>[0],
  sizes: readonly Size[],
): Promise<unknown[]> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  const faults: unknown[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.goto(url);
    const wide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
    if (wide > 0) faults.push([size.width, `${wide} px too wide`]);
    for (const found of await violationsOf(page)) faults.push([size.width, ...found]);
  }
  await context.close();
  return faults;
}

type Size = (typeof SIZES)[number];
type Cookies = Awaited<ReturnType<Browser['newContext']>>['addCookies'];
