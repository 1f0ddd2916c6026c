import { expect, it } from 'vitest';
import { nearestNames } from '#kernel/text/nearest.ts';

const POST = ['text', 'media', 'media_ids', 'targets', 'account_ids', 'scheduled_at', 'publish_now', 'first_comment'];
const TARGET = ['account_id', 'page_id', 'text', 'scheduled_at'];

it.each([
  ['schedule_at', POST, ['scheduled_at']],
  ['scheduledAt', POST, ['scheduled_at']],
  ['schedule_time', POST, ['scheduled_at']],
  ['scheduled_for', POST, ['scheduled_at']],
  ['Account-IDs', POST, ['account_ids']],
  ['account_id', POST, ['account_ids']],
  ['accounts', POST, ['account_ids']],
  ['medai_ids', POST, ['media_ids']],
  ['target', POST, ['targets']],
  ['tetx', POST, ['text']],
  ['account', TARGET, ['account_id']],
  ['page', TARGET, ['page_id']],
  ['form', ['from', 'to'], ['from']],
  ['ul', ['url', 'events'], ['url']],
  ['ab', ['aab', 'abb', 'zzz'], ['aab', 'abb']],
])('%s is near to %j: %j', (wrong, names, near) => expect(nearestNames(wrong, names)).toEqual(near));

it.each([
  // Not publish_now: who means a time would publish at once.
  ['publish_at', POST],
  ['content', POST],
  ['message', ['message_tag', 'text']],
  ['account_id', ['post_id', 'platform']],
  ['id', ['post_id', 'platform']],
  ['post_time', ['post_id', 'scheduled_at']],
  ['t', ['to', 'q']],
  ['', POST],
  ['__proto__', POST],
  ['x'.repeat(100_000), POST],
])('%s is near to nothing', (wrong, names) => expect(nearestNames(wrong, names)).toEqual([]));
