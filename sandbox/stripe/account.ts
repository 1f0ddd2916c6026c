import { INTERVALS, PAID_TIERS } from '#kernel/plans.ts';

export const secretKeyOf = (appSecret: string): string => `sk_test_${appSecret}`;

export const webhookSecretOf = (appSecret: string): string => `whsec_${appSecret}`;

export const priceIdOf = (tier: string, interval: string): string => `price_${tier}_${interval}`;

/** The account of the sandbox's app: its key, webhook secret and prices, as in a real Stripe account. */
export function accountOf(appSecret: string) {
  const prices = PAID_TIERS.flatMap((tier) =>
    INTERVALS.map((interval) => [`${tier}_${interval}`, priceIdOf(tier, interval)] as const),
  );
  return Object.freeze({
    secretKey: secretKeyOf(appSecret),
    webhookSecret: webhookSecretOf(appSecret),
    prices: Object.freeze(Object.fromEntries(prices)),
  });
}
