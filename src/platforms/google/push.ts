import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import { pubsub } from '../googleapis/pubsub.ts';
import type { Inbox, InboundBatch, InboundEvent } from '../inbound.ts';
import type { Push, PushedEvent, PushRequest } from '../push.ts';
import { pollChanges } from '../shared/inbox/changes.ts';
import { text } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { asAccount, lastOf, POLL_COST, sessionOf } from './api.ts';
import { listReviews, PER_PAGE, readReview } from './reviews.ts';

const NEW = 'NEW_REVIEW';
const CHANGED = 'UPDATED_REVIEW';
const TYPES = Object.freeze([NEW, CHANGED] as const);
const POLL_MS = MINUTE;

const { verify, dataIn, topicIn, settings: own } = pubsub({ prefix: 'GOOGLE', what: 'new reviews' });

/** The settings of the Pub/Sub topic for new reviews; without a topic they are polled. */
export const settings = own;

/** The published message; the two versions of the API spell its fields differently. */
const Notice = z.object({
  notificationType: z.enum(TYPES),
  location_name: text,
  locationName: text,
  review_name: text,
  reviewName: text,
});

/** Reads a push, which contains only the name of the review. */
function read(request: PushRequest): readonly PushedEvent[] {
  const notice = Notice.safeParse(dataIn(request));
  if (!notice.success) return [];
  const { notificationType: type, review_name, reviewName, location_name, locationName } = notice.data;
  const review = review_name ?? reviewName ?? '';
  const [, named] = /(?:^|\/)(locations\/[^/]+)/.exec(location_name ?? locationName ?? review) ?? [];
  if (named === undefined || !review.includes('/reviews/')) return [];
  const edited = type === CHANGED && ({ edited: true } as const);
  const event: InboundEvent = { kind: 'review_named', platform_id: lastOf(review), ...edited };
  return [{ having: { name: 'location', value: named }, event }];
}

const Setting = z.object({ pubsubTopic: text, notificationTypes: z.array(z.string()).default([]) });

/** Reads or changes the notification setting of a Business Profile account, which covers all its locations. */
function setting(call: AccountCall, change?: Readonly<{ pubsubTopic?: string; notificationTypes: readonly string[] }>) {
  const { account } = sessionOf(call.session);
  const where = { host: 'notifications', ...path`/v1/accounts/${{ account }}/notificationSetting` };
  if (change === undefined) return asAccount(call, { method: 'GET', ...where }, Setting);
  const query = { updateMask: Object.keys(change).join(',') };
  const json = { name: `accounts/${account}/notificationSetting`, ...change };
  return asAccount(call, { method: 'PATCH', ...where, query, json }, Setting);
}

/** Pushes of reviews through a Cloud Pub/Sub topic that the operator has set up. */
export const push: Push = {
  scope: 'app',
  verify,
  read,
  async complete(call, event) {
    if (event.kind !== 'review_named') return event;
    const { platform_id, edited } = event;
    return { kind: 'review', review: await readReview(call, platform_id), ...(edited && { edited }) };
  },
  async subscribe(call) {
    const pubsubTopic = topicIn(call.settings);
    if (pubsubTopic === undefined) return undefined;
    await setting(call, { pubsubTopic, notificationTypes: TYPES });
    return { kept: pubsubTopic };
  },
  async isSubscribed(call, kept) {
    const { pubsubTopic: topic, notificationTypes } = await setting(call);
    return topic === kept && topic === topicIn(call.settings) && TYPES.every((one) => notificationTypes.includes(one));
  },
  unsubscribe: async (call, _, isShared) => void (isShared || (await setting(call, { notificationTypes: [] }))),
};

/** Reads reviews from before the connection. */
async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
  const page = typeof cursor === 'string' ? cursor : undefined;
  const { items, cursor: next } = await listReviews(call, { limit: PER_PAGE, cursor: page });
  return { events: items.map((review) => ({ kind: 'review', review })), cursor: next, more: next !== undefined };
}

const poll = pollChanges(
  listReviews,
  (review, isOld) => ({ kind: 'review', review, ...(isOld && { edited: true }) }),
  PER_PAGE,
);

export const inbox: Inbox = {
  history,
  poll: { everyMs: POLL_MS, when: 'unpushed', cost: POLL_COST, read: poll },
};
