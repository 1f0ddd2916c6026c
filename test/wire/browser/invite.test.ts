import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import { credentialsOf } from '../../harness/platforms/bluesky-people.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { consentWorld, profileOf } from '../../harness/worlds/consent.ts';
import { invite } from '../../harness/worlds/invited.ts';
import { missing } from '../clients/chromium.ts';
import { it } from './axe.ts';

describe.skipIf(missing !== '')(`an invited person in a browser without scripts${missing}`, () => {
  it('connects an account by the form', async ({ page, press, check }) => {
    const world = await makeWorld();
    const { url } = await invite(world, { platform: 'bluesky' });
    await page.goto(url);
    expect(await check('invite-form')).toBe('You are invited to connect Bluesky');
    const { identifier, app_password } = credentialsOf(world);
    await page.getByLabel('Handle').fill(identifier);
    await page.getByLabel('App password').fill('wrong-wrong-wrong-wrong');
    await press('Connect');
    expect(await page.getByRole('alert').innerText()).not.toBe('');
    await page.getByLabel('App password').fill(app_password);
    await press('Connect');
    expect(await check('invite-done')).toContain('Bluesky is connected');
    await page.goto(url);
    expect(await check('invite-used')).toBe('This invitation was already used.');
  });

  it('goes to the consent page, comes back, and chooses a profile', async ({ page, press, check }) => {
    const { world, script } = await consentWorld();
    script.profiles = [profileOf('1'), profileOf('2')];
    const { url } = await invite(world);
    await page.goto(url);
    expect(await check('invite-consent')).toBe('You are invited to connect google');
    await page.goto(await callbackOn(page, world));
    expect(await check('invite-choice')).toBe('Choose what to connect');
    await page.getByLabel('User 2').check();
    await press('Connect');
    expect(await check('invite-chosen')).toContain('google is connected');
  });

  it('reads why it cannot be used', async ({ page, check, complaints }) => {
    const { world } = await consentWorld();
    const { id, url } = await invite(world, { expires_in_days: 1 });
    await page.goto(url);
    const late = await callbackOn(page, world);
    await call(world, 'revoke_invite', { invite_id: id });
    await page.goto(late);
    expect(await check('invite-too-late')).toContain('google was not connected');
    await page.goto(url);
    expect(await check('invite-withdrawn')).toBe('This invitation was withdrawn.');
    const next = await invite(world, { expires_in_days: 1 });
    world.clock.move(86_400_000);
    await page.goto(next.url);
    expect(await check('invite-expired')).toBe('This invitation has expired.');
    // Statuses of 400 and more are errors to the console, and nothing else is.
    expect(complaints.filter((line) => !line.includes('Failed to load resource'))).toEqual([]);
  });
});

/** Where the platform of the link on the page sends people back to. */
async function callbackOn(page: Page, world: World): Promise<string> {
  const link = new URL((await page.getByRole('link', { name: /^Continue/ }).getAttribute('href'))!).searchParams;
  const params = new URLSearchParams({ state: link.get('state')!, code: 'good' });
  return `${world.root}/connect/google/callback?${params.toString()}`;
}
