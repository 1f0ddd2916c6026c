import { badParam, GraphError } from '../api/errors.ts';
import { holds, requireWrite, APP } from '../oauth/tokens.ts';
import { pageAt } from '../world.ts';
import type { Call, GraphWorld, Methods } from '../world.ts';

/** What can be subscribed to on a platform. */
export type SubscriptionTerms = Readonly<{
  /** What an app subscribes to, by Meta's word. */
  object: string;
  fields: readonly string[];
  /** The right that subscribing needs, and those that some fields need besides. */
  right: Readonly<{ scopes: readonly string[]; task: string }>;
  fieldRights: readonly Readonly<{ fields: RegExp; scope: string }>[];
}>;

/** Which Pages send their updates to the app. */
function pageSubscriptions(world: GraphWorld, { fields: known, right, fieldRights }: SubscriptionTerms) {
  const { people, nodes, clock, settings, pushes, hosts } = world;

  async function subscribe({ params, actor }: Call, id: string): Promise<object> {
    const session = requireWrite(actor, pageAt(world, id), people, right);
    const fields = params
      .required('subscribed_fields')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    fields.forEach((name, at) => {
      if (!known.includes(name))
        throw badParam(
          `Param subscribed_fields[${at}] must be one of {${known.join(', ')}} - got "${name.slice(0, 80)}".`,
        );
      const needed = fieldRights.find((one) => one.fields.test(name))?.scope;
      if (needed !== undefined && !holds(session, needed))
        throw new GraphError(
          200,
          `(#200) To subscribe to the ${name} field, one of these permissions is needed: ${needed}`,
          { status: 403 },
        );
    });
    nodes.change('page', id, { subscription: { fields: [...new Set(fields)], at: clock.now() } });
    // The callback address is an app setting; it is verified before the first update.
    if (settings.get('verified_url') !== pushes.callback()) await pushes.verify();
    return { success: true };
  }

  function own({ actor }: Call, id: string) {
    const found = pageAt(world, id);
    if (actor.kind !== 'app') requireWrite(actor, found, people, right);
    return found;
  }

  function unsubscribe(call: Call, id: string): object {
    own(call, id);
    nodes.change('page', id, { subscription: undefined });
    return { success: true };
  }

  function list(call: Call, id: string): object {
    const { subscription } = own(call, id);
    const app = { link: `${hosts.www()}/`, name: APP.name, id: APP.id, subscribed_fields: subscription?.fields };
    return { data: subscription === undefined ? [] : [app] };
  }

  return Object.freeze({ subscribe, unsubscribe, list });
}

/** Subscriptions of Pages and of the app. */
export function subscriptionMethods(world: GraphWorld, terms: SubscriptionTerms): Methods {
  const { settings, pushes, hosts } = world;
  const { subscribe, unsubscribe, list } = pageSubscriptions(world, terms);

  function ofApp({ actor }: Call): void {
    if (actor.kind !== 'app') throw new GraphError(15, '(#15) This method must be called with an app access_token.');
  }

  async function setCallback(call: Call): Promise<object> {
    ofApp(call);
    if (call.params.oneOf('object', [terms.object]) === undefined) throw badParam('The parameter object is required');
    const url = call.params.required('callback_url');
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw badParam('Param callback_url must be a valid URI');
    settings.set({ callback_url: url, verify_token: call.params.required('verify_token') });
    if (await pushes.verify()) return { success: true };
    throw new GraphError(
      2200,
      '(#2200) Callback verification failed with the following errors: the challenge did not come back',
    );
  }

  function listOfApp(call: Call): object {
    ofApp(call);
    const fields = terms.fields.map((name) => ({ name, version: call.version }));
    const callback_url = pushes.callback();
    const active = settings.get('verified_url') === callback_url;
    return { data: [{ object: terms.object, callback_url, active, fields }] };
  }

  return Object.freeze({
    'GET page/subscribed_apps': { params: [], run: list },
    'POST page/subscribed_apps': { params: ['subscribed_fields'], run: subscribe },
    'DELETE page/subscribed_apps': { params: [], run: unsubscribe },
    'GET app': { params: [], run: () => ({ id: APP.id, name: APP.name, link: `${hosts.www()}/` }) },
    'GET app/subscriptions': { params: [], run: listOfApp },
    'POST app/subscriptions': {
      params: ['object', 'callback_url', 'verify_token', 'include_values', 'fields'],
      run: setCallback,
    },
  });
}
