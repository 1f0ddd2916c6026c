import type { JSX } from 'preact';
import { may } from '../lib/frame/may.ts';
import { Icon } from '../lib/parts.tsx';
import { longDay } from './days.ts';

export const canWrite = may('create_post');

/** Where a post for a day is written. */
export const addressOn = (day: string): string => `/dashboard/compose?at=${day}T09:00`;

/** The link to write a post for a day; `isStop` tells whether Tab stops at it. */
export const Add = ({ day, isStop = true }: Readonly<{ day: string; isStop?: boolean }>): JSX.Element | null =>
  canWrite ? (
    <a class="add" tabIndex={isStop ? undefined : -1} href={addressOn(day)} aria-label={`New post on ${longDay(day)}`}>
      <Icon name="plus" />
    </a>
  ) : null;
