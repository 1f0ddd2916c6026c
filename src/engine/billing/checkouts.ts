import {
  findCheckout,
  forgetCheckouts,
  insertCheckout,
  listCheckouts,
  loadCheckout,
  patchCheckout,
  type CheckoutRow,
} from '#db/access/billing.ts';
import { findWorkspace } from '#db/access/users.ts';
import type { CheckoutAddresses } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { HOUR, DAY, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import { PLANS } from '#kernel/plans.ts';
import { makeCustomers } from './customers.ts';
import type { Offer, PaymentProvider, ProviderPage, Subscribed } from './provider.ts';
import type { BillingState } from './state.ts';

/** How long pages are kept after they have ended. */
const KEPT_MS = 90 * DAY;
/** Stripe replaces this by the page's id in the return URL. */
export const SESSION = '{CHECKOUT_SESSION_ID}';
/** How often to start a purchase again because of a concurrent one. */
const MOST_TRIES = 5;

type Customers = ReturnType<typeof makeCustomers>;

type CheckoutDeps = Readonly<{
  store: Store;
  clock: Pick<Clock, 'now'>;
  state: BillingState;
}>;

type PageStatus = 'open' | 'complete' | 'expired';

const isOffer = (offer: Offer | undefined, { tier, interval }: Offer) =>
  offer?.tier === tier && offer.interval === interval;

const isSame = (row: CheckoutRow, offer: Offer, addresses: CheckoutAddresses) =>
  row.kind === 'purchase' &&
  isOffer(row, offer) &&
  row.asked.success_url === addresses.success_url &&
  row.asked.cancel_url === addresses.cancel_url;

/** Checkout pages. A workspace has only one at a time, so that it pays once. */
function makePurchases({ store, clock, state }: CheckoutDeps, { customerOf }: Customers) {
  /** Stores a page before the provider creates it. */
  async function write(
    tx: Tx,
    provider: PaymentProvider,
    given: Pick<CheckoutRow, 'workspace_id' | 'kind' | 'asked'> & Offer,
    more: Partial<CheckoutRow> = {},
  ): Promise<CheckoutRow | undefined> {
    const now = clock.now();
    const row: CheckoutRow = {
      id: newId('chk', now),
      network: provider.network,
      session_id: null,
      state: 'open',
      created_at: now,
      expires_at: now + DAY,
      ...given,
      ...more,
    };
    await forgetCheckouts(tx.db, row.workspace_id, now - KEPT_MS);
    return (await insertCheckout(tx.db, row)) ? row : undefined;
  }

  const pageKey = ({ id }: CheckoutRow) => `rostra-checkout-${id}`;

  /** Creates the provider's page for a row, or finds the existing one. */
  async function make(provider: PaymentProvider, row: CheckoutRow): Promise<ProviderPage> {
    const { workspace_id: workspace, tier, interval, asked: addresses } = row;
    const customer = await customerOf(provider, workspace);
    return provider.createCheckout(pageKey(row), { customer, workspace, offer: { tier, interval }, ...addresses });
  }

  /** The id of a row's page; if the response was lost, repeating the request within a day returns it. */
  async function idOf(provider: PaymentProvider, row: CheckoutRow): Promise<string | undefined> {
    if (row.session_id !== null || row.created_at <= clock.now() - DAY) return row.session_id ?? undefined;
    return (await make(provider, row)).id;
  }

  /** Expires pages that were replaced, so that nobody can buy on them. */
  async function retire(provider: PaymentProvider, workspaceId: string): Promise<void> {
    for (const row of await listCheckouts(store.db, workspaceId, 'replaced')) {
      const id = row.network === provider.network ? await idOf(provider, row) : undefined;
      const ended = id === undefined ? 'expired' : await provider.expireCheckout(id);
      await store.write((tx) => patchCheckout(tx.db, row, { state: ended, ...(id && { session_id: id }) }));
      if (ended === 'complete') await state.sync(provider, workspaceId);
    }
  }

  /** A workspace's open page for an offer, or a new one; undefined if one was opened concurrently. */
  async function open(
    provider: PaymentProvider,
    workspace_id: string,
    offer: Offer,
    addresses: CheckoutAddresses,
  ): Promise<CheckoutRow | undefined> {
    return store.write(async (tx) => {
      const [known] = await listCheckouts(tx.db, workspace_id, 'open');
      const isOn = known !== undefined && known.network === provider.network && known.expires_at > clock.now();
      if (isOn && isSame(known, offer, addresses)) {
        await tx.key?.record({ checkout: known.id });
        return known;
      }
      if (known !== undefined) {
        await patchCheckout(tx.db, known, { state: 'replaced' });
        await tx.enqueue({ kind: 'sync_billing', key: workspace_id, runAt: clock.now() });
      }
      const row = await write(tx, provider, { workspace_id, kind: 'purchase', asked: addresses, ...offer });
      if (row !== undefined) await tx.key?.record({ checkout: row.id });
      return row;
    });
  }

  /** The page of a row; undefined if there is nothing to buy, refused if the page was replaced. */
  async function page(provider: PaymentProvider, row: CheckoutRow): Promise<ProviderPage | undefined> {
    await retire(provider, row.workspace_id);
    const made = row.session_id === null ? await make(provider, row) : { id: row.session_id, url: '' };
    if (row.session_id === null) {
      const isKept = await store.write((tx) => patchCheckout(tx.db, row, { session_id: made.id }));
      if (!isKept) {
        await retire(provider, row.workspace_id);
        fail('resource.conflict', OTHER);
      }
    }
    const { status, url } = await provider.checkout(made.id);
    if (status === 'open' && url !== undefined) {
      // The previous page may have been paid before it expired.
      return (await state.sync(provider, row.workspace_id)) === undefined ? { id: made.id, url } : undefined;
    }
    await store.write((tx) => patchCheckout(tx.db, row, { state: status === 'complete' ? 'complete' : 'expired' }));
    return undefined;
  }

  return { write, retire, open, page };
}

export function makeCheckouts(deps: CheckoutDeps) {
  const { store, clock, state } = deps;
  const customers = makeCustomers(deps);
  const { customerOf } = customers;
  const { write, retire, open, page } = makePurchases(deps, customers);

  async function change(
    provider: PaymentProvider,
    workspaceId: string,
    { from, to, asked: addresses }: Readonly<{ from: Subscribed; to: Offer; asked: CheckoutAddresses }>,
  ): Promise<ProviderPage> {
    const customer = await customerOf(provider, workspaceId);
    // The provider does not report on this page, so it gets an id of ours.
    const id = `chg_${randomHex(16)}`;
    const success_url = addresses.success_url.replaceAll(SESSION, id);
    const url = await provider.createPortal({
      customer,
      return_url: addresses.cancel_url,
      change: { from, to, success_url },
    });
    await store.write(async (tx) => {
      const more = { session_id: id, state: 'expired', expires_at: clock.now() + HOUR } as const;
      await write(tx, provider, { workspace_id: workspaceId, kind: 'change', asked: addresses, ...to }, more);
      await tx.key?.record({ page: { url, session_id: id } });
    });
    return { id, url };
  }

  /** The state of a page; a confirmation page has none, so the subscription is read instead. */
  async function statusOf(provider: PaymentProvider, row: CheckoutRow): Promise<PageStatus> {
    if (row.state === 'complete') return 'complete';
    if (row.kind === 'change') {
      const now = await state.sync(provider, row.workspace_id);
      if ([now?.offer, now?.planned].some((offer) => isOffer(offer, row))) return 'complete';
      return row.expires_at > clock.now() ? 'open' : 'expired';
    }
    return row.state === 'expired' ? 'expired' : (await provider.checkout(row.session_id!)).status;
  }

  return Object.freeze({
    customerOf,
    retire,

    /** The page on which a workspace buys an offer, or confirms a change to it. */
    async begin(provider: PaymentProvider, workspaceId: string, offer: Offer, addresses: CheckoutAddresses) {
      await customerOf(provider, workspaceId);
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const from = await state.sync(provider, workspaceId);
        if (from !== undefined && isOffer(from.offer, offer)) {
          fail('resource.conflict', {
            message: `The workspace already has ${PLANS[offer.tier].name}, paid by the ${offer.interval}.`,
            next: 'Choose another plan or interval, or manage the subscription with create_portal_session.',
          });
        }
        if (from !== undefined) return change(provider, workspaceId, { from, to: offer, asked: addresses });
        const row = await open(provider, workspaceId, offer, addresses);
        const made = row && (await page(provider, row));
        if (made !== undefined) return made;
      }
      return fail('resource.conflict', OTHER);
    },

    /** The page for a request whose response was lost. */
    async resume(provider: PaymentProvider, workspaceId: string, id: string): Promise<ProviderPage> {
      const row = await loadCheckout(store.db, workspaceId, id);
      const made = row?.state === 'open' ? await page(provider, row) : undefined;
      return (
        made ??
        fail('resource.conflict', {
          message: 'This checkout is over.',
          next: 'Start another one with create_checkout.',
        })
      );
    },

    async status(provider: PaymentProvider, row: CheckoutRow) {
      const { session_id, tier, workspace_id } = row;
      const status = await statusOf(provider, row);
      if (status === 'complete' && row.state !== status) await state.sync(provider, workspace_id);
      if (status !== 'open' && status !== row.state) {
        await store.write((tx) => patchCheckout(tx.db, row, { state: status }));
      }
      const workspace = await findWorkspace(store.db, workspace_id);
      const isBlocked = workspace !== undefined && workspace.blocked_at !== null;
      return { session_id: session_id!, status, tier, billing_blocked: isBlocked };
    },

    async find(provider: PaymentProvider, workspaceId: string | undefined, sessionId: string): Promise<CheckoutRow> {
      const row = await findCheckout(store.db, sessionId);
      const isTheirs = row?.network === provider.network && (workspaceId ?? row.workspace_id) === row.workspace_id;
      if (row === undefined || !isTheirs) return noSuch('checkout_session', sessionId);
      return row;
    },
  });
}

const OTHER = Object.freeze({
  message: 'Another checkout of the workspace was started at the same time.',
  next: 'Call create_checkout again.',
});

export type Checkouts = ReturnType<typeof makeCheckouts>;
