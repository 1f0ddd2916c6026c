import { DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { periodOf } from '#kernel/plans.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const createdAt = at('2026-01-01T08:00:00');

/** A period as people write it. */
function written(workspace: Parameters<typeof periodOf>[0], now: string) {
  const { start, end } = periodOf(workspace, at(now));
  return [start, end].map((time) => new Date(time).toISOString().slice(0, 16));
}

describe('the period of a workspace', () => {
  it('has 30 days from the creation of a workspace without a subscription', () => {
    expect(written({ createdAt }, '2026-01-01T08:00:00')).toEqual(['2026-01-01T08:00', '2026-01-31T08:00']);
    expect(written({ createdAt }, '2026-03-02T07:59:59')).toEqual(['2026-01-31T08:00', '2026-03-02T08:00']);
    expect(periodOf({ createdAt }, createdAt + 30 * DAY).start).toBe(createdAt + 30 * DAY);
    expect(written({ createdAt }, '2025-12-31T00:00:00')).toEqual(['2026-01-01T08:00', '2026-01-31T08:00']);
  });

  it('is the month of the subscription, which a short month ends on its last day', () => {
    const paid = { createdAt, cycleAnchor: at('2026-01-31T12:00:00') };
    expect(written(paid, '2026-02-01T00:00:00')).toEqual(['2026-01-31T12:00', '2026-02-28T12:00']);
    expect(written(paid, '2026-02-28T12:00:00')).toEqual(['2026-02-28T12:00', '2026-03-31T12:00']);
    expect(written(paid, '2027-12-31T11:59:59')).toEqual(['2027-11-30T12:00', '2027-12-31T12:00']);
    expect(written(paid, '2028-02-29T12:00:00')).toEqual(['2028-02-29T12:00', '2028-03-31T12:00']);
    // A cycle that begins later, after a trial, has months before it too.
    expect(written(paid, '2025-11-30T12:00:00')).toEqual(['2025-11-30T12:00', '2025-12-31T12:00']);
  });

  it('begins anew when the plan changes, and ends when it would have ended', () => {
    const upgraded = { createdAt, cycleAnchor: at('2026-01-10T00:00:00'), planSince: at('2026-02-20T10:00:00') };
    expect(written(upgraded, '2026-02-20T10:00:00')).toEqual(['2026-02-20T10:00', '2026-03-10T00:00']);
    expect(written(upgraded, '2026-03-10T00:00:00')).toEqual(['2026-03-10T00:00', '2026-04-10T00:00']);
    const ended = { createdAt, planSince: at('2026-02-20T10:00:00') };
    expect(written(ended, '2026-02-21T00:00:00')).toEqual(['2026-02-20T10:00', '2026-03-02T08:00']);
    // The clock of another process may be behind the one that wrote the change.
    expect(written(ended, '2026-02-20T09:59:59')).toEqual(['2026-01-31T08:00', '2026-03-02T08:00']);
  });
});
