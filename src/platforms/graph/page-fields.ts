import { isRefused } from '../shared/errors.ts';

/** What Pages push (platforms-a §2.1): posts and comments, mentions, recommendations, and messages. */
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

/**
 * Subscribes an app to a Page. All fields at once, whatever one platform needs of them: each subscription replaces the
 * one before, and the app may stand behind several platforms. A login without message rights still gets the others.
 */
export async function subscribePage(send: (subscribed_fields: string) => Promise<unknown>): Promise<void> {
  try {
    await send(SUBSCRIBED_FIELDS);
  } catch (error) {
    if (!isRefused(error, 'permission_denied')) throw error;
    await send(PAGE_FIELDS.join(','));
  }
}
