import type { PaymentProvider } from '#engine/billing/provider.ts';
import { makeStripe } from '#engine/billing/stripe/index.ts';
import { accountOf } from '#sandbox/stripe/account.ts';
import type { Networks } from './network.ts';
import { version } from './package.ts';
import type { Setup } from './setup.ts';

const STRIPE_API = 'https://api.stripe.com';

/** Stripe if it is configured, else its simulator while the sandbox is on, else none. */
export function makePayments(
  { base, config }: Pick<Setup, 'base' | 'config'>,
  { outbound, sandboxApp }: Pick<Networks, 'outbound' | 'sandboxApp'>,
): PaymentProvider | undefined {
  const common = { outbound, clock: base.clock, version };
  if (config.stripe !== undefined) {
    return makeStripe({ ...common, network: 'real', account: config.stripe, base: STRIPE_API });
  }
  if (sandboxApp === undefined) return undefined;
  const { api, secret } = sandboxApp;
  return makeStripe({ ...common, network: 'sandbox', account: accountOf(secret), base: `${api}/stripe/api` });
}
