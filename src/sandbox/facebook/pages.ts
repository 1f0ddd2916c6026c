import { badParam, GraphError } from '../graph/errors.ts';
import type { Page, Person } from './docs.ts';
import { draw, page as pageOfRows, selectionOf } from '../graph/render.ts';
import type { Look } from '../graph/render.ts';
import { requireWrite, APP, asSession, holds } from '../graph/tokens.ts';
import type { Actor } from '../graph/tokens.ts';
import { facebookPage } from './world.ts';
import type { Call, Methods, World } from './world.ts';

/** Updates an app can ask a Page for. */
const FIELDS: readonly string[] = Object.freeze(
  `feed mention messages message_deliveries message_echoes message_edits message_reactions message_reads message_context
  message_mention messaging_account_linking messaging_customer_information messaging_feedback messaging_handovers
  messaging_optins messaging_optouts messaging_policy_enforcement messaging_postbacks messaging_referrals standby
  ratings conversations leadgen live_videos videos name picture category description email location phone website`.split(
    /\s+/,
  ),
);
const MESSAGING = /^(?:messages|message_|messaging_|standby)/;

const size = (type: string | undefined) => (type === 'large' ? 200 : 50);
const picture = ({ hosts }: World, id: string, type: string | undefined) => ({
  data: { height: size(type), width: size(type), is_silhouette: false, url: `${hosts.cdn()}/picture/${id}.png` },
});

/** Which apps get the updates of a page. */
function makeSubscriptions(world: World) {
  const { people, nodes, clock, settings, pushes, hosts } = world;

  async function subscribe({ params, actor }: Call, id: string): Promise<object> {
    const found = facebookPage(world, id);
    const session = requireWrite(actor, found, people, { scopes: ['pages_manage_metadata'], task: 'MODERATE' });
    const fields = params
      .required('subscribed_fields')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    fields.forEach((name, at) => {
      if (!FIELDS.includes(name))
        throw badParam(
          `Param subscribed_fields[${at}] must be one of {${FIELDS.join(', ')}} - got "${name.slice(0, 80)}".`,
        );
      if (MESSAGING.test(name) && !holds(session, 'pages_messaging'))
        throw new GraphError(
          200,
          `(#200) To subscribe to the ${name} field, one of these permissions is needed: pages_messaging`,
          { status: 403 },
        );
    });
    nodes.change('page', id, { subscription: { fields: [...new Set(fields)], at: clock.now() } });
    // The callback address is an app setting; it is verified before the first update.
    if (settings.get('verified_url') !== pushes.callback()) await pushes.verify();
    return { success: true };
  }

  function unsubscribe({ actor }: Call, id: string): object {
    const found = facebookPage(world, id);
    if (actor.kind !== 'app')
      requireWrite(actor, found, people, { scopes: ['pages_manage_metadata'], task: 'MODERATE' });
    nodes.change('page', id, { subscription: undefined });
    return { success: true };
  }

  function subscriptions({ actor }: Call, id: string): object {
    const { subscription, ...found } = facebookPage(world, id);
    if (actor.kind !== 'app')
      requireWrite(actor, found, people, { scopes: ['pages_manage_metadata'], task: 'MODERATE' });
    const app = { link: `${hosts.www()}/`, name: APP.name, id: APP.id, subscribed_fields: subscription?.fields };
    return { data: subscription === undefined ? [] : [app] };
  }

  return Object.freeze({ subscribe, unsubscribe, subscriptions });
}

/** What the API shows of a page and of its roles. */
function makePageLook(world: World) {
  const { people, hosts, tokens } = world;

  /** The role of the person behind the caller; a Page shows it to nobody else. */
  const roleOf = (actor: Actor, page: Page) =>
    actor.kind === 'app' || !actor.grant.pages.includes(page.id)
      ? undefined
      : people.role(actor.claims.person, page.id);

  const page: Look<Page> = {
    name: 'Page',
    id: ({ id }) => id,
    shown: ['name'],
    fields: {
      name: ({ name }) => name,
      username: ({ username }) => username,
      category: ({ category }) => category,
      category_list: ({ category }) => [{ id: '2201', name: category }],
      about: ({ about }) => about,
      link: ({ id }) => `${hosts.www()}/${id}`,
      fan_count: () => people.followers().length,
      followers_count: () => people.followers().length,
      is_published: () => true,
      verification_status: () => 'not_verified',
      picture: ({ id }, { args }) => picture(world, id, args['type']),
      cover: () => undefined,
      business: () => undefined,
      instagram_business_account: () => undefined,
      tasks: (one, { frame }) => roleOf(frame.actor, one)?.tasks,
      access_token: (one, { frame }) =>
        frame.actor.kind === 'app' || roleOf(frame.actor, one) === undefined
          ? undefined
          : tokens.forPage(frame.actor, one.id),
    },
  };

  return page;
}

/** The person behind a token, and their pages. */
function makeSelf(world: World, page: ReturnType<typeof makePageLook>) {
  const { people } = world;

  const person: Look<Person> = {
    name: 'User',
    id: ({ id }) => id,
    shown: ['name'],
    fields: {
      name: ({ name }) => name,
      first_name: ({ name }) => name.split(' ')[0],
      last_name: ({ name }) => name.split(' ').slice(1).join(' '),
      email: ({ handle }, { frame }) =>
        frame.actor.kind === 'user' && holds(frame.actor, 'email') ? handle.replace('.', '@') : undefined,
      picture: ({ id }, { args }) => picture(world, id, args['type']),
    },
  };

  function self({ actor }: Call, id: string): Person {
    const session = asSession(actor);
    const found = people.byId(id);
    if (session.kind !== 'user' || session.claims.person !== id || found === undefined)
      throw badParam('Object does not exist, cannot be loaded due to missing permission or reviewable feature', {
        subcode: 33,
      });
    return found;
  }

  function accounts(call: Call, id: string): object {
    const { claims, grant } = asSession(call.actor);
    self(call, id);
    if (grant.scopes['pages_show_list'] !== 'granted') return { data: [] };
    const rows = people.rolesOf(claims.person).flatMap(({ page_id }) => {
      const found = grant.pages.includes(page_id) ? people.page(page_id) : undefined;
      return found === undefined ? [] : [found];
    });
    const below = selectionOf(call.params.text('fields') ?? 'access_token,category,category_list,name,id,tasks');
    return pageOfRows(page, rows, { path: `${id}/accounts`, query: call.params.query, below, frame: call.frame });
  }

  return Object.freeze({ person, self, accounts });
}

/** Pages and the people who have them, as Graph shows them. */
export function makePages(world: World): Readonly<{ methods: Methods; page: Look<Page>; person: Look<Person> }> {
  const { settings, pushes, hosts } = world;

  const page = makePageLook(world);

  const { person, self, accounts } = makeSelf(world, page);

  const { subscribe, unsubscribe, subscriptions } = makeSubscriptions(world);

  function ofApp({ actor }: Call): void {
    if (actor.kind !== 'app') throw new GraphError(15, '(#15) This method must be called with an app access_token.');
  }

  async function setCallback(call: Call): Promise<object> {
    ofApp(call);
    if (call.params.oneOf('object', ['page']) === undefined) throw badParam('The parameter object is required');
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

  const methods: Methods = Object.freeze({
    'GET person': {
      params: [],
      run: (call: Call, id: string) =>
        draw(person, self(call, id), selectionOf(call.params.text('fields')), call.frame),
    },
    'GET person/accounts': { params: ['is_place', 'is_promotable', 'is_business'], run: accounts },
    'GET person/businesses': { params: [], run: (call: Call, id: string) => ({ data: self(call, id) && [] }) },
    'GET page': {
      params: ['metadata'],
      run(call: Call, id: string) {
        const found = facebookPage(world, id);
        return draw(page, found, selectionOf(call.params.text('fields')), call.frame);
      },
    },
    'GET page/subscribed_apps': { params: [], run: subscriptions },
    'POST page/subscribed_apps': { params: ['subscribed_fields'], run: subscribe },
    'DELETE page/subscribed_apps': { params: [], run: unsubscribe },
    'GET app': { params: [], run: () => ({ id: APP.id, name: APP.name, link: `${hosts.www()}/` }) },
    'GET app/subscriptions': {
      params: [],
      run(call: Call) {
        ofApp(call);
        const active = settings.get('verified_url') === pushes.callback();
        return {
          data: [
            {
              object: 'page',
              callback_url: pushes.callback(),
              active,
              fields: FIELDS.map((name) => ({ name, version: call.version })),
            },
          ],
        };
      },
    },
    'POST app/subscriptions': {
      params: ['object', 'callback_url', 'verify_token', 'include_values', 'fields'],
      run: setCallback,
    },
  });
  return Object.freeze({ methods, page, person });
}
