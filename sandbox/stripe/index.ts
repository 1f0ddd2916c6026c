import { createHmac } from 'node:crypto';
import { html } from '../html.ts';
import { makeActs } from '../kit/acts.ts';
import { digits, seconds } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { personView } from '../kit/people.ts';
import { makeTwin } from '../kit/twin.ts';
import { openWorld } from '../kit/world.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { secretKeyOf, webhookSecretOf } from './account.ts';
import { stripeActs } from './acts.ts';
import { makeApi } from './api.ts';
import { SETTINGS, type StripeDocs } from './docs.ts';
import { BUSINESS, type World } from './invoices.ts';
import { makeLedger } from './ledger.ts';
import { showCheckout, showInvoice, showSubscription } from './objects.ts';
import { makePages } from './pages.ts';

/** Delays before an event is sent again. Stripe gives up after three days. */
const WAITS = Object.freeze([5000, 60_000, 5 * 60_000, 3_600_000]);
const LAST_TRY = 3 * 86_400_000;

function signatureOf(secret: string, body: string, at: number): string {
  const signed = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${signed}`;
}

/** Sends each event to the app in its own delivery. */
function startPushes({ pushes, settings, options: { clock, productUrl, appSecret } }: World): void {
  pushes.start({
    bundle(updates) {
      const bodies = updates.map(({ item }) => ({ url: `${productUrl()}/push/billing`, body: JSON.stringify(item) }));
      return Array.from({ length: settings.get('event_copies') }, () => bodies).flat();
    },
    request({ url, body }, isWrong) {
      const secret = isWrong ? 'whsec_wrong' : webhookSecretOf(appSecret);
      const signature = signatureOf(secret, body, seconds(clock.now()));
      return {
        url,
        body,
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      };
    },
    waits: WAITS,
    lastTry: LAST_TRY,
  });
}

/** Opens the simulator of Stripe: customers, checkout, portal, subscriptions that renew, and signed events. */
export function openStripe(options: TwinOptions): Twin {
  const { clock, store, appSecret } = options;
  const world = openWorld<StripeDocs, typeof SETTINGS, never>(options, ABOUT, {
    settings: SETTINGS,
    userAgent: 'Stripe/1.0',
    newId: () => digits(15),
  });
  const { docs, pushes } = world;
  const host = world.webHost('www');
  const ledger = makeLedger(world, host);
  const pages = makePages(world, ledger);
  const business = { id: BUSINESS, handle: 'rostra', name: 'Rostra, which sells' };

  startPushes(world);

  let cancelTimer = () => {};
  let isClosed = false;

  /** Runs the renewals, repeated payments and expiries that are due. */
  function due(): void {
    if (isClosed) return;
    for (let next = ledger.next(); next !== undefined && next.at <= clock.now(); next = ledger.next()) {
      store.write(next.run);
    }
    arm();
  }
  function arm(): void {
    cancelTimer();
    const next = isClosed ? undefined : ledger.next();
    if (next === undefined) return;
    cancelTimer = clock.after(next.at - clock.now(), () => {
      due();
      pushes.kick();
    });
  }

  const { answerApi, methods } = makeApi(world, ledger, host, due);
  arm();

  return makeTwin({
    ...ABOUT,
    world,
    methods,
    areas: { api: answerApi, www: pages },
    people: () => [
      personView(ABOUT.slug, business, {
        posts: 0,
        credentials: { 'Secret key': secretKeyOf(appSecret), 'Webhook secret': webhookSecretOf(appSecret) },
      }),
    ],
    cast: () => [
      {
        handle: business.handle,
        name: business.name,
        path: undefined,
        part: html`sells subscriptions; its secret key is <code>${secretKeyOf(appSecret)}</code>, that of its webhook
          <code>${webhookSecretOf(appSecret)}</code>`,
      },
    ],
    find: (who) => ([BUSINESS, business.handle].includes(who) ? BUSINESS : undefined),
    addPerson: () => personView(ABOUT.slug, business, { posts: 0 }),
    posts: () => [],
    acts: makeActs(stripeActs(world, ledger, host)),
    lists: {
      customers: () => docs.list('customer'),
      checkouts: () => docs.list('checkout').map((one) => showCheckout(one, host())),
      subscriptions: () => docs.list('subscription').map(showSubscription),
      invoices: () => docs.list('invoice').map(showInvoice),
      events: () => docs.list('event'),
    },
    pushes: {
      ...pushes,
      // Sends the events of a request or action.
      kick() {
        arm();
        pushes.kick();
      },
    },
    due,
    close() {
      isClosed = true;
      cancelTimer();
    },
    revoke: () => {},
    reset() {
      store.write(() => world.reset());
      arm();
    },
  });
}
