import type { AccountCall } from '../call.ts';
import { isRefused } from '../shared/errors.ts';
import { Success } from './api.ts';
import type { Messenger } from './messaging.ts';

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

export function subscribedApps({ request }: Pick<Messenger, 'request'>) {
  const appsOf = (owner: string) => ({ path: '/{owner}/subscribed_apps', ids: { owner } }) as const;

  async function subscribe(call: AccountCall, owner: string, subscribed_fields: string): Promise<void> {
    await request(call, owner, { method: 'POST', ...appsOf(owner), form: { subscribed_fields } }, Success);
  }

  return Object.freeze({
    subscribe,

    /** Subscribes to all fields in one request, as each replaces the last; to fewer if permissions are missing. */
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
