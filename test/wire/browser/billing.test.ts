import { describe, expect } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { missing } from '../clients/chromium.ts';
import { it } from './axe.ts';

describe.skipIf(missing !== '')(`somebody who pays in a browser without scripts${missing}`, () => {
  it('buys a plan, changes it, cancels it, and comes back each time', async ({ page, press, check, complaints }) => {
    const world = await makeBillingWorld();
    const begin = async (tier: string) => (await call(world, 'create_checkout', { tier })).body;
    const { url, session_id } = await begin('starter');
    await page.goto(`${world.root}/billing/paid?session_id=${session_id}`);
    expect(await check('billing-open')).toBe('Not paid yet');
    await page.goto(url);
    expect(await check('stripe-checkout')).toBe('Subscribe to Starter, 29 USD a month');
    await page.getByLabel('A card that is declined').check();
    await press('Pay');
    expect(await page.getByRole('alert').innerText()).toContain('declined');
    await press('Back');
    expect(await check('billing-cancelled')).toBe('Nothing was bought');
    await page.goto(url);
    await page.getByLabel('A card that works', { exact: true }).check();
    await press('Pay');
    expect(await check('billing-paid')).toBe('Thank you');
    await world.settle();
    expect((await world.me()).plan).toBe('starter');

    await page.goto((await begin('pro')).url);
    expect(await check('stripe-change')).toBe('Your subscription');
    await press('Confirm');
    await world.settle();
    expect((await world.me()).plan).toBe('pro');

    await page.goto((await call(world, 'create_portal_session')).body.url);
    expect(await check('stripe-portal')).toBe('Your subscription');
    await page.getByLabel('Other plan').selectOption('price_starter_month');
    await press('Change the plan');
    expect(await page.getByText('as Starter, 29 USD a month').count()).toBe(1);
    await press('Cancel it');
    expect(await page.getByText(/ends on/).count()).toBe(1);
    await press('Keep the subscription');
    await press('Back to the app');
    expect(await check('billing-back')).toBe('Back from billing');
    await world.settle();
    expect((await world.me()).plan).toBe('pro');
    await page.goto(`${world.root}/sandbox/stripe`);
    expect(await check('stripe-console')).toBe('Stripe');
    // Statuses of 400 and more are errors to the console, and nothing else is.
    expect(complaints.filter((line) => !line.includes('Failed to load resource'))).toEqual([]);
  });
});
