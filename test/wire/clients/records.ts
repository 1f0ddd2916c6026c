import { z } from 'zod';

/**
 * What the public clients cannot do without, per record. The strictest of them throws a whole page away for one
 * record that lacks one of these, so a null counts as missing.
 */
const id = z.string().min(1);
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
const count = z.int();

const account = z.looseObject({ id, platform: z.string(), name: z.string(), username: z.string() });
const brand = z.looseObject({ id, name: z.string(), created_at: time, updated_at: time });
const invite = z.looseObject({ id, platform: z.string(), token: id, url: z.url(), expires_at: time });
const listedInvite = invite.extend({ is_active: z.boolean(), created_at: time });
const targetError = z.looseObject({ message: z.string(), category: z.string(), caused_by: z.string() });
const targetMetrics = z.looseObject({ likes: count, comments: count, shares: count, saves: count });
const target = z.looseObject({
  platform: z.string(),
  status: z.string(),
  error: targetError.nullish(),
  metrics: targetMetrics.nullish(),
});
const post = z.looseObject({
  id,
  status: z.string(),
  created_at: time,
  updated_at: time,
  hidden: z.boolean(),
  retry_count: count,
  targets: z.array(target),
});
const issue = z.looseObject({
  platform: z.string(),
  field: z.string(),
  message: z.string(),
  target: z.string().optional(),
  segment_index: count.optional(),
});
const media = z.looseObject({
  id,
  filename: z.string(),
  content_type: z.string(),
  size_bytes: count,
  status: z.string(),
  url: z.url(),
  created_at: time,
});
const key = z.looseObject({ id, name: z.string(), preview: z.string(), is_active: z.boolean(), created_at: time });
const webhook = z.looseObject({ id, url: z.url(), events: z.array(z.string()), created_at: time });
const delivery = z.looseObject({ id, event_type: z.string(), status: z.string(), created_at: time });
const page = z.looseObject({
  id,
  name: z.string(),
  platform_id: z.string(),
  platform_page_id: z.string(),
  is_default: z.boolean(),
  is_active: z.boolean(),
});
const ofAccount = { id, account_id: id, platform: z.string(), platform_id: id, created_at: time };
const inboxPost = z.looseObject({ ...ofAccount, user_id: id, updated_at: time, comment_count: count });
const capabilities = z.looseObject({
  can_reply: z.boolean(),
  can_delete: z.boolean(),
  can_hide: z.boolean(),
  can_like: z.boolean(),
  can_private_reply: z.boolean(),
});
const comment = z.looseObject({
  ...ofAccount,
  inbox_post_id: id,
  text: z.string(),
  author_id: id,
  capabilities,
  is_owner: z.boolean(),
  is_hidden: z.boolean(),
  is_liked: z.boolean(),
  liked_by_viewer: z.boolean(),
  like_count: count,
  reply_count: count,
});
const conversation = z.looseObject({
  ...ofAccount,
  user_id: id,
  participant_id: id,
  participant_name: z.string(),
  updated_at: time,
  unread_count: count,
});
const message = z.looseObject({
  id,
  conversation_id: id,
  platform_id: id,
  direction: z.enum(['incoming', 'outgoing']),
  sender_id: id,
  sender_name: z.string(),
  created_at: time,
});
const author = z.looseObject({ id, name: z.string() });
const review = z.looseObject({ ...ofAccount, rating: count, author });
const mention = z.looseObject({
  ...ofAccount,
  type: z.string(),
  author,
  content: z.looseObject({ text: z.string() }),
  received_at: time,
});
const event = z.looseObject({ id, category: z.string(), action: z.string(), status: z.string(), created_at: time });
const done = z.looseObject({ success: z.literal(true) });

/** A page ends for one client by `pagination`, for another by `next_cursor`; both have to say the same. */
const pageOf = (record: z.ZodType) =>
  z
    .looseObject({
      data: z.array(record),
      next_cursor: z.string(),
      pagination: z.looseObject({ has_more: z.boolean(), next_cursor: z.string() }),
    })
    .refine(({ next_cursor, pagination }) => next_cursor === pagination.next_cursor, 'two cursors')
    .refine(({ pagination }) => pagination.has_more === (pagination.next_cursor !== ''), 'an end that is none');
const listOf = (record: z.ZodType) => z.looseObject({ data: z.array(record) });

/** The answers that are more than an acknowledgement, by what they carry. */
const RECORDS = Object.freeze({
  any: z.looseObject({}),
  account,
  accounts: listOf(account),
  answered: done.extend({ reply_id: id }),
  brand,
  brands: listOf(brand),
  invite,
  invites: listOf(listedInvite),
  comment,
  comments: pageOf(comment),
  commented: done.extend({ comment_id: id }),
  connected: z.looseObject({ account_id: id, platform: z.string(), username: z.string() }),
  connecting: z.looseObject({ auth_url: z.url(), state: z.string(), message: z.string() }),
  conversation,
  conversationRead: z.looseObject({ data: conversation }),
  conversations: pageOf(conversation),
  constraints: z.looseObject({ data: z.record(z.string(), z.looseObject({})) }),
  createdKey: z.looseObject({ id, name: z.string(), raw_key: z.string(), message: z.string() }),
  createdWebhook: z.looseObject({
    id,
    url: z.url(),
    events: z.array(z.string()),
    secret: z.string(),
    message: z.string(),
  }),
  creator: z.looseObject({ platform: z.string(), nickname: z.string(), can_post: z.boolean() }),
  deliveries: pageOf(delivery),
  delivery,
  done,
  events: pageOf(event).and(z.looseObject({ events: z.array(event), retention_days: count })),
  eventsSummary: z.looseObject({ total: count, total_previous: count, failed: count, retention_days: count }),
  inboxPost,
  inboxPosts: pageOf(inboxPost),
  keys: listOf(key),
  limits: z.record(z.string(), count),
  media: pageOf(media),
  mediaItem: media,
  mention,
  mentions: pageOf(mention),
  message,
  messages: pageOf(message),
  metrics: z.looseObject({ data: z.looseObject({ post_id: id, targets: z.array(target) }) }),
  page,
  pages: listOf(page),
  post,
  posts: pageOf(post),
  review,
  reviews: pageOf(review),
  sent: done.extend({ message_id: id }),
  storage: z.looseObject({ used_bytes: count, limit_bytes: count, count }),
  uploadUrl: z.looseObject({ media_id: id, upload_url: z.url(), expires_at: time }),
  usage: z.looseObject({
    brands_used: count,
    brands_limit: count,
    posts_used: count,
    posts_limit: count,
    interactions_used: count,
    interactions_limit: count,
    period_start: time,
    period_end: time,
  }),
  user: z.looseObject({ id, email: z.string(), plan: z.string() }),
  validation: z.looseObject({ valid: z.boolean(), errors: z.array(issue), warnings: z.array(issue) }),
  verifiedMedia: media.extend({ success: z.literal(true), media_id: id, status: z.literal('ready') }),
  webhook,
  webhooks: listOf(webhook),
});
export type RecordName = keyof typeof RECORDS;

/** What is wrong with an answer, in words that name the place; empty when nothing is. */
export function faultsOf(record: RecordName, body: unknown): string[] {
  const { error } = RECORDS[record].safeParse(body);
  return [...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`), ...badTimes(body, '')];
}

/** An instant is RFC 3339 in UTC or null wherever it stands; an empty one breaks every date parser. */
function badTimes(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = path === '' ? name : `${path}.${name}`;
    const isTime = /(^|_)(at|start|end)$/.test(name) && inner !== null;
    return isTime && !time.safeParse(inner).success ? [`${place}: is no instant`] : badTimes(inner, place);
  });
}
