import { MINUTE } from '#kernel/clock.ts';
import { expect, it, vi } from 'vitest';
import { BEHIND_PROXY, makeBrowser, OWNER, setUp, signInFrom } from '../harness/calls/browser.ts';
import { makeWorld } from '../harness/world.ts';

it('lets the right password in from a new network while 1,000 others guess', async () => {
  const world = await makeWorld(BEHIND_PROXY);
  await setUp(world);
  const browser = makeBrowser(world);
  const page = await browser.open('/sign-in');
  let answered = 0;
  const guesses = Array.from({ length: 1000 }, async (_, n) => {
    const network = { 'X-Forwarded-For': `10.9.${n >> 8}.${n & 255}` };
    const { status } = await browser.submit(page, { ...OWNER, password: 'wrong password' }, undefined, network);
    answered += 1;
    return status;
  });
  await vi.waitFor(() => expect(answered).toBeGreaterThan(20), { timeout: 60_000 });
  expect((await signInFrom(world, '203.0.113.9')).status).toBe(302);
  // It came last, and did not wait for those that came before.
  expect(answered).toBeLessThan(500);
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([400]));
  // A minute later each of them guesses again: whoever was not wrong lately comes before all of them.
  world.clock.move(MINUTE);
  answered = 0;
  const more = Array.from({ length: 100 }, async (_, n) => {
    await signInFrom(world, `10.9.0.${n}`, { ...OWNER, password: 'wrong password' });
    answered += 1;
  });
  expect((await signInFrom(world, '203.0.113.10')).status).toBe(302);
  expect(answered).toBeLessThan(100);
  await Promise.all(more);
});
