import axe, { type AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';

const SIZES = [
  { width: 1000, height: 800 },
  { width: 390, height: 800 },
];

/**
 * What axe finds wrong with a page, in both lights and on a phone. axe is a script, so the page is opened in a context
 * that runs scripts, with the cookies given; the page itself has none.
 */
export async function violationsOf(browser: Browser, url: string, cookies: Parameters<Cookies>[0]): Promise<unknown[]> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  const found: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.goto(url);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      const wide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
      if (wide > 0) found.push([colorScheme, size.width, `${wide} px too wide`]);
      for (const { id, nodes } of violations) found.push([colorScheme, size.width, id, nodes.map(({ html }) => html)]);
    }
  }
  await context.close();
  return found;
}

type Cookies = Awaited<ReturnType<Browser['newContext']>>['addCookies'];
