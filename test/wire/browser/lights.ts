import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

export const LIGHTS = ['light', 'dark'] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules of these standards whose result depends on colours. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
const RULES = { light: { type: 'tag', values: STANDARDS }, dark: { type: 'rule', values: COLOURS } };
const STILL =
  'Promise.all(document.getAnimations().map((one) => one instanceof CSSTransition && one.finished.catch(() => {})))';

/** What axe finds wrong with a page as it is now: all its rules in the light, and in the dark those about colours. */
export async function violationsOf(page: Page): Promise<readonly (readonly unknown[])[]> {
  await page.evaluate(AXE);
  const found: unknown[][] = [];
  for (const colorScheme of LIGHTS) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(STILL);
    const options = JSON.stringify({ runOnly: RULES[colorScheme], resultTypes: ['violations'] });
    const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
    for (const { id, nodes } of violations)
      found.push([colorScheme, id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
  }
  return found;
}
