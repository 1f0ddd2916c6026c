import { wordsIn } from '../../kit/acts.ts';
import type { Subscription } from '../docs.ts';
import { badParam, GraphError } from '../api/errors.ts';
import { APP, asSession, holds, requireWrite } from '../oauth/tokens.ts';
import { pageAt, type Call, type GraphWorld, type Methods } from '../world.ts';

export type SubscriptionTerms = Readonly<{
  /** Meta's name for what is subscribed to, such as a page. */
  object: string;
  fields: readonly string[];
  right: Readonly<{ scopes: readonly string[]; task: string }>;
  fieldRights: readonly Readonly<{ fields: RegExp; scope: string }>[];
  /** For platforms where a subscription covers the whole account: the access check and the view. */
  whole?: Readonly<{ may(call: Call, account: string): void; viewOf(subscription: Subscription): object }>;
}>;

/** The fields that a call subscribes to; throws if one is unknown or its permission is missing. */
function fieldsIn({ params, actor }: Call, { fields: known, fieldRights }: SubscriptionTerms): readonly string[] {
  const fields = wordsIn(params.required('subscribed_fields')) ?? [];
  fields.forEach((name, at) => {
    if (!known.includes(name))
      throw badParam(
        `Param subscribed_fields[${at}] must be one of {${known.join(', ')}} - got "${name.slice(0, 80)}".`,
      );
    const needed = fieldRights.find((one) => one.fields.test(name))?.scope;
    if (needed !== undefined && !holds(asSession(actor), needed))
      throw new GraphError(
        200,
        `(#200) To subscribe to the ${name} field, one of these permissions is needed: ${needed}`,
        { status: 403 },
      );
  });
  return [...new Set(fields)];
}

/** Subscribes Pages to updates, and lists their subscriptions. */
function pageSubscriptions(world: GraphWorld, terms: SubscriptionTerms) {
  const { people, nodes, clock, settings, pushes, hosts } = world;
  const { right, whole } = terms;

  function own(call: Call, id: string, isAppLetIn: boolean) {
    const found = pageAt(world, id);
    if (whole !== undefined) whole.may(call, id);
    else if (!isAppLetIn || call.actor.kind !== 'app') requireWrite(call.actor, found, people, right);
    return found;
  }

  /** A callback for this account only; it is verified at once. */
  async function callbackIn({ params }: Call): Promise<Pick<Subscription, 'callback'>> {
    const url = whole === undefined ? undefined : params.text('override_callback_uri');
    if (url === undefined) return {};
    const token = params.required('verify_token');
    if (!URL.canParse(url)) throw badParam('Param override_callback_uri must be a valid URI');
    if (await pushes.verify({ url, token })) return { callback: url };
    throw badParam('Webhook verification failed: the challenge did not come back', { subcode: 2200 });
  }

  async function subscribe(call: Call, id: string): Promise<object> {
    own(call, id, false);
    const fields = whole === undefined ? fieldsIn(call, terms) : terms.fields;
    const callback = await callbackIn(call);
    nodes.change('page', id, { subscription: { fields, at: clock.now(), ...callback } });
    // Otherwise the app's callback receives the updates, which also has to be verified first.
    if (callback.callback === undefined && settings.get('verified_url') !== pushes.callback()) await pushes.verify();
    return { success: true };
  }

  function unsubscribe(call: Call, id: string): object {
    own(call, id, true);
    nodes.change('page', id, { subscription: undefined });
    return { success: true };
  }

  function list(call: Call, id: string): object {
    const { subscription } = own(call, id, true);
    if (subscription === undefined) return { data: [] };
    const app = { link: `${hosts.www()}/`, name: APP.name, id: APP.id, subscribed_fields: subscription.fields };
    return { data: [whole?.viewOf(subscription) ?? app] };
  }

  return Object.freeze({ subscribe, unsubscribe, list });
}

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
    'POST page/subscribed_apps': {
      params: ['subscribed_fields', ...(terms.whole === undefined ? [] : ['override_callback_uri', 'verify_token'])],
      run: subscribe,
    },
    'DELETE page/subscribed_apps': { params: [], run: unsubscribe },
    'GET app': { params: [], run: () => ({ id: APP.id, name: APP.name, link: `${hosts.www()}/` }) },
    'GET app/subscriptions': { params: [], run: listOfApp },
    'POST app/subscriptions': {
      params: ['object', 'callback_url', 'verify_token', 'include_values', 'fields'],
      run: setCallback,
    },
  });
}
