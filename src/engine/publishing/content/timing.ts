import { isoTime } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { TargetInput } from './addressing.ts';

/** How far in the past a publishing time may be before it is refused. */
const PAST_GRACE_MS = 60_000;

/** What a caller wants for a new post. */
export type Intent = 'draft' | 'schedule' | 'now';

export function intentOf(
  times: Readonly<{
    publishNow: boolean;
    scheduledAt: number | undefined;
    targets: readonly Pick<TargetInput, 'scheduled_at'>[];
  }>,
  now: number,
): Intent {
  const own = times.targets.map(({ scheduled_at }) => scheduled_at);
  const given = [times.scheduledAt, ...own].filter((at) => at !== undefined);
  const nothingNow = times.scheduledAt !== undefined || (own.length > 0 && !own.includes(undefined));
  if (times.publishNow && nothingNow) {
    fail('validation.field_invalid', {
      message: 'publish_now and scheduled_at cannot be combined.',
      next: 'Leave one of them out.',
      meta: { field: 'scheduled_at' },
    });
  }
  for (const at of given) refusePast(at, now);
  if (times.publishNow) return 'now';
  return given.length > 0 ? 'schedule' : 'draft';
}

export function refusePast(at: number, now: number): void {
  if (at >= now - PAST_GRACE_MS) return;
  fail('validation.field_invalid', {
    message: `The time ${isoTime(at)} (scheduled_at) is in the past.`,
    next: 'Use a later time. To publish now, call publish_post or set publish_now.',
    meta: { field: 'scheduled_at' },
  });
}
