import type { PaidTier } from '../../../../src/kernel/plans.ts';
import { call } from '../../calls/operations.ts';
import { makeWorld, type Json, type World, type WorldOptions } from '../../world.ts';

export const DAY = 86_400_000;

/** A server whose plans are paid to the stand-in of Stripe. */
export type BillingWorld = World &
  Readonly<{
    /** Does something in the place of a customer, a bank or time. */
    act(name: string, input?: Readonly<Record<string, unknown>>): Promise<Json>;
    /** What the stand-in has, oldest first. */
    list(name: string): Promise<Json[]>;
    /** Pays a checkout that is open. */
    pay(sessionId: string, card?: string): Promise<void>;
    /** Buys a plan; answers the subscription. */
    buy(tier?: PaidTier, interval?: 'month' | 'year', card?: string): Promise<Json>;
    subscription(): Promise<Json>;
    me(): Promise<Json>;
  }>;

/** Asks the control door of the stand-in: a list by GET, an act by POST. */
export async function askStripe(
  { root }: Pick<World, 'root'>,
  method: 'GET' | 'POST',
  name: string,
  input?: object,
): Promise<Json> {
  const response = await fetch(`${root}/sandbox/__control/stripe/${name}`, {
    method,
    ...(input && { body: JSON.stringify(input), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${/<h1>(.*?)<\/h1>/.exec(text)?.[1]}`);
  return JSON.parse(text).data;
}

/** Opens such a server; its workspaces begin on the plan Free. */
export async function makeBillingWorld(
  options: WorldOptions = {},
  atEnd?: (end: () => Promise<void>) => void,
): Promise<BillingWorld> {
  const world = await makeWorld({ ...options, env: { DEFAULT_PLAN: 'free', ...options.env } }, atEnd);
  const act: BillingWorld['act'] = async (name, input = {}) => {
    const { done } = await askStripe(world, 'POST', name, input);
    await world.settle();
    return done;
  };
  const list: BillingWorld['list'] = (name) => askStripe(world, 'GET', name);
  const pay: BillingWorld['pay'] = async (checkout, card = 'works') => void (await act('pay', { checkout, card }));
  const subscription = async () => (await list('subscriptions')).at(-1);
  return {
    ...world,
    act,
    list,
    pay,
    async buy(tier = 'pro', interval = 'month', card = 'works') {
      const { body } = await call(world, 'create_checkout', { tier, interval });
      await pay(body.session_id, card);
      return subscription();
    },
    subscription,
    me: async () => (await call(world, 'get_me')).body,
  };
}
