import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

const NOW = '2030-03-14T12:00:00Z';
const MONTH = '2030-03';

const day = (page: Page, on: string) => page.locator(`[data-day="${on}"]`);
const chip = (page: Page, text: string) => page.locator('.chip').filter({ hasText: text });

async function centreOf(place: Locator) {
  await place.scrollIntoViewIfNeeded();
  const box = (await place.boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2] as const;
}

/** Drags with the mouse; a function says where to once the drag has begun. */
async function dragTo(page: Page, from: Locator, to: Locator | (() => Promise<Locator>)): Promise<void> {
  const [x, y] = await centreOf(from);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 8, y + 8, { steps: 3 });
  const [toX, toY] = await centreOf(typeof to === 'function' ? await to() : to);
  await page.mouse.move(toX, toY, { steps: 8 });
  await page.mouse.up();
}

describe.skipIf(missing !== '')(`what the design asks of a calendar${missing}`, () => {
  it('holds for the mouse', async ({ stage: { page, root, rest, account } }) => {
    const make = (text: string, more: object) => rest('POST /v1/posts', { text, account_ids: [account.id], ...more });
    await make('Cupping', { scheduled_at: `${MONTH}-26T09:00:00Z` });
    await make('Refused', { scheduled_at: `${MONTH}-27T09:00:00Z` });
    await make('Idea', {});
    const published = await make('Public', { publish_now: true });
    const publishedOn = (published.published_at as string).slice(0, 10);
    const address = `${root}/dashboard/calendar?on=${MONTH}-14`;
    await page.clock.setFixedTime(NOW);
    await page.goto(address);
    const cupping = chip(page, 'Cupping');
    await cupping.waitFor();
    const opened = page.url();

    await dragTo(page, cupping, day(page, `${MONTH}-28`));
    await day(page, `${MONTH}-28`).getByText('Cupping').waitFor();
    expect(await cupping.locator('time').innerText()).toBe('09:00');
    await page.getByText(/Moved to/).waitFor();
    expect(new URL(page.url()).pathname).toBe(new URL(opened).pathname);
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await page.keyboard.press('z');
    await page.getByText('Moved back.').waitFor();
    await day(page, `${MONTH}-26`).getByText('Cupping').waitFor();

    await dragTo(page, cupping, day(page, `${MONTH}-12`));
    await page.getByText('Not moved: that day is past.').first().waitFor();
    await day(page, `${MONTH}-26`).getByText('Cupping').waitFor();

    await page.route('**/dashboard/v1/posts/*', (route) =>
      route.request().method() === 'PATCH' || route.request().method() === 'PUT'
        ? route.fulfill({
            status: 409,
            json: { error: { code: 'resource.conflict', message: 'It was changed elsewhere.' }, request_id: 'req_1' },
          })
        : route.continue(),
    );
    await dragTo(page, chip(page, 'Refused'), day(page, `${MONTH}-29`));
    await page.getByText('Not moved: It was changed elsewhere.').first().waitFor();
    await day(page, `${MONTH}-27`).getByText('Refused').first().waitFor();
    await page.unroute('**/dashboard/v1/posts/*');

    await page.goto(address);
    await cupping.waitFor();
    const later = page.getByRole('heading', { name: /^(?:April|May|June|July) 2030$/ });
    await dragTo(page, cupping, async () => {
      const [x, y] = await centreOf(page.locator('[data-turn="1"]'));
      await page.mouse.move(x, y, { steps: 5 });
      await later.waitFor();
      // It goes on turning as long as the pointer stays, so on a slow machine it may be a later month.
      await page.mouse.move(x, y + 120);
      return page.locator('.grid .day:not(.other)').nth(15);
    });
    await page.locator('.grid .day:not(.other)').nth(15).getByText('Cupping').waitFor();
    await later.waitFor();

    await page.goto(address);
    await dragTo(page, chip(page, 'Idea'), day(page, `${MONTH}-25`));
    const dialog = page.getByRole('dialog', { name: 'Schedule this draft' });
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await day(page, `${MONTH}-25`).getByText('Idea').waitFor();
    expect(await chip(page, 'Idea').getAttribute('class')).toContain('scheduled');

    await page.clock.setFixedTime(Date.now());
    await page.goto(`${root}/dashboard/calendar?on=${publishedOn}`);
    await day(page, publishedOn).getByText('Public').waitFor();
    const other = page.locator('.grid [data-day]').last();
    await dragTo(page, chip(page, 'Public'), other);
    expect(await day(page, publishedOn).getByText('Public').count()).toBe(1);
    expect(await page.locator('.ghost').count()).toBe(0);
  });

  it('holds for the keys', async ({ stage: { page, root, complaints } }) => {
    await page.clock.setFixedTime(NOW);
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-22`);
    await chip(page, 'Refused').waitFor();
    const focused = () => page.evaluate('document.activeElement.closest("[data-day]")?.dataset.day');
    await day(page, `${MONTH}-22`).locator('.date').focus();
    for (const key of ['ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    expect(await focused()).toBe(`${MONTH}-27`);
    await page.keyboard.press('Enter');
    const id = await page.evaluate('document.activeElement.id');
    expect(id).toMatch(/^post_/);
    for (const key of ['m', 'ArrowDown', 'PageDown']) await page.keyboard.press(key);
    await page.locator('[aria-live=assertive]').getByText(/May/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'March 2030' }).waitFor();
    expect([await page.evaluate('document.activeElement.id'), await focused()]).toEqual([id, `${MONTH}-27`]);
    for (const key of ['m', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.getByText(/Moved to Friday,? 29 March, 09:00/).waitFor();
    expect([await page.evaluate('document.activeElement.id'), await focused()]).toEqual([id, `${MONTH}-29`]);
    // The answer that a route of the first test gave.
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  });

  it('scrolls while the pointer rests at the edge of the window', async ({ stage: { page, root } }) => {
    await page.setViewportSize({ width: 1360, height: 500 });
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-14`);
    await chip(page, 'Refused').waitFor();
    await page.evaluate('scrollTo(0, 0)');
    const [x, y] = await centreOf(page.locator('.drafts, .grid').getByText('Refused'));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 10, y, { steps: 3 });
    const far = () => page.evaluate('scrollY') as Promise<number>;
    await page.mouse.move(x, 4, { steps: 5 });
    await expect.poll(far).toBe(0);
    await page.mouse.move(x, 496, { steps: 5 });
    const end = (await page.evaluate('document.documentElement.scrollHeight - innerHeight')) as number;
    await expect.poll(far).toBeGreaterThan(end - 2);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await day(page, `${MONTH}-29`).getByText('Refused').waitFor();
  });
});
