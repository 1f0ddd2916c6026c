import { expect } from 'vitest';
import { setUp } from '../../harness/calls/browser.ts';
import { it } from '../../harness/world.ts';

const PATH = '/dashboard/timezone';

it('the dashboard shows and sets the timezone of the workspace', async ({ world }) => {
  const browser = await setUp(world);
  const page = await browser.open(PATH);
  expect((await browser.open('/dashboard/settings')).text).toContain(`href="${PATH}"`);
  expect(page.text).toMatch(/name="timezone"[^>]* value="UTC"/);
  const refused = await browser.submit(page, { timezone: 'Middle/Earth' }, PATH);
  expect([refused.status, refused.words]).toEqual([400, expect.stringContaining('IANA')]);
  expect(refused.text).toMatch(/value="Middle\/Earth"[^>]*aria-invalid="true"/);
  await browser.submit(refused, { timezone: ' Europe/Berlin ' }, PATH);
  expect((await world.rest('GET /v1/users/me')).body.timezone).toBe('Europe/Berlin');
  expect((await browser.open(PATH)).text).toMatch(/name="timezone"[^>]* value="Europe\/Berlin"/);
});
