/** The API that Stripe's own libraries call. */
import { DAY } from '#kernel/clock.ts';
import { makeGate } from '../kit/api/gate.ts';
import { plainWords } from '../kit/api/params.ts';
import { makeRoutes, nameOf, type Caller, type RouteWords } from '../kit/api/routes.ts';
import { ABOUT } from './about.ts';
import { secretKeyOf } from './account.ts';
import { knownPrice, makeCalls, page, webIn, type Calls } from './calls.ts';
import { invalid, missing, noSuchPath, tooMany, trouble, unauthorized } from './errors.ts';
import { fieldsIn, listIn, metadataIn, needed, textIn, type Fields } from './fields.ts';
import { BUSINESS, isLive, newId, type World } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import { showCheckout, showConfiguration, showCustomer, showPortal } from './objects.ts';
import { readRoutes, subscriptionRoutes } from './reads.ts';

function customerRoutes({ docs, options: { clock } }: World, ledger: Ledger, { found, row, idOf }: Calls) {
  const written = (fields: Fields) => ({
    ...(fields['email'] !== undefined && { email: textIn(fields, 'email') ?? null }),
    ...(fields['name'] !== undefined && { name: textIn(fields, 'name') ?? null }),
    ...(fields['metadata'] !== undefined && { metadata: metadataIn(fields) }),
  });
  return [
    row('POST', 'customers', ({ fields }) => {
      const made = { id: newId('cus'), at: clock.now(), email: null, name: null, metadata: {}, card: 'works' } as const;
      const customer = docs.put('customer', { ...made, ...written(fields) });
      ledger.emit('customer.created', showCustomer(customer));
      return showCustomer(customer);
    }),
    row('GET', 'customers/{id}', (call) => {
      const customer = docs.get('customer', idOf(call));
      if (customer === undefined) throw missing('customer', idOf(call));
      return showCustomer(customer);
    }),
    row('POST', 'customers/{id}', (call) => {
      const { id } = found('customer', idOf(call));
      return showCustomer(docs.change('customer', id, written(call.fields)));
    }),
    row('DELETE', 'customers/{id}', (call) => {
      const { id } = found('customer', idOf(call));
      for (const subscription of ledger.subscriptionsOf(id)) if (isLive(subscription)) ledger.end(subscription);
      const gone = docs.change('customer', id, { deleted_at: clock.now() });
      ledger.emit('customer.deleted', showCustomer(gone));
      return showCustomer(gone);
    }),
  ];
}

function checkoutRoutes({ docs, options: { clock } }: World, ledger: Ledger, host: () => string, calls: Calls) {
  const { found, row, idOf } = calls;
  return [
    row('POST', 'checkout/sessions', ({ fields }) => {
      if (textIn(fields, 'mode') !== 'subscription') throw invalid('Only mode=subscription is sold here.', 'mode');
      const [item = {}] = listIn(fields, 'line_items');
      const now = clock.now();
      const checkout = docs.put('checkout', {
        id: newId('cs_test'),
        at: now,
        customer: found('customer', needed(fields, 'customer'), 'customer').id,
        price: knownPrice(needed(item, 'price'), 'line_items[0][price]'),
        success_url: webIn(fields, 'success_url'),
        cancel_url: webIn(fields, 'cancel_url'),
        client_reference_id: textIn(fields, 'client_reference_id') ?? null,
        metadata: metadataIn(fields),
        subscription_metadata: metadataIn(fieldsIn(fields, 'subscription_data')),
        status: 'open',
        subscription: null,
        expires_at: now + DAY,
      });
      return showCheckout(checkout, host());
    }),
    row('GET', 'checkout/sessions/{id}', (call) => showCheckout(found('checkout', idOf(call)), host())),
    row('POST', 'checkout/sessions/{id}/expire', (call) => {
      const checkout = found('checkout', idOf(call));
      if (checkout.status !== 'open')
        throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.', 'session');
      return showCheckout(ledger.expire(checkout), host());
    }),
  ];
}

function portalRoutes({ docs, options: { clock } }: World, host: () => string, { found, row, idOf }: Calls) {
  function changeIn(fields: Fields, customer: string, return_url: string) {
    const flow = fieldsIn(fields, 'flow_data');
    if (Object.keys(flow).length === 0) return {};
    if (textIn(flow, 'type') !== 'subscription_update_confirm')
      throw invalid('Only subscription_update_confirm is supported.', 'flow_data[type]');
    const confirm = fieldsIn(flow, 'subscription_update_confirm');
    const subscription = found('subscription', needed(confirm, 'subscription'), 'flow_data[subscription]');
    const [item = {}] = listIn(confirm, 'items');
    if (subscription.customer !== customer || !isLive(subscription) || needed(item, 'id') !== subscription.item)
      throw invalid('This subscription cannot be updated.', 'flow_data[subscription_update_confirm]');
    const price = knownPrice(needed(item, 'price'), 'flow_data[subscription_update_confirm][items][0][price]');
    if (price === subscription.price) throw invalid('The subscription has this price already.', 'flow_data');
    const after = fieldsIn(fieldsIn(flow, 'after_completion'), 'redirect');
    return { change: { subscription: subscription.id, price, return_url: textIn(after, 'return_url') ?? return_url } };
  }

  return [
    row('GET', 'billing_portal/configurations', (call) =>
      page(call, docs.list('configuration').toReversed().map(showConfiguration)),
    ),
    row('POST', 'billing_portal/configurations', ({ fields }) => {
      const features = fieldsIn(fields, 'features');
      for (const { prices } of listIn(fieldsIn(features, 'subscription_update'), 'products'))
        for (const price of prices as string[]) knownPrice(price, 'features[subscription_update][products]');
      const configuration = docs.put('configuration', {
        id: newId('bpc'),
        at: clock.now(),
        active: true,
        name: textIn(fields, 'name') ?? null,
        metadata: metadataIn(fields),
        features,
      });
      return showConfiguration(configuration);
    }),
    row('GET', 'billing_portal/configurations/{id}', (call) => showConfiguration(found('configuration', idOf(call)))),
    row('POST', 'billing_portal/sessions', ({ fields }) => {
      const { id: customer } = found('customer', needed(fields, 'customer'), 'customer');
      const named = textIn(fields, 'configuration');
      const configuration = named ?? docs.list('configuration').at(-1)?.id;
      if (configuration === undefined)
        throw invalid('No configuration provided and your test mode default configuration has not been created.');
      const return_url = webIn(fields, 'return_url');
      const portal = docs.put('portal', {
        id: newId('bps'),
        at: clock.now(),
        customer,
        configuration: found('configuration', configuration, 'configuration').id,
        return_url,
        ...changeIn(fields, customer, return_url),
      });
      return showPortal(portal, host());
    }),
  ];
}

/** The API; `due` runs what is due by now. */
export function makeApi(world: World, ledger: Ledger, host: () => string, due: () => void) {
  const { options } = world;
  const key = secretKeyOf(options.appSecret);
  const calls = makeCalls(world);
  const isOurs = (authorization: string) =>
    authorization === `Bearer ${key}` || authorization === `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  const words: RouteWords<Caller> = {
    ...plainWords((message) => invalid(message)),
    noSuchPath: (ctx) => noSuchPath(ctx.method, ctx.path),
    caller(ctx) {
      if (!isOurs(ctx.get('authorization'))) throw unauthorized();
      return { person: BUSINESS, scopes: [] };
    },
    personOf: (ctx) => (isOurs(ctx.get('authorization')) ? BUSINESS : undefined),
    missing: unauthorized,
    limited: tooMany,
  };
  const faults = { throttled: tooMany, expired: unauthorized, trouble };
  const gate = makeGate({ ...options, network: ABOUT.slug, words: faults });
  const routes = [
    ...customerRoutes(world, ledger, calls),
    ...checkoutRoutes(world, ledger, host, calls),
    ...portalRoutes(world, host, calls),
    ...subscriptionRoutes(world, ledger, calls),
    ...readRoutes(world, ledger, calls),
  ];
  return {
    methods: Object.freeze(routes.map(nameOf)),
    answerApi: makeRoutes({ gate, routes, words, rates: undefined, due }),
  };
}
