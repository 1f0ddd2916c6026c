import type { Stripe } from 'stripe';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Interval, PaidTier } from '#kernel/plans.ts';
import { BODY_LIMITS, parseJson } from '#kernel/text/json.ts';
import type { Offer } from '../provider.ts';
import { makeStripeHttp, type StripeHttpOptions } from './http.ts';

/** The Stripe account: API key, signing secret of its events, and the price of each plan. */
type StripeAccount = Readonly<{
  secretKey: string;
  webhookSecret: string;
  /** Price ids by plan and interval, such as `pro_month`. */
  prices: Readonly<Record<string, string>>;
}>;

export type StripeOptions = StripeHttpOptions &
  Readonly<{ account: StripeAccount; clock: Pick<Clock, 'now'>; version: string }>;

type Loaded = Readonly<{ stripe: Stripe; errors: typeof Stripe.errors }>;

/** All that can be assumed about an event, since any JSON may be signed. */
type Event = Readonly<{ data?: Readonly<{ object?: unknown }> | null }> | null;

/** Seconds to wait if Stripe did not respond. */
const RETRY_S = 5;
const TIMEOUT_MS = 20_000;
/** The library retries a lost request once, with the same idempotency key. */
const REPEATS = 1;
/** Maximum age of an event's signature, in seconds. */
const TOLERANCE_S = 300;

/** Stripe's library, loaded when first needed, and the prices. */
export function makeClient(options: StripeOptions) {
  const { account, clock } = options;
  const { prices } = account;
  const offers = new Map(Object.entries(prices).map(([name, price]) => [price, offerOf(name)] as const));
  let loading: Promise<Loaded> | undefined;

  async function load(): Promise<Loaded> {
    const { Stripe: Library } = await import('stripe');
    const stripe = new Library(account.secretKey, {
      httpClient: makeStripeHttp(options),
      maxNetworkRetries: REPEATS,
      timeout: TIMEOUT_MS,
      telemetry: false,
      appInfo: { name: 'Rostra', version: options.version },
    });
    return { stripe, errors: Library.errors };
  }
  const loaded = () => (loading ??= load());

  /** Calls Stripe; temporary failures become http.503, all others are errors of this program. */
  async function request<T>(run: (stripe: Stripe) => Promise<T>): Promise<T> {
    const { stripe, errors } = await loaded();
    try {
      return await run(stripe);
    } catch (error) {
      if (!(error instanceof errors.StripeError)) throw error;
      const { statusCode = 503 } = error;
      if (statusCode < 500 && statusCode !== 409 && statusCode !== 429) throw error;
      const message = 'The payment provider does not answer at the moment.';
      return fail('http.503', { message, retryAfter: RETRY_S, cause: error });
    }
  }

  return Object.freeze({
    prices: Object.freeze([...new Set(Object.values(prices))]),
    priceOf: ({ tier, interval }: Offer): string | undefined => prices[`${tier}_${interval}`],
    offerBy: (price: string | undefined) => (price === undefined ? undefined : offers.get(price)),

    request,

    /** Calls Stripe about an object that may have been deleted or belong to another account. */
    async requestUnlessMissing<T, U>(run: (stripe: Stripe) => Promise<T>, fallback: U): Promise<T | U> {
      try {
        return await request(run);
      } catch (error) {
        const { errors } = await loaded();
        if (error instanceof errors.StripeError && error.code === 'resource_missing') return fallback;
        throw error;
      }
    },

    async isRefused(error: unknown): Promise<boolean> {
      const { errors } = await loaded();
      return error instanceof errors.StripeInvalidRequestError;
    },

    /** The object in an event, after its signature was verified. */
    async objectOf(body: Uint8Array, signature: string): Promise<unknown> {
      const { stripe } = await loaded();
      const payload = Buffer.from(body);
      try {
        const { webhookSecret } = account;
        stripe.webhooks.signature!.verifyHeader(payload, signature, webhookSecret, TOLERANCE_S, undefined, clock.now());
        const event = parseJson(payload.toString('utf8'), BODY_LIMITS) as Event;
        return event?.data?.object;
      } catch (cause) {
        // Any error here concerns the signature; the library has no error class for an empty one.
        return fail('auth.invalid_secret', { cause });
      }
    },
  });
}

export type StripeClient = ReturnType<typeof makeClient>;

function offerOf(name: string): Offer {
  const [tier, interval] = name.split('_') as [PaidTier, Interval];
  return { tier, interval };
}

/** The id of an object that Stripe either references or embeds. */
export const idOf = (thing: string | Readonly<{ id: string }>): string =>
  typeof thing === 'string' ? thing : thing.id;
