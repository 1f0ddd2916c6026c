import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { Success } from '../graph/api.ts';
import { messagingEvent } from '../graph/push-messages.ts';
import { introduced } from '../shared/people.ts';
import { subscribePage } from '../graph/page-fields.ts';
import { Key, msOf } from '../graph/push-values.ts';
import { graphPush, type Pushing, verifyTokenSetting } from '../graph/push.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push } from '../push.ts';
import { asAccount, isLinked, ownerOf } from './api.ts';
import { commentAs, isSelf, readComment } from './inbox/comments.ts';
import { wholeMention } from './inbox/mentions.ts';
import { text } from '../shared/fields.ts';

/** What an account subscribes to, where it has no Page. */
const FIELDS = [
  'comments',
  'live_comments',
  'messages',
  'messaging_postbacks',
  'messaging_referral',
  'messaging_seen',
].join(',');

const Commented = z.object({
  id: Key.optional(),
  comment_id: Key.optional(),
  parent_id: Key.optional().catch(undefined),
  text: z.string().catch(''),
  from: z.object({ id: Key, username: text }).optional().catch(undefined),
  media: z.object({ id: Key }),
  created_time: z.number().optional().catch(undefined),
});
const Mentioned = z.object({ media_id: Key, comment_id: Key.optional().catch(undefined) });
const Profile = z.object({ name: text, username: text, profile_pic: text });

/** Only the dashboard of the app can set up webhooks. */
export const VERIFY_TOKEN = verifyTokenSetting('INSTAGRAM_VERIFY_TOKEN');

/** Webhooks of the object `instagram`, and the callbacks of the apps: Instagram's signs, or Facebook's. */
export const push = Object.freeze<Push>({
  ...graphPush({
    title: 'Instagram',
    owner: 'user',
    login: 'login_id',
    byHand: VERIFY_TOKEN,
    change(field, value, pushing) {
      if (field === 'comments' || field === 'live_comments') return commentEvent(value, pushing);
      return field === 'mentions' ? mentionEvent(value, pushing) : undefined;
    },
    messaging: (value, pushing) => messagingEvent(value, pushing, undefined),
  }),
  signedBy: ['facebook'],
  complete,
  async subscribe(call) {
    const send = (subscribed_fields: string) =>
      asAccount(call, { method: 'POST', ...appsOf(call), form: { subscribed_fields } }, Success);
    // A Page that pushes anything pushes what happens on its account.
    await (isLinked(call) ? subscribePage(send) : send(FIELDS));
    return {};
  },
  async unsubscribe(call) {
    // What a Page pushes may be for other accounts of the app; it ends with their consent.
    if (!isLinked(call)) await asAccount(call, { method: 'DELETE', ...appsOf(call) }, Success);
  },
});

const appsOf = (call: AccountCall) => ({ path: '/{owner}/subscribed_apps', ids: { owner: ownerOf(call) } }) as const;

/** A comment; the form of the two logins differs in where its id is. */
function commentEvent(value: unknown, { owner, at: pushedAt }: Pushing): InboundEvent | undefined {
  const parsed = Commented.safeParse(value);
  if (!parsed.success) return undefined;
  const { id = parsed.data.comment_id, parent_id, text: words, from, media, created_time } = parsed.data;
  const at = msOf(created_time) ?? pushedAt;
  if (id === undefined || at === undefined) return undefined;
  const author = { id: from?.id ?? '', name: from?.username ?? '', username: from?.username };
  const basics = { platform_id: id, platform_post_id: media.id, parent_id, author, text: words, created_at: at };
  return { kind: 'comment', comment: commentAs(basics, from?.id === owner) };
}

function mentionEvent(value: unknown, { at }: Pushing): InboundEvent | undefined {
  const parsed = Mentioned.safeParse(value);
  if (!parsed.success || at === undefined) return undefined;
  const { media_id: platform_post_id, comment_id } = parsed.data;
  return {
    kind: 'mention',
    mention: {
      platform_id: comment_id ?? platform_post_id,
      platform_post_id,
      comment_id,
      mention_type: comment_id === undefined ? 'caption' : 'comment',
      author: { id: '', name: '' },
      text: '',
      media: [],
      created_at: at,
    },
  };
}

/** Reads what a push omits: who wrote, and what mentions the account. */
async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  switch (event.kind) {
    case 'comment': {
      const { platform_id: comment, platform_post_id: post, author } = event.comment;
      const found = await readComment(call, { comment, post });
      const whole = found.author.id === '' ? author : found.author;
      return { ...event, comment: { ...found, author: whole, is_owner: isSelf(call, whole.id) } };
    }
    case 'mention':
      return { ...event, mention: await wholeMention(call, event.mention) };
    case 'message':
    case 'postback':
    case 'referral':
      return {
        ...event,
        conversation: await introduced(event.conversation, async (person) => {
          const query = { fields: 'name,username,profile_pic' };
          const ask = { method: 'GET', path: '/{person}', ids: { person }, query } as const;
          const { name, username, profile_pic: avatar_url } = await asAccount(call, ask, Profile);
          return { name: name ?? username ?? '', username, avatar_url };
        }),
      };
    default:
      return event;
  }
}
