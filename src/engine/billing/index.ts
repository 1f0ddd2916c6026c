import { deleteBilling, findBilling, findBillingOf, overdueBilling } from '#db/access/billing.ts';
import { findWorkspace } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { HOUR, type Clock } from '#kernel/clock.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { PLANS, type PlanTier } from '#kernel/plans.ts';
import { checkRedirectUri } from '#kernel/redirect-uri.ts';
import { makeCheckouts, SESSION, type Checkouts } from './checkouts.ts';
import type { Offer, PaymentProvider } from './provider.ts';
import { makeState, type BillingState } from './state.ts';

/** Pages to which the provider returns people by default. */
const RETURN_PAGES = Object.freeze({
  paid: '/billing/paid',
  cancelled: '/billing/cancelled',
  back: '/billing/back',
});

const SWEPT_AT_ONCE = 100;

export type BillingDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  provider: PaymentProvider | undefined;
  planWithout: PlanTier;
  rootUrl: string;
  admitRedirect(workspaceId: string, uri: string, field: string): Promise<void>;
  forget(): void;
  crash: CrashPoint;
}>;

type Purchase = Offer & Readonly<{ success_url?: string | undefined; cancel_url?: string | undefined }>;

/** What is recorded of a request for a page, so that it can be resumed. */
export type CheckoutBegun = Readonly<{ checkout?: string; page?: Readonly<{ url: string; session_id: string }> }>;

const priceSetting = ({ tier, interval }: Offer): string => `STRIPE_PRICE_${tier}_${interval}`.toUpperCase();

function makePages(deps: BillingDeps, state: BillingState, checkouts: Checkouts) {
  const { store, rootUrl } = deps;

  function unset(setting: string): never {
    return fail('resource.not_supported', {
      message: `Billing is not set up on this server: ${setting} is not set.`,
      next: `Set ${setting} on the server.`,
      meta: { resource: 'billing', field: setting },
    });
  }

  const configured = (): PaymentProvider => deps.provider ?? unset('STRIPE_SECRET_KEY');

  async function addressOf({ workspace }: Authority, field: string, given: string | undefined, otherwise: string) {
    if (given === undefined) return `${rootUrl}${otherwise}`;
    checkRedirectUri(given, field);
    await deps.admitRedirect(workspace, given, field);
    return given;
  }

  return {
    async createCheckout(authority: Authority, { tier, interval, ...addresses }: Purchase) {
      const provider = configured();
      const offer = { tier, interval };
      if (!provider.sells(offer)) unset(priceSetting(offer));
      const paid = `${RETURN_PAGES.paid}?session_id=${SESSION}`;
      const returnUrls = {
        success_url: await addressOf(authority, 'success_url', addresses.success_url, paid),
        cancel_url: await addressOf(authority, 'cancel_url', addresses.cancel_url, RETURN_PAGES.cancelled),
      };
      const { id, url } = await checkouts.begin(provider, authority.workspace, offer, returnUrls);
      return { url, session_id: id };
    },

    /** For a repeated request: returns the result of the work that was already done. */
    async resumeCheckout({ workspace }: Authority, { checkout = '', page }: CheckoutBegun) {
      if (page !== undefined) return page;
      const { id, url } = await checkouts.resume(configured(), workspace, checkout);
      return { url, session_id: id };
    },

    async createPortal(authority: Authority, returnUrl: string | undefined) {
      const provider = configured();
      const return_url = await addressOf(authority, 'return_url', returnUrl, RETURN_PAGES.back);
      const { workspace } = authority;
      const subscribed = await state.sync(provider, workspace);
      if (subscribed === undefined) {
        fail('resource.not_found', {
          message: 'The workspace has no subscription.',
          next: 'Start one with create_checkout.',
          meta: { resource: 'subscription' },
        });
      }
      const customer = await checkouts.customerOf(provider, workspace);
      const url = await provider.createPortal({ customer, return_url });
      await store.write(async (tx) => tx.key?.record({ url }));
      return { url };
    },

    async checkoutStatus({ workspace }: Authority, sessionId: string) {
      const provider = configured();
      return checkouts.status(provider, await checkouts.find(provider, workspace, sessionId));
    },

    /** The result that people see after a payment; undefined if unknown. */
    async outcome(sessionId: string) {
      const { provider } = deps;
      if (provider === undefined) return undefined;
      try {
        const { status, tier } = await checkouts.status(provider, await checkouts.find(provider, undefined, sessionId));
        return { status, plan: PLANS[tier].name };
      } catch (error) {
        if (error instanceof ApiError) return undefined;
        throw error;
      }
    },
  };
}

function makeFollowing(
  { store, clock, log, crash, provider: given }: BillingDeps,
  state: BillingState,
  checkouts: Checkouts,
) {
  /** Applies to a workspace what is paid for; if the workspace was removed, ends the subscription. */
  async function settle(provider: PaymentProvider, workspaceId: string): Promise<void> {
    const row = await findBilling(store.db, workspaceId);
    if (row === undefined || row.network !== provider.network) return;
    if ((await findWorkspace(store.db, workspaceId)) !== undefined) {
      await checkouts.retire(provider, workspaceId);
      await state.sync(provider, workspaceId);
      return;
    }
    if (row.customer_id !== null) await provider.removeCustomer(row.customer_id);
    await store.write((tx) => deleteBilling(tx.db, workspaceId));
  }

  return {
    /** Throws if billing is not configured; called before the event is read. */
    expects(): void {
      if (given === undefined) fail('auth.invalid_secret');
    },

    /** Accepts a signed event. The subscription is then read from the provider, so order and repeats do not matter. */
    async accept(body: Uint8Array, signature: string): Promise<void> {
      const provider = given ?? fail('auth.invalid_secret');
      const customer = await provider.customerOf(body, signature);
      const row = customer === undefined ? undefined : await findBillingOf(store.db, customer);
      if (row === undefined || row.network !== provider.network) return;
      crash('billing.push.received');
      await store.write((tx) => tx.enqueue({ kind: 'sync_billing', key: row.workspace_id, runAt: clock.now() }));
      crash('billing.push.stored');
    },

    /** The job `sync_billing`. */
    async settle(workspaceId: string): Promise<void> {
      if (given === undefined) log.warn({ workspace: workspaceId }, 'billing is no longer configured');
      else await settle(given, workspaceId);
    },

    /** Reads subscriptions that should have been renewed but for which no event arrived. */
    async refreshOverdue(): Promise<void> {
      if (given === undefined) return;
      const now = clock.now();
      const readings = { endedBy: now - HOUR, readBy: now - 6 * HOUR };
      const overdue = await overdueBilling(store.db, given.network, readings, SWEPT_AT_ONCE);
      if (overdue.length === 0) return;
      await store.write(async (tx) => {
        for (const key of overdue) await tx.enqueue({ kind: 'sync_billing', key, runAt: now });
      });
    },
  };
}

/** Paying for plans: buying, changing, and reacting to payments. */
export function makeBilling(deps: BillingDeps) {
  const state = makeState(deps);
  const checkouts = makeCheckouts({ ...deps, state });
  return Object.freeze({ ...makePages(deps, state, checkouts), ...makeFollowing(deps, state, checkouts) });
}

export type Billing = ReturnType<typeof makeBilling>;
