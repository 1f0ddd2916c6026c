/** Business accounts: who has access to them, and their subscriptions to updates. */
import { unknownObject } from '../../graph/api/errors.ts';
import { always, own, type NodeType } from '../../graph/api/render.ts';
import type { Page, Person } from '../../graph/docs.ts';
import { APP, asSession } from '../../graph/oauth/tokens.ts';
import { subscriptionMethods } from '../../graph/push/subscriptions.ts';
import { drawList, drawOne, pageAt, type Call, type Methods } from '../../graph/world.ts';
import { fixedId } from '../../kit/ids.ts';
import { ABOUT } from '../about.ts';
import { requireAccount } from '../errors.ts';
import { methodsOf, type World } from '../world.ts';

/** Fields of updates, as they are chosen in the app's dashboard. */
const UPDATES = Object.freeze([
  'messages',
  'smb_message_echoes',
  'message_template_status_update',
  'account_update',
  'phone_number_quality_update',
  'user_preferences',
]);

/** The business portfolio of the account's owner. */
export const businessOf = ({ nodes }: Pick<World, 'nodes'>, account: string): string =>
  fixedId(ABOUT.slug, 'business', nodes.list('role', { page: account })[0]?.parent_id ?? account);

const PERSON: NodeType<Person> = { name: 'User', id: ({ id }) => id, defaultFields: ['name'], fields: own('name') };

export function accountMethods(world: World): Methods {
  const { people, hosts } = world;
  const look: NodeType<Page> = {
    name: 'WhatsAppBusinessAccount',
    id: ({ id }) => id,
    defaultFields: ['name', 'timezone_id', 'message_template_namespace'],
    fields: {
      ...own('name'),
      ...always({ timezone_id: '1', currency: 'USD', country: 'US', account_review_status: 'APPROVED' }),
      ...always({ business_verification_status: 'verified', ownership_type: 'SELF' }),
      ...always({ on_behalf_of_business_info: undefined }),
      message_template_namespace: ({ id }) => `ns_${id}`,
      owner_business_info: ({ id, name }) => ({ id: businessOf(world, id), name }),
    },
  };
  function self(call: Call, id: string): Person {
    const found = people.byId(asSession(call.actor).claims.person);
    if (found?.id !== id) throw unknownObject(id);
    return found;
  }

  return Object.freeze({
    ...subscriptionMethods(world, {
      object: 'whatsapp_business_account',
      fields: UPDATES,
      right: { scopes: [], task: 'MANAGE' },
      fieldRights: [],
      whole: {
        may: ({ actor }, id) => void requireAccount(actor, id, 'management'),
        viewOf: ({ callback }) => ({
          whatsapp_business_api_data: { id: APP.id, name: APP.name, link: `${hosts.www()}/` },
          ...(callback !== undefined && { override_callback_uri: callback }),
        }),
      },
    }),
    'GET person': { params: [], run: (call: Call, id: string) => drawOne(call, PERSON, self(call, id)) },
    'GET person/assigned_whatsapp_business_accounts': {
      params: [],
      run(call: Call, id: string) {
        const mine = asSession(call.actor).grant.pages.map((page) => pageAt(world, page));
        return drawList(call, look, `${self(call, id).id}/assigned_whatsapp_business_accounts`, mine);
      },
    },
    'GET page': methodsOf(world).readsOf('management', [], (call, id) => drawOne(call, look, pageAt(world, id))),
  });
}
