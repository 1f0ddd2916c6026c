/** Every outbound event, in display order. */
export const EVENTS = Object.freeze({
  'comment.received': ['inbox', 'A new comment arrives on a connected account.'],
  'dm.received': ['inbox', 'A new direct message arrives; metadata.referral tells the ad it came from.'],
  'dm.sent': ['inbox', 'The account sent a direct message.'],
  'dm.referral': ['inbox', 'A person opened an ad or referral link without writing.'],
  'dm.postback': ['inbox', 'A person tapped a button or quick reply.'],
  'review.received': ['inbox', 'A new review arrives.'],
  'mention.received': ['inbox', 'The account is mentioned; an array when mentions were listed.'],
  'dm.status.sent': ['inbox', 'The platform accepted a direct message of ours.'],
  'dm.status.delivered': ['inbox', 'A direct message of ours was delivered.'],
  'dm.status.read': ['inbox', 'A direct message of ours was read.'],
  'dm.status.failed': ['inbox', 'A direct message of ours could not be delivered.'],
  'post.scheduled': ['posts', 'A post was created for a future time.'],
  'post.published': ['posts', 'A post was published on all its targets.'],
  'post.partial': ['posts', 'A post was published on some targets and failed on others.'],
  'post.failed': ['posts', 'A post failed on all its targets.'],
  'post.updated': ['posts', 'A draft, scheduled or failed post was edited.'],
  'post.deleted': ['posts', 'A post was deleted.'],
  'post.unpublished': ['posts', 'A published post was taken down from one or more platforms.'],
  'post.retried': ['posts', 'The failed targets of a post are tried again.'],
  'account.connected': ['accounts', 'An account finished connecting.'],
  'account.disconnected': ['accounts', 'The platform ended our access, or the account must be connected again.'],
  'page.removed': ['accounts', 'A page of an account no longer exists on the platform.'],
} as const satisfies Record<string, readonly [category: 'inbox' | 'posts' | 'accounts', description: string]>);

export type EventName = keyof typeof EVENTS;

export function isEvent(value: unknown): value is EventName {
  return typeof value === 'string' && Object.hasOwn(EVENTS, value);
}
