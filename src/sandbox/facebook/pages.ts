import type { Page } from '../graph/docs.ts';
import { picture, profileMethods, roleOf } from '../graph/people/profiles.ts';
import type { Look } from '../graph/api/render.ts';
import { subscriptionMethods } from '../graph/push/subscriptions.ts';
import type { GraphWorld, Methods } from '../graph/world.ts';

/** Updates an app can ask a Page for. */
const FIELDS: readonly string[] = Object.freeze(
  `feed mention messages message_deliveries message_echoes message_edits message_reactions message_reads message_context
  message_mention messaging_account_linking messaging_customer_information messaging_feedback messaging_handovers
  messaging_optins messaging_optouts messaging_policy_enforcement messaging_postbacks messaging_referrals standby
  ratings conversations leadgen live_videos videos name picture category description email location phone website`.split(
    /\s+/,
  ),
);

/** What the API shows of a Page and of its roles. */
function pageLook(world: GraphWorld): Look<Page> {
  const { people, hosts, tokens } = world;
  return {
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
      tasks: (one, { frame }) => roleOf(world, frame.actor, one)?.tasks,
      access_token: (one, { frame }) =>
        frame.actor.kind === 'app' || roleOf(world, frame.actor, one) === undefined
          ? undefined
          : tokens.forPage(frame.actor, one.id),
    },
  };
}

/** Pages and the people who have them, and the updates the app asks them for. */
export const pageMethods = (world: GraphWorld): Methods => ({
  ...profileMethods(world, pageLook(world)),
  ...subscriptionMethods(world, {
    object: 'page',
    fields: FIELDS,
    right: { scopes: ['pages_manage_metadata'], task: 'MODERATE' },
    fieldRights: [{ fields: /^(?:messages|message_|messaging_|standby)/, scope: 'pages_messaging' }],
  }),
});
