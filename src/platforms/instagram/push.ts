import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { maybePushedId, personNamed, PushedId } from '../graph/fields.ts';
import { subscribedApps, SUBSCRIBED_FIELDS } from '../graph/page-fields.ts';
import { completing, messagingEvent } from '../graph/push-messages.ts';
import { byField, graphPush, type Pushing, reading, verifyTokenSetting } from '../graph/push.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push } from '../push.ts';
import { plainComment } from '../shared/comments.ts';
import { isRefused } from '../shared/errors.ts';
import { maybeTime, text } from '../shared/fields.ts';
import { isLinked, ownerOf } from './api.ts';
import { readComment } from './inbox/comments.ts';
import { wholeMention } from './inbox/mentions.ts';
import { messenger } from './inbox/messages.ts';

/** The fields to subscribe to for an account without a Page, and those that not every app may use. */
const FIELDS = 'comments,live_comments,messages,messaging_postbacks,messaging_referral,messaging_seen';
const ALL_FIELDS = `${FIELDS},message_reactions,message_edit`;

const Commented = z.object({
  id: PushedId.optional(),
  comment_id: PushedId.optional(),
  parent_id: maybePushedId,
  text: z.string().catch(''),
  from: z.object({ id: maybePushedId, username: text }).optional().catch(undefined),
  media: z.object({ id: PushedId }),
  created_time: maybeTime,
});
const Mentioned = z.object({ media_id: PushedId, comment_id: maybePushedId });
type Read = InboundEvent | undefined;

/** The verify token of webhooks, which can only be set up in the app's dashboard. */
export const VERIFY_TOKEN = verifyTokenSetting('INSTAGRAM_VERIFY_TOKEN');

const apps = subscribedApps(messenger);

const subscribedTo = (call: AccountCall): string => (isLinked(call) ? SUBSCRIBED_FIELDS : ALL_FIELDS);

async function subscribeAccount(call: AccountCall): Promise<void> {
  try {
    await apps.subscribe(call, ownerOf(call), ALL_FIELDS);
  } catch (error) {
    if (!isRefused(error, 'invalid_request')) throw error;
    await apps.subscribe(call, ownerOf(call), FIELDS);
  }
}

/** Reads a comment; the place of its id depends on the kind of login. */
const commentEvent = reading(Commented, ({ comment_id, id = comment_id, ...value }, { owner, at }: Pushing): Read => {
  const created_at = value.created_time ?? at;
  if (id === undefined || created_at === undefined) return undefined;
  const { parent_id, text: words, from, media } = value;
  // If the id is missing, the person is identified by username.
  const named = personNamed(from?.username);
  const author = { ...named, id: from?.id ?? named.id };
  const about = { platform_id: id, platform_post_id: media.id, parent_id, author, text: words, created_at };
  return { kind: 'comment', comment: plainComment({ ...about, is_owner: author.id === owner }) };
});

const mentionEvent = reading(
  Mentioned,
  ({ media_id: platform_post_id, comment_id }, { at: created_at }: Pushing): Read => {
    if (created_at === undefined) return undefined;
    const platform_id = comment_id ?? platform_post_id;
    const mention_type = comment_id === undefined ? 'caption' : 'comment';
    const unread = { author: { id: '', name: '' }, text: '', media: [] };
    return {
      kind: 'mention',
      mention: { platform_id, platform_post_id, comment_id, mention_type, created_at, ...unread },
    };
  },
);

/** Webhooks of the object `instagram`, signed by Instagram's app or Facebook's. */
export const push = Object.freeze<Push>({
  ...graphPush({
    title: 'Instagram',
    owner: 'user',
    login: 'login_id',
    byHand: VERIFY_TOKEN,
    change: byField({ comments: commentEvent, live_comments: commentEvent, mentions: mentionEvent }),
    messaging: (value, pushing) => messagingEvent(value, pushing, undefined),
  }),
  signedBy: ['facebook'],
  complete: completing({
    comment: readComment,
    mention: wholeMention,
    people: { messenger, fields: 'name,username,profile_pic' },
  }),
  async subscribe(call) {
    // A Page with any subscription also pushes the events of its Instagram account.
    await (isLinked(call) ? apps.subscribePage(call, ownerOf(call)) : subscribeAccount(call));
    return { kept: subscribedTo(call) };
  },
  // A subscription to fewer fields than today's is renewed.
  isSubscribed: async (call, kept) => kept === subscribedTo(call),
  async unsubscribe(call) {
    // Other accounts of the app may need a Page's pushes, so these only end with the app's consent.
    if (!isLinked(call)) await apps.unsubscribe(call, ownerOf(call));
  },
});
