import type { PaidTier } from '#kernel/plans.ts';
import { call } from '../../calls/operations.ts';
import { makeWorld, type Json, type World, type WorldOptions } from '../../world.ts';

/** A server whose plans are paid to the simulator of Stripe. */
export type BillingWorld = Awaited<ReturnType<typeof makeBillingWorld>>;

/** Asks the control API of the simulator: a list by GET, an act by POST. */
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
export async function makeBillingWorld(options: WorldOptions = {}, atEnd?: (end: () => Promise<void>) => void) {
  const world = await makeWorld({ ...options, env: { DEFAULT_PLAN: 'free', ...options.env } }, atEnd);
  /** Does something in the place of a customer, a bank or time. */
  async function act(name: string, input: object = {}): Promise<Json> {
    const { done } = await askStripe(world, 'POST', name, input);
    await world.settle();
    return done;
  }
  /** What the simulator has, oldest first. */
  const list = (name: string): Promise<Json[]> => askStripe(world, 'GET', name);
  /** Pays a checkout that is open. */
  const pay = async (checkout: string, card = 'works') => void (await act('pay', { checkout, card }));
  const subscription = async (): Promise<Json> => (await list('subscriptions')).at(-1);
  return {
    ...world,
    act,
    list,
    pay,
    /** Buys a plan; answers the subscription. */
    async buy(tier: PaidTier = 'pro', interval: 'month' | 'year' = 'month', card = 'works') {
      const { body } = await call(world, 'create_checkout', { tier, interval });
      await pay(body.session_id, card);
      return subscription();
    },
    subscription,
    me: async (): Promise<Json> => (await call(world, 'get_me')).body,
  };
}
