import type { Page } from '../graph/docs.ts';
import { pageFields, profileMethods } from '../graph/people/profiles.ts';
import { lookOf, always, type NodeType } from '../graph/api/render.ts';
import { subscriptionMethods } from '../graph/push/subscriptions.ts';
import type { GraphWorld, Methods } from '../graph/world.ts';

const FIELDS: readonly string[] = Object.freeze(
  `feed mention messages message_deliveries message_echoes message_edits message_reactions message_reads message_context
  message_mention messaging_account_linking messaging_customer_information messaging_feedback messaging_handovers
  messaging_optins messaging_optouts messaging_policy_enforcement messaging_postbacks messaging_referrals standby
  ratings conversations leadgen live_videos videos name picture category description email location phone website`.split(
    /\s+/,
  ),
);

const pageLook = (world: GraphWorld): NodeType<Page> =>
  lookOf<Page>(
    'Page',
    {
      ...pageFields(world),
      ...always({ cover: undefined, business: undefined, instagram_business_account: undefined }),
      category_list: ({ category }) => [{ id: '2201', name: category }],
      link: ({ id }) => `${world.hosts.www()}/${id}`,
      fan_count: () => world.people.followers().length,
      is_published: () => true,
      verification_status: () => 'not_verified',
    },
    ['name'],
  );

export const pageMethods = (world: GraphWorld): Methods => ({
  ...profileMethods(world, pageLook(world)),
  ...subscriptionMethods(world, {
    object: 'page',
    fields: FIELDS,
    right: { scopes: ['pages_manage_metadata'], task: 'MODERATE' },
    fieldRights: [{ fields: /^(?:messages|message_|messaging_|standby)/, scope: 'pages_messaging' }],
  }),
});
