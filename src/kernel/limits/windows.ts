import { MINUTE } from '../clock.ts';
import { calendarSpan, type Span } from '../text/local-time.ts';

/** A counting window; days and months begin at midnight in `zone`, UTC by default. */
export type Window = Readonly<{ every: 'minute' | 'day' | 'month'; zone?: string | undefined }>;

/** The window that contains a time: its start, and the start of the next one. */
export function windowAt({ every, zone = 'UTC' }: Window, now: number): Span {
  if (every !== 'minute') return calendarSpan(every, zone, now);
  const start = now - (now % MINUTE);
  return { start, end: start + MINUTE };
}
