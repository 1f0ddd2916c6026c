import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { ZONE } from '../lib/page.ts';
import { shortDay } from '../lib/days.ts';
import { wallTimeOf } from '../lib/time.ts';

/** Whether the page may load a picture or file from this URL. */
export const isLoadable = (url: string): boolean => url.startsWith('https://') || url.startsWith(`${location.origin}/`);

/** A URL that is safe to link to; undefined for any other value. */
export const webAddress = (url: unknown): string | undefined =>
  typeof url === 'string' && /^https?:\/\//i.test(url) ? url : undefined;

type FaceProps = Readonly<{ name: string; picture: string | null }>;

/** A person's picture, or the first letter of the name. */
export function Face({ name, picture }: FaceProps): JSX.Element {
  const isBroken = useMemo(() => signal(false), [picture]);
  if (picture !== null && isLoadable(picture) && !isBroken.value)
    return (
      <img
        class="face"
        src={picture}
        alt=""
        loading="lazy"
        referrerpolicy="no-referrer"
        onError={() => void (isBroken.value = true)}
      />
    );
  return (
    <span class="face" aria-hidden="true">
      {/[\p{L}\p{N}]/u.exec(name)?.[0]}
    </span>
  );
}

/** When something was written: the time if it was today, otherwise the day. */
export function Moment({ at }: Readonly<{ at: string }>): JSX.Element | null {
  if (at === '') return null;
  const { day, time } = wallTimeOf(at, ZONE);
  const today = wallTimeOf(Date.now(), ZONE).day;
  return (
    <time dateTime={at} title={`${shortDay(day)}, ${time}`}>
      {day === today
        ? time
        : shortDay(day)
            .replace(/^\w+ /, '')
            .replace(` ${today.slice(0, 4)}`, '')}
    </time>
  );
}

export function Stars({ rating }: Readonly<{ rating: number }>): JSX.Element {
  return (
    <span class="stars" role="img" aria-label={`${rating} of 5 stars`}>
      {'★'.repeat(rating)}
      {'☆'.repeat(Math.max(0, 5 - rating))}
    </span>
  );
}
