import { seconds } from '../kit/ids.ts';
import {
  PRICES,
  priceOf,
  type Checkout,
  type Configuration,
  type Customer,
  type Invoice,
  type Portal,
  type Price,
  type StripeEvent,
  type Subscription,
} from './docs.ts';

const LIVEMODE = Object.freeze({ livemode: false });
export const API_VERSION = '2026-10-28.endive';

const secondsOr = (ms: number | null) => (ms === null ? null : seconds(ms));

const productOf = (tier: string): string => `prod_${tier}`;

export const showPrice = ({ id, tier, interval, amount }: Price) => ({
  id,
  object: 'price',
  active: true,
  billing_scheme: 'per_unit',
  created: 1_700_000_000,
  currency: 'usd',
  ...LIVEMODE,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product: productOf(tier),
  recurring: { interval, interval_count: 1, meter: null, usage_type: 'licensed' },
  type: 'recurring',
  unit_amount: amount,
  unit_amount_decimal: String(amount),
});

export const showCustomer = ({ id, at, email, name, metadata, deleted_at }: Customer) =>
  deleted_at === undefined
    ? {
        id,
        object: 'customer',
        balance: 0,
        created: seconds(at),
        currency: 'usd',
        delinquent: false,
        description: null,
        email,
        invoice_settings: { default_payment_method: null },
        ...LIVEMODE,
        metadata,
        name,
      }
    : { id, object: 'customer', deleted: true };

export const showCheckout = (checkout: Checkout, host: string) => {
  const { id, at, status, customer, subscription, expires_at } = checkout;
  const amount = priceOf(checkout.price)?.amount ?? 0;
  return {
    id,
    object: 'checkout.session',
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: checkout.cancel_url,
    client_reference_id: checkout.client_reference_id,
    created: seconds(at),
    currency: 'usd',
    customer,
    expires_at: seconds(expires_at),
    ...LIVEMODE,
    metadata: checkout.metadata,
    mode: 'subscription',
    payment_status: status === 'complete' ? 'paid' : 'unpaid',
    status,
    subscription,
    success_url: checkout.success_url,
    ui_mode: 'hosted_page',
    url: status === 'open' ? `${host}/pay/${id}` : null,
  };
};

export const showPortal = ({ id, at, customer, configuration, return_url, change }: Portal, host: string) => ({
  id,
  object: 'billing_portal.session',
  configuration,
  created: seconds(at),
  customer,
  flow: change === undefined ? null : { type: 'subscription_update_confirm' },
  ...LIVEMODE,
  locale: null,
  return_url,
  url: `${host}/manage/${id}`,
});

export const showConfiguration = ({ id, at, active, name, metadata, features }: Configuration) => ({
  id,
  object: 'billing_portal.configuration',
  active,
  created: seconds(at),
  features,
  is_default: false,
  ...LIVEMODE,
  metadata,
  name,
  updated: seconds(at),
});

export const showSubscription = (subscription: Subscription) => {
  const { id, at, item, status, anchor, period_start, period_end, scheduled } = subscription;
  const { cancel_at_period_end, canceled_at, ended_at } = subscription;
  const price = showPrice(priceOf(subscription.price) ?? PRICES[0]!);
  return {
    id,
    object: 'subscription',
    billing_cycle_anchor: seconds(anchor),
    billing_mode: { flexible: null, type: 'flexible' },
    cancel_at: cancel_at_period_end ? seconds(period_end) : null,
    cancel_at_period_end,
    canceled_at: secondsOr(canceled_at),
    collection_method: 'charge_automatically',
    created: seconds(at),
    currency: 'usd',
    customer: subscription.customer,
    ended_at: secondsOr(ended_at),
    items: {
      object: 'list',
      data: [
        {
          id: item,
          object: 'subscription_item',
          created: seconds(at),
          current_period_end: seconds(period_end),
          current_period_start: seconds(period_start),
          metadata: {},
          price,
          quantity: 1,
          subscription: id,
        },
      ],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: subscription.latest_invoice,
    ...LIVEMODE,
    metadata: subscription.metadata,
    schedule: scheduled?.id ?? null,
    start_date: seconds(at),
    status,
    trial_end: null,
    trial_start: null,
  };
};

export const showInvoice = (invoice: Invoice) => {
  const { id, at, amount, status, attempt_count, next_payment_attempt, subscription } = invoice;
  const isPaid = status === 'paid';
  return {
    id,
    object: 'invoice',
    amount_due: amount,
    amount_paid: isPaid ? amount : 0,
    amount_remaining: isPaid ? 0 : amount,
    attempt_count,
    attempted: attempt_count > 0,
    billing_reason: invoice.reason,
    collection_method: 'charge_automatically',
    created: seconds(at),
    currency: 'usd',
    customer: invoice.customer,
    ...LIVEMODE,
    metadata: {},
    next_payment_attempt: secondsOr(next_payment_attempt),
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: {}, subscription },
    },
    status,
    status_transitions: { finalized_at: seconds(at), paid_at: secondsOr(invoice.paid_at), voided_at: null },
    subtotal: amount,
    total: amount,
  };
};

export const showEvent = ({ id, at, type, object }: StripeEvent) => ({
  id,
  object: 'event',
  api_version: API_VERSION,
  created: seconds(at),
  data: { object },
  ...LIVEMODE,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});
