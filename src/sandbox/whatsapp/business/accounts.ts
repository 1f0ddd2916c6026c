/** WhatsApp accounts of businesses, who may act on them, and where their updates go. */
import { badParam, unknownObject } from '../../graph/api/errors.ts';
import type { Look } from '../../graph/api/render.ts';
import type { Page } from '../../graph/docs.ts';
import { APP, asSession } from '../../graph/oauth/tokens.ts';
import { subscriptionMethods } from '../../graph/push/subscriptions.ts';
import { drawList, drawOne, pageAt } from '../../graph/world.ts';
import type { Call, Methods } from '../../graph/world.ts';
import { fixedId } from '../../kit/ids.ts';
import { ABOUT } from '../about.ts';
import { requireAccount } from '../errors.ts';
import type { World } from '../world.ts';

/** Updates that are sent for a subscribed account; the app has chosen them in its dashboard. */
export const UPDATES = Object.freeze([
  'messages',
  'smb_message_echoes',
  'message_template_status_update',
  'account_update',
  'phone_number_quality_update',
  'user_preferences',
]);

/** The portfolio of the person who has an account. */
export const businessOf = ({ nodes }: Pick<World, 'nodes'>, account: string): string =>
  fixedId(ABOUT.slug, 'business', nodes.list('role', { page: account })[0]?.parent_id ?? account);

function accountLook(world: World): Look<Page> {
  return {
    name: 'WhatsAppBusinessAccount',
    id: ({ id }) => id,
    shown: ['name', 'timezone_id', 'message_template_namespace'],
    fields: {
      name: ({ name }) => name,
      timezone_id: () => '1',
      currency: () => 'USD',
      country: () => 'US',
      message_template_namespace: ({ id }) => `ns_${id}`,
      account_review_status: () => 'APPROVED',
      business_verification_status: () => 'verified',
      ownership_type: () => 'SELF',
      owner_business_info: ({ id, name }) => ({ id: businessOf(world, id), name }),
      on_behalf_of_business_info: () => undefined,
    },
  };
}

/** Which accounts send their updates to the app, and to which address. */
function subscriptions(world: World): Methods {
  const { nodes, clock, settings, pushes, hosts } = world;

  async function subscribe({ params, actor }: Call, id: string): Promise<object> {
    requireAccount(actor, id, 'management');
    const url = params.text('override_callback_uri');
    if (url !== undefined) {
      const token = params.required('verify_token');
      if (!URL.canParse(url)) throw badParam('Param override_callback_uri must be a valid URI');
      if (!(await pushes.verify({ url, token })))
        throw badParam('Webhook verification failed: the challenge did not come back', { subcode: 2200 });
    }
    const subscription = { fields: UPDATES, at: clock.now(), ...(url !== undefined && { callback: url }) };
    nodes.change('page', id, { subscription });
    // The callback address is an app setting; it is verified before the first update.
    if (url === undefined && settings.get('verified_url') !== pushes.callback()) await pushes.verify();
    return { success: true };
  }

  return {
    'GET page/subscribed_apps': {
      params: [],
      run({ actor }: Call, id: string) {
        requireAccount(actor, id, 'management');
        const { subscription } = pageAt(world, id);
        if (subscription === undefined) return { data: [] };
        const whatsapp_business_api_data = { id: APP.id, name: APP.name, link: `${hosts.www()}/` };
        const { callback } = subscription;
        const own = callback === undefined ? {} : { override_callback_uri: callback };
        return { data: [{ whatsapp_business_api_data, ...own }] };
      },
    },
    'POST page/subscribed_apps': {
      params: ['override_callback_uri', 'verify_token', 'subscribed_fields'],
      run: subscribe,
    },
    'DELETE page/subscribed_apps': {
      params: [],
      run({ actor }: Call, id: string) {
        requireAccount(actor, id, 'management');
        nodes.change('page', id, { subscription: undefined });
        return { success: true };
      },
    },
  };
}

/** Accounts, the portfolios and people they belong to, and their subscriptions. */
export function accountMethods(world: World): Methods {
  const { people } = world;
  const look = accountLook(world);
  const app = subscriptionMethods(world, {
    object: 'whatsapp_business_account',
    fields: UPDATES,
    right: { scopes: [], task: 'MANAGE' },
    fieldRights: [],
  });
  const person: Look<{ id: string; name: string }> = {
    name: 'User',
    id: ({ id }) => id,
    shown: ['name'],
    fields: { name: ({ name }) => name },
  };
  const mine = (call: Call): readonly Page[] => asSession(call.actor).grant.pages.map((id) => pageAt(world, id));
  const self = (call: Call, id: string) => {
    const found = people.byId(asSession(call.actor).claims.person);
    if (found?.id !== id) throw unknownObject(id);
    return found;
  };

  return Object.freeze({
    ...app,
    ...subscriptions(world),
    'GET person': { params: [], run: (call: Call, id: string) => drawOne(call, person, self(call, id)) },
    'GET person/assigned_whatsapp_business_accounts': {
      params: [],
      run: (call: Call, id: string) =>
        drawList(call, look, `${self(call, id).id}/assigned_whatsapp_business_accounts`, mine(call)),
    },
    'GET page': {
      params: [],
      run(call: Call, id: string) {
        requireAccount(call.actor, id, 'management');
        return drawOne(call, look, pageAt(world, id));
      },
    },
  });
}
