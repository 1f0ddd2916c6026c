/** A payment outlives the server that was told of it, and two servers on one database agree about it. */
import { DAY, HOUR } from '#kernel/clock.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { openProcesses, until, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { DATABASES } from '../two-servers.ts';

describe.each(DATABASES)('billing of two servers on $name', (database) => {
  if (database.missing !== undefined) return;
  let world: Processes;
  let first: Seat;
  let second: Seat;

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    const seats = await world.servers(2, { ...(await database.open()), DEFAULT_PLAN: 'free' });
    [first, second] = seats as readonly Seat[] as [Seat, Seat];
  });
  afterAll(() => world?.close());

  const act = async (name: string, input: object = {}): Promise<Json> =>
    (await world.control(`stripe/${name}`, input)).done;
  const list = (name: string): Promise<Json[]> => world.control(`stripe/${name}`);
  const subscription = async (): Promise<string> => (await list('subscriptions'))[0].id;
  const me = async (seat: Seat): Promise<Json> => (await seat.rest('GET', '/v1/users/me')).body;
  const becomes = (seat: Seat, plan: string, blocked: boolean) =>
    until(async () => {
      const { plan: now, billing_blocked } = await me(seat);
      return (now === plan && billing_blocked === blocked) || undefined;
    });
  const bothBecome = (plan: string, blocked: boolean) =>
    Promise.all([becomes(first, plan, blocked), becomes(second, plan, blocked)]);
  const begin = (seat: Seat, tier: string) => seat.rest('POST', '/v1/billing/checkout', { tier });

  /** Has the first server die at a point of taking what Stripe sends next, and come back. */
  async function dieOver(point: CrashPointName, cause: () => Promise<unknown>): Promise<void> {
    first.dieAt(point, 1);
    await cause();
    expect(await first.ended()).toBe('SIGKILL');
    await first.start();
    // What nobody answered is sent again, and what was leased is free.
    first.pass(HOUR);
  }

  it('sells one subscription, however many checkouts are begun at once', async () => {
    const tiers = ['starter', 'pro', 'starter', 'business', 'pro', 'starter'];
    const begun = await Promise.all(tiers.map((tier, at) => begin(at % 2 === 0 ? first : second, tier)));
    expect(begun.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body } = await begin(second, 'starter');
    const isOpen = ({ status }: Json) => status === 'open';
    await until(async () => (await list('checkouts')).filter(isOpen).length === 1 || undefined);
    expect((await list('checkouts')).filter(isOpen)).toMatchObject([{ id: body.session_id }]);
    expect(await list('customers')).toHaveLength(1);
    await act('pay', { checkout: body.session_id, card: 'works' });
    await bothBecome('starter', false);
    expect(await list('subscriptions')).toHaveLength(1);
  });

  it.each([
    ['before the push is stored', 'billing.push.received'],
    ['after it is stored and before it is answered', 'billing.push.stored'],
    ['after the subscription was read', 'billing.read'],
  ] as const)('loses nothing when it is killed %s', async (_, point) => {
    const id = await subscription();
    await dieOver(point, () => act('change_plan', { subscription: id, price: 'price_business_month' }));
    await bothBecome('business', false);
    await act('change_plan', { subscription: id, price: 'price_starter_month' });
    await becomes(second, 'starter', false);
  });

  it.each([
    ['in order', {}],
    ['in the reverse order', { push_reverse: true }],
  ])('is the same on both with every event sent three times %s', async (_, order) => {
    const id = await subscription();
    await act('use_card', { subscription: id, card: 'is declined' });
    await act('end_period', { subscription: id });
    await becomes(second, 'starter', false);
    await act('retry', { subscription: id });
    await bothBecome('starter', true);
    // A server looks once a second whether another one has changed what it remembers of callers.
    await until(async () => (await second.rest('GET', '/v1/brands')).status === 402 || undefined);
    await act('settings', { push_paused: true, event_copies: 3, ...order });
    await act('use_card', { subscription: id, card: 'works' });
    await act('change_plan', { subscription: id, price: 'price_pro_month' });
    await act('flush');
    await bothBecome('pro', false);
    await act('change_plan', { subscription: id, price: 'price_starter_month' });
    await act('settings', { push_paused: false, event_copies: 1, push_reverse: false });
    await act('flush');
    await becomes(second, 'starter', false);
  });

  it('ends for both with what ends at Stripe', async () => {
    const id = await subscription();
    await act('end', { subscription: id });
    await bothBecome('free', false);
    first.pass(DAY);
    expect((await begin(second, 'pro')).status).toBe(200);
  });
});
