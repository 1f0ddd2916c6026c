import type { AccountCall } from '../call.ts';
import { isRefused } from '../shared/errors.ts';
import { Success } from './api.ts';
import type { Messenger } from './messaging.ts';

/** What Pages push: posts and comments, mentions, recommendations, and messages. */
const PAGE_FIELDS = ['feed', 'mention', 'ratings'];
const MESSAGE_FIELDS = [
  'messages',
  'messaging_postbacks',
  'messaging_referrals',
  'message_deliveries',
  'message_reads',
  'message_echoes',
  'message_reactions',
  'messaging_optins',
  'message_edits',
];
export const SUBSCRIBED_FIELDS = [...PAGE_FIELDS, ...MESSAGE_FIELDS].join(',');

/** The subscriptions of the app to pages and accounts. */
export function subscribedApps({ request }: Pick<Messenger, 'request'>) {
  const appsOf = (owner: string) => ({ path: '/{owner}/subscribed_apps', ids: { owner } }) as const;

  async function subscribe(call: AccountCall, owner: string, subscribed_fields: string): Promise<void> {
    await request(call, owner, { method: 'POST', ...appsOf(owner), form: { subscribed_fields } }, Success);
  }

  return Object.freeze({
    subscribe,

    /**
     * All fields of a Page at once, whatever one platform needs of them: each subscription replaces the one before, and
     * the app may stand behind several platforms. A login without message rights still gets the others.
     */
    async subscribePage(call: AccountCall, page: string): Promise<void> {
      try {
        await subscribe(call, page, SUBSCRIBED_FIELDS);
      } catch (error) {
        if (!isRefused(error, 'permission_denied')) throw error;
        await subscribe(call, page, PAGE_FIELDS.join(','));
      }
    },

    async unsubscribe(call: AccountCall, owner: string): Promise<void> {
      await request(call, owner, { method: 'DELETE', ...appsOf(owner) }, Success);
    },
  });
}
