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
const issue = z.looseObject({ platform: z.string(), field: z.string(), message: z.string() });
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
export const RECORDS = Object.freeze({
  any: z.looseObject({}),
  account,
  accounts: listOf(account),
  brand,
  brands: listOf(brand),
  connected: z.looseObject({ account_id: id, platform: z.string(), username: z.string() }),
  connecting: z.looseObject({ auth_url: z.url(), state: z.string(), message: z.string() }),
  constraints: z.looseObject({ data: z.record(z.string(), z.looseObject({})) }),
  createdKey: z.looseObject({ id, name: z.string(), raw_key: z.string(), message: z.string() }),
  createdWebhook: z.looseObject({
    id,
    url: z.url(),
    events: z.array(z.string()),
    secret: z.string(),
    message: z.string(),
  }),
  deliveries: pageOf(delivery),
  delivery,
  eventCatalogue: listOf(z.looseObject({ event: z.string(), description: z.string() })),
  keys: listOf(key),
  media: pageOf(media),
  mediaItem: media,
  metrics: z.looseObject({ data: z.looseObject({ post_id: id, targets: z.array(target) }) }),
  post,
  posts: pageOf(post),
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
