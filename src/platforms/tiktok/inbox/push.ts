import * as z from 'zod';
import { hmacMatches } from '#kernel/sign.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall } from '../../call.ts';
import type { InboundEvent } from '../../inbound.ts';
import type { Push, PushedEvent, PushRequest, PushTrust } from '../../push.ts';
import { introduced } from '../../shared/inbox/backfill.ts';
import { plainComment } from '../../shared/comments.ts';
import { LongId, maybeId, text, UnixTime, word } from '../../shared/fields.ts';
import { pushedJson } from '../../shared/rest.ts';
import { permalinkOf, sessionOf, tell } from '../api.ts';
import { capabilitiesOf, readComment } from './comments.ts';
import { Message, messageOf, personOf, readConversation } from './history.ts';
import { wholeMention } from './mentions.ts';

const SCHEME = Object.freeze({ algorithm: 'sha256', encoding: 'hex' } as const);
/** Signatures older than this (seconds) are rejected, because a recorded push may be replayed. */
const FRESH_S = 300;

/** Verifies `t=<seconds>,s=<hex>`, where `s` signs the time and the raw body. */
function verify({ headers, body }: PushRequest, { app, now }: PushTrust): boolean {
  const parts = (headers['tiktok-signature'] ?? '').split(',').map((part) => part.trim().split('=', 2));
  const { t = '', s = '' } = Object.fromEntries(parts) as Readonly<{ t?: string; s?: string }>;
  if (!/^\d{1,12}$/.test(t) || Math.abs(now() / 1000 - Number(t)) > FRESH_S) return false;
  return hmacMatches(SCHEME, s, app, `${t}.`, body);
}

/** The content is a text with JSON, whose ids may be bare numbers beyond 2^53. */
const Envelope = z.object({
  event: z.string(),
  create_time: UnixTime,
  user_openid: z.string().min(1),
  content: z.union([z.string().transform((json) => pushedJson(Buffer.from(json), true)), z.unknown()]),
});
type Envelope = z.output<typeof Envelope>;

const Commented = z.object({
  comment_id: LongId,
  video_id: LongId,
  parent_comment_id: maybeId,
  comment_type: word,
  comment_action: z.string(),
  unique_identifier: word,
  timestamp: UnixTime,
  text: word,
});
const Referred = Message.omit({ message_id: true }).extend({
  conversation_id: LongId,
  referral: z.looseObject({ source: word }),
});

/** Why a login ended, indexed by TikTok's number for the reason. */
const REASONS: readonly string[] = Object.freeze([
  'TikTok has ended the login, and does not say why.',
  'The person removed the app in TikTok.',
  'The TikTok account was deleted.',
  'The age of the TikTok account was changed.',
  'The TikTok account was banned.',
  'The app gave up its access.',
]);

type Reader = (content: unknown, envelope: Envelope) => InboundEvent | undefined;

/** Makes a reader for content of this form; other content is ignored. */
function reading<T extends z.ZodType>(
  shape: T,
  read: (content: z.output<T>, envelope: Envelope) => InboundEvent | undefined,
): Reader {
  return (content, envelope) => {
    const { data } = shape.safeParse(content);
    return data === undefined ? undefined : read(data, envelope);
  };
}

const message = reading(Message, (one, { user_openid: account }) => {
  const participant = personOf(one, account);
  const { conversation_id: platform_id } = one;
  if (participant === undefined || platform_id === undefined) return undefined;
  return { kind: 'message', conversation: { platform_id, participant }, message: messageOf(one, platform_id, account) };
});

const mention = reading(
  z.object({ item_id: maybeId, video_id: maybeId, comment_id: maybeId }),
  ({ item_id, video_id: platform_post_id = item_id, comment_id }, { create_time: created_at }) => {
    if (platform_post_id === undefined) return undefined;
    const mention_type = comment_id === undefined ? 'caption' : 'comment';
    const known = { platform_post_id, comment_id, mention_type, created_at } as const;
    const unknown = { author: { id: '', name: '' }, text: '', media: [] };
    return { kind: 'mention', mention: { platform_id: comment_id ?? platform_post_id, ...known, ...unknown } };
  },
);

const HIDDEN: ReadonlyMap<string, boolean> = tableOf({
  set_to_hidden: true,
  set_to_friends_only: true,
  set_to_public: false,
});

function comment(one: z.output<typeof Commented>, { user_openid }: Envelope): InboundEvent | undefined {
  const { comment_id: platform_id, video_id: platform_post_id, parent_comment_id, unique_identifier: id } = one;
  const hidden = HIDDEN.get(one.comment_action);
  if (hidden !== undefined) return { kind: 'comment_hidden', platform_id, hidden };
  if (one.comment_action === 'delete') return { kind: 'comment_gone', platform_id };
  if (one.comment_action !== 'insert') return undefined;
  const is_owner = id === user_openid;
  const parent_id = one.comment_type === 'reply' ? parent_comment_id : undefined;
  const about = { platform_id, platform_post_id, parent_id, author: { id, name: '' }, is_owner };
  const reply = { text: one.text, created_at: one.timestamp, capabilities: capabilitiesOf(is_owner) };
  return { kind: 'comment', comment: plainComment({ ...about, ...reply }) };
}

/** A person opened the conversation from an ad or a link and has not written yet. */
const referral = reading(Referred, (one, { user_openid }) => {
  const { conversation_id, timestamp: at } = one;
  const { source, ...by } = one.referral;
  const participant = personOf(one, user_openid);
  const [ad, link] = [by['ad'], by['short_link']].map((given) => Origin.parse([given].flat()[0] ?? {}));
  const known = { source, type: 'OPEN_THREAD', ad_id: ad?.ad_id, ref: link?.ref, ads_context_data: ad };
  if (participant === undefined) return undefined;
  const conversation = { platform_id: conversation_id, participant };
  return { kind: 'referral', conversation, platform_id: `referral:${conversation_id}:${at}`, referral: known, at };
});
const Origin = z.looseObject({ ad_id: maybeId, ref: text });

const Read = z.object({ conversation_id: LongId, read: z.object({ last_read_timestamp: UnixTime }) });

const READERS: ReadonlyMap<string, Reader> = tableOf({
  'authorization.removed': reading(z.object({ reason: z.coerce.number().catch(0) }), ({ reason }) => ({
    kind: 'revoked',
    why: REASONS[reason] ?? REASONS[0]!,
  })),
  'post.publish.publicly_available': reading(
    z.object({ publish_id: LongId, post_id: LongId }),
    ({ publish_id, post_id }) => ({
      kind: 'post_named',
      was: publish_id,
      platform_id: post_id,
    }),
  ),
  'comment.update': reading(Commented, comment),
  'brand_mention.video': mention,
  'brand_mention.comment': mention,
  im_receive_msg: message,
  im_receive_msg_eu: message,
  im_send_msg: message,
  im_mark_read_msg: reading(Read, ({ conversation_id: conversation, read: { last_read_timestamp: watermark } }) => ({
    kind: 'receipt',
    status: 'read',
    conversation,
    watermark,
    at: watermark,
  })),
  im_referral_msg: referral,
});

/** Reads a push; those about the state of a post are ignored, because it is polled. */
function read({ body }: PushRequest): readonly PushedEvent[] {
  const { data: envelope } = Envelope.safeParse(pushedJson(body, true));
  const reads = envelope && READERS.get(envelope.event);
  const event = envelope && reads?.(envelope.content, envelope);
  return event ? [{ user: envelope.user_openid, event }] : [];
}

/** Reads what pushes omit: the author and text of a comment, and the URL of a post. */
async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  if (event.kind === 'comment') {
    const { platform_id: id, platform_post_id: post } = event.comment;
    return { ...event, comment: (await readComment(call, { post, comment: id })) ?? event.comment };
  }
  if (event.kind === 'mention') return { ...event, mention: await wholeMention(call, event.mention) };
  if (event.kind === 'post_named')
    return { ...event, permalink: permalinkOf(call.hosts, sessionOf(call.session).username, event.platform_id) };
  if (event.kind !== 'message' && event.kind !== 'referral') return event;
  const { platform_id } = event.conversation;
  const readPerson = async () => (await readConversation(call, platform_id)).person ?? { name: '' };
  return { ...event, conversation: await introduced(event.conversation, readPerson) };
}

/** The pushes of both apps arrive at one address. */
export const push = Object.freeze<Push>({ scope: 'app', signedBy: ['tiktok_business'], verify, read, complete });

/** The events of the API for Business to subscribe to. */
const EVENTS = ['DIRECT_MESSAGE', 'COMMENT', 'BRAND_MENTION', 'VIDEO'] as const;

/** The API for Business has a request to register the push address; TikTok for Developers only has a web form. */
export const businessPush = Object.freeze<Push>({
  ...push,
  async register(call, { clientId: app_id, clientSecret: secret, callback: callback_url }) {
    for (const event_type of EVENTS)
      await tell(call, '/business/webhook/update/', { json: { app_id, secret, event_type, callback_url } });
  },
});
