import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

const MONTH = '2030-03';
const HOSTILE = '<img src=x onerror=alert(1)> "\'&amp;';

describe.skipIf(missing !== '')(`the calendar${missing}`, () => {
  it('shows posts by day, and drafts beside', async ({ stage: { page, rest, root, account }, inspect }) => {
    const make = (text: string, at: string | undefined) =>
      rest('POST /v1/posts', { text, account_ids: [account.id], ...(at !== undefined && { scheduled_at: at }) });
    await page.goto(`${root}/dashboard/posts`);
    await page.getByText('There is no post yet.').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByText('There are no drafts without a time.').waitFor();
    await inspect('calendar-empty');
    await make('Cupping on Saturday', `${MONTH}-15T09:00:00Z`);
    for (let at = 0; at < 7; at += 1) await make(`Offer ${at} ${HOSTILE}`, `${MONTH}-20T10:00:00Z`);
    await make('An idea without a time', undefined);
    await rest('POST /v1/brands', { name: 'A bakery with a long name and branches in eleven towns' });
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-12`);
    await page.getByText('Cupping on Saturday').waitFor();
    await page.getByText('An idea without a time').waitFor();
    await page.getByRole('button', { name: /^\+4 more/ }).click();
    expect(await page.locator(`[data-day="${MONTH}-20"] .chip`).count()).toBe(7);
    await inspect('calendar');
  });

  it('moves a post by the keys alone, and takes it back', async ({ stage: { page, root, rest } }) => {
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-14`);
    await page.getByText('Cupping on Saturday').waitFor();
    await page.locator(`[data-day="${MONTH}-14"] .date`).focus();
    for (const key of ['ArrowRight', 'Enter', 'm', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator(`[data-day="${MONTH}-23"]`).getByText('Cupping on Saturday').waitFor();
    await page.getByText(/Moved to Saturday,? 23 March, 09:00/).waitFor();
    expect(await page.locator(':focus').innerText()).toContain('Cupping');
    const at = async () => (await rest('GET /v1/posts?search=Cupping')).data[0].scheduled_at as string;
    expect(await at()).toBe(`${MONTH}-23T09:00:00.000Z`);
    await page.keyboard.press('z');
    await page.locator(`[data-day="${MONTH}-15"]`).getByText('Cupping on Saturday').waitFor();
    await expect.poll(at).toBe(`${MONTH}-15T09:00:00.000Z`);
    // Whoever leaves the grid with it in hand has put it back.
    for (const key of ['m', 'ArrowRight', 'Tab']) await page.keyboard.press(key);
    await expect.poll(() => page.locator('.chip.held').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.closest(".grid")')).toBeNull();
  });

  it('moves a post with the pointer; a draft is asked for its time', async ({ stage: { page, root, rest } }) => {
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-14`);
    await page.getByText('Cupping on Saturday').hover();
    await page.mouse.down();
    await page.locator(`[data-day="${MONTH}-13"]`).hover();
    await page.locator(`[data-day="${MONTH}-13"]`).hover();
    await page.mouse.up();
    await page.locator(`[data-day="${MONTH}-13"]`).getByText('Cupping on Saturday').waitFor();
    await page.getByText('An idea without a time').hover();
    await page.mouse.down();
    await page.locator(`[data-day="${MONTH}-12"]`).hover();
    await page.locator(`[data-day="${MONTH}-12"]`).hover();
    await page.mouse.up();
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click();
    await page.locator(`[data-day="${MONTH}-12"]`).getByText('An idea without a time').waitFor();
    await expect
      .poll(async () => (await rest('GET /v1/posts?search=idea')).data[0].scheduled_at as string)
      .toBe(`${MONTH}-12T09:00:00.000Z`);
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('button', { name: /Cupping on Saturday/ }).click();
    await page.getByLabel('Day and time').fill(`${MONTH}-11T08:15`);
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText(/Moved to Monday,? 11 March, 08:15/).waitFor();
  });

  it('moves a post with a finger that rests on it first', async ({ stage: { browser, page, root, rest } }) => {
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ hasTouch: true, viewport: { width: 900, height: 1200 }, storageState });
    const tablet = await context.newPage();
    await tablet.goto(`${root}/dashboard/calendar?on=${MONTH}-14`);
    const chip = tablet.getByText('Cupping on Saturday');
    await chip.waitFor();
    const finger = await context.newCDPSession(tablet);
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', on?: typeof chip) => {
      const box = await on?.boundingBox();
      const touchPoints = box ? [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }] : [];
      await finger.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    const day = tablet.locator(`[data-day="${MONTH}-18"]`);
    // A finger that moves at once scrolls.
    await touch('touchStart', chip);
    await touch('touchMove', day);
    await touch('touchEnd');
    expect(await tablet.locator('.ghost').count()).toBe(0);
    await touch('touchStart', chip);
    await tablet.locator('.ghost').waitFor();
    // The page may still scroll from before.
    const over = async () => {
      await touch('touchMove', day);
      return day.evaluate((one) => one.classList.contains('over'));
    };
    await expect.poll(over).toBe(true);
    await touch('touchEnd');
    await day.getByText('Cupping on Saturday').waitFor();
    await expect
      .poll(async () => (await rest('GET /v1/posts?search=Cupping')).data[0].scheduled_at as string)
      .toMatch(/^2030-03-18T/);
    await context.close();
  });

  it.for(['list', 'week'])('is a %s as well', async (view, { stage: { page, root }, inspect }) => {
    await page.goto(`${root}/dashboard/calendar?view=${view}&on=${MONTH}-20`);
    await page.getByText('Offer 6').waitFor();
    await inspect(`calendar-${view}`);
    if (view !== 'list') return;
    await page.getByLabel('State').selectOption({ label: 'Failed' });
    await page.getByText('Nothing matches the filters in March 2030.').waitFor();
  });

  it('follows changes by others, and leads to a new post', async ({ stage: { page, root, rest, account } }) => {
    await page.goto(`${root}/dashboard/calendar?on=${MONTH}-14`);
    await page.getByText('Cupping on Saturday').waitFor();
    const more = { account_ids: [account.id], scheduled_at: `${MONTH}-14T10:00:00Z` };
    await rest('POST /v1/posts', { text: 'From an assistant', ...more });
    await page.locator(`[data-day="${MONTH}-14"]`).getByText('From an assistant').waitFor();
    await page.locator(`[data-day="${MONTH}-25"]`).hover();
    await page.getByRole('link', { name: /New post on Monday,? 25 March/ }).click();
    await page.waitForURL(/compose\?at=2030-03-25T09:00/);
  });
});
