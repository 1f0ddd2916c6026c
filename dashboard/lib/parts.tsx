import type { ComponentChildren, JSX } from 'preact';
import { POST_STATES, wordOf } from '#kernel/people/post-states.ts';
import { shortDay } from './days.ts';
import { may } from './frame/may.ts';
import type { Target } from './operations.ts';
import { ICONS, ZONE } from './page.ts';
import { markOf } from './platforms.ts';
import { wallTimeOf } from './time.ts';

/** An icon from the sprite. Without a label it is decorative. */
export function Icon({ name, label }: Readonly<{ name: string; label?: string }>): JSX.Element {
  const said = label === undefined ? { 'aria-hidden': true } : { role: 'img' as const, 'aria-label': label };
  return (
    <svg class="icon" {...said}>
      <use href={`${ICONS}#${name}`} />
    </svg>
  );
}

type BadgeProps = Readonly<{ sign: string; word: string }>;

/** A state as an icon and a word, never only as a colour. */
export const Badge = ({ sign, word }: BadgeProps): JSX.Element => (
  <span class={`badge ${sign}`}>
    <Icon name={sign} />
    <span class="word">{word}</span>
  </span>
);

/** The state of a post or of one of its targets. */
export function State({ status }: Readonly<{ status: string }>): JSX.Element {
  const sign = status === 'pending' ? 'scheduled' : status;
  return <Badge sign={POST_STATES.has(sign) ? sign : 'draft'} word={wordOf(status)} />;
}

export function Mark({ platform }: Readonly<{ platform: string }>): JSX.Element {
  const { title, letters } = markOf(platform);
  return (
    <i class={`platform ${platform}`} title={title} aria-hidden="true">
      {letters}
    </i>
  );
}

export function Marks({ targets }: Readonly<{ targets: readonly Target[] }>): JSX.Element {
  const platforms = [...new Set(targets.map(({ platform }) => platform))];
  const names = platforms.map((one) => markOf(one).title).join(', ');
  return (
    <span class="marks" title={names}>
      {platforms.map((platform) => (
        <Mark key={platform} platform={platform} />
      ))}
      <span class="heard">{names || 'no accounts'}</span>
    </span>
  );
}

/** Formats a time in the workspace's timezone, such as Sun 22 Nov 2026, 09:00. */
export function inZone(at: string): string {
  const { day, time } = wallTimeOf(at, ZONE);
  return `${shortDay(day)}, ${time}`;
}

export const Time = ({ at }: Readonly<{ at: string }>): JSX.Element => <time dateTime={at}>{inZone(at)}</time>;

export function Zone(): JSX.Element {
  const name = ZONE.replaceAll('_', ' ');
  return <p class="zone quiet">Times in {may('patch_me') ? <a href="/dashboard/timezone">{name}</a> : name}</p>;
}

type TroubleProps = Readonly<{ text: ComponentChildren; again(): unknown }>;

/** Why something could not be read, with a button to try again. */
export const Trouble = ({ text, again }: TroubleProps): JSX.Element => (
  <div class="refusal" role="alert">
    <p>{text}</p>
    <div class="actions">
      <button type="button" class="small" onClick={() => void again()}>
        Try again
      </button>
    </div>
  </div>
);
