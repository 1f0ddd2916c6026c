import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';

const WHOLE = {
  STRIPE_SECRET_KEY: 'sk_test_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  STRIPE_PRICE_PRO_MONTH: 'price_1',
  STRIPE_PRICE_PRO_YEAR: 'price_2',
};

describe('the settings of Stripe', () => {
  it('make the plan of new workspaces Free, unless another one is named', () => {
    expect(readConfig([], {})).toMatchObject({ stripe: undefined, defaultPlan: 'enterprise', planWithout: 'free' });
    expect(readConfig([], WHOLE)).toMatchObject({
      stripe: {
        secretKey: 'sk_test_0123456789',
        webhookSecret: 'whsec_0123456789',
        prices: { pro_month: 'price_1', pro_year: 'price_2' },
      },
      defaultPlan: 'free',
      planWithout: 'free',
    });
    expect(readConfig([], { ...WHOLE, DEFAULT_PLAN: 'starter' })).toMatchObject({
      defaultPlan: 'starter',
      planWithout: 'starter',
    });
  });

  it.each([
    [{ STRIPE_WEBHOOK_SECRET: '' }, 'STRIPE_WEBHOOK_SECRET is required together with STRIPE_SECRET_KEY'],
    [{ STRIPE_SECRET_KEY: '' }, 'STRIPE_SECRET_KEY is required together with'],
    [{ STRIPE_SECRET_KEY: 'pk_test_0123456789' }, 'STRIPE_SECRET_KEY must be a secret or restricted key'],
    [{ STRIPE_WEBHOOK_SECRET: 'secret' }, 'STRIPE_WEBHOOK_SECRET must be the signing secret'],
    [{ STRIPE_PRICE_PRO_YEAR: 'prod_1' }, 'STRIPE_PRICE_PRO_YEAR must be the id of a price'],
    [{ STRIPE_PRICE_PRO_YEAR: 'price_1' }, 'name one price twice'],
    [{ STRIPE_PRICE_PRO_MONTH: '', STRIPE_PRICE_PRO_YEAR: '' }, 'is required together with STRIPE_SECRET_KEY'],
    [{ STRIPE_KEY: 'x' }, 'STRIPE_KEY is not a setting of Rostra'],
  ])('stop the start with %o', (wrong, why) => {
    expect(() => readConfig([], { ...WHOLE, ...wrong })).toThrow(why);
  });
});
