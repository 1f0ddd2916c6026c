import { describe, expect } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { missing } from '../clients/chromium.ts';
import { it } from './axe.ts';

describe.skipIf(missing !== '')(`the reference in a browser without scripts${missing}`, () => {
  it('is read, searched and followed by keys alone', async ({ page, check, complaints }) => {
    const world = await makeWorld();
    await page.goto(`${world.root}/reference`);
    expect(await check('reference')).toBe('API reference');
    await page.getByRole('searchbox', { name: 'Search the reference' }).focus();
    await page.keyboard.type('schedule');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/reference?q=schedule');
    expect(await check('reference-found')).toMatch(/^\d+ results for .schedule.$/);
    await page.getByRole('link', { name: 'create_post', exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/reference/create_post');
    expect(await check('reference-operation')).toBe('create_post');
    await page.getByText('Every field of the answer').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByText('targets[].permalink', { exact: true }).isVisible()).toBe(true);
    for (const [name, title] of [
      ['errors#billing.past_due', 'Errors'],
      ['events', 'Events'],
      ['scopes', 'Scopes'],
    ] as const) {
      await page.goto(`${world.root}/reference/${name}`);
      expect(await check(`reference-${title.toLowerCase()}`)).toBe(title);
    }
    expect(complaints).toEqual([]);
  });
});
