import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { addDays } from '../lib/days.ts';
import { longDay, monthName, weekday, weekOf, weeksOf } from './days.ts';
import { Add, addressOn, canWrite } from './add.tsx';
import { calendar } from './calendar.ts';
import { Chip } from './chip.tsx';
import { stepFrom } from './model.ts';

const MOST_SHOWN = 3;
const opened = signal<string | undefined>(undefined);

/** The grid of a month or week. Tab stops once; arrow keys move between days, and Enter goes into a day. */
export function Grid(): JSX.Element {
  const { day, post } = calendar.cursor.value;
  const isWeek = calendar.view.value === 'week';
  const weeks = isWeek ? [weekOf(day)] : weeksOf(calendar.month.value);
  const grid = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  // A moved post is rendered again on its new day, so the focus follows it. Opening the page does not take the focus.
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (active !== document.body) hadFocus.current = grid.current!.contains(active);
    if (!hadFocus.current || calendar.carried.value?.by === 'pointer') return;
    const chip = post === undefined ? null : grid.current!.querySelector<HTMLElement>(`[id="${post}"]`);
    (chip ?? grid.current!.querySelector<HTMLElement>(`[data-day="${day}"] .date`))?.focus();
  }, [day, post, calendar.days.value]);
  const title = isWeek ? `Week of ${longDay(weeks[0]![0]!)}` : monthName(calendar.month.value);
  return (
    <div
      class={`grid${isWeek ? ' is-week' : ''}`}
      role="grid"
      tabIndex={-1}
      aria-label={title}
      aria-busy={calendar.isLoading.value}
      ref={grid}
      onFocusIn={() => void (hadFocus.current = true)}
      onKeyDown={onKey}
    >
      <div role="row" class="weekdays">
        {weeks[0]!.map((each) => (
          <div key={each} role="columnheader" aria-label={weekday(each)}>
            {weekday(each).slice(0, 3)}
          </div>
        ))}
      </div>
      {weeks.map((week) => (
        <div key={week[0]} role="row" class="week">
          {week.map((each) => (
            <Day key={each} day={each} isWeek={isWeek} />
          ))}
        </div>
      ))}
    </div>
  );
}

function classesOf(day: string): string {
  const held = calendar.carried.value;
  const today = calendar.today();
  const isOver = held?.over === day && held.from !== day;
  const flags = {
    today: day === today,
    other: calendar.view.value === 'month' && !day.startsWith(calendar.month.value),
    over: isOver,
    refused: isOver && day < today,
  };
  return Object.entries(flags)
    .flatMap(([name, is]) => (is ? [name] : []))
    .join(' ');
}

function Day({ day, isWeek }: Readonly<{ day: string; isWeek: boolean }>): JSX.Element {
  const entries = calendar.entriesOf(day);
  const { day: at, post } = calendar.cursor.value;
  const today = calendar.today();
  const held = calendar.carried.value;
  const isAll =
    isWeek ||
    opened.value === day ||
    entries.length <= MOST_SHOWN + 1 ||
    (at === day && entries.findIndex((entry) => entry.post.id === post) >= MOST_SHOWN);
  const shown = isAll ? entries : entries.slice(0, MOST_SHOWN);
  const many = entries.length === 1 ? '1 post' : `${entries.length || 'no'} posts`;
  const begins = day.endsWith('-01') ? ` ${monthName(day.slice(0, 7)).slice(0, 3)}` : '';
  return (
    <div role="gridcell" class={`day ${classesOf(day)}`} data-day={day}>
      <button
        type="button"
        class="date"
        tabIndex={at === day && post === undefined ? 0 : -1}
        aria-current={day === today ? 'date' : undefined}
        onFocus={() => calendar.stand(day)}
        onClick={() => calendar.goTo(day)}
      >
        <span aria-hidden="true">
          {Number(day.slice(8))}
          {begins}
        </span>
        <span class="heard">
          {longDay(day)}, {many}
        </span>
      </button>
      {day >= today && <Add day={day} isStop={false} />}
      {shown.map(({ post: one, wall }) => (
        <Chip key={one.id} post={one} time={wall.time} day={day} isStop={at === day && post === one.id} />
      ))}
      {held?.by === 'keys' && held.over === day && held.from !== day && (
        <span class="chip carried" aria-hidden="true">
          Drop it here
        </span>
      )}
      {entries.length > shown.length && (
        <button type="button" class="link" tabIndex={-1} onClick={() => void (opened.value = day)}>
          +{entries.length - shown.length} more
          <span class="heard"> on {longDay(day)}</span>
        </button>
      )}
    </div>
  );
}

function onKey(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const isDone = calendar.carried.value?.by === 'keys' ? carryBy(key) : walkBy(key);
  if (!isDone) return;
  event.preventDefault();
  // The page has other shortcuts on the same keys.
  event.stopPropagation();
}

function carryBy(key: string): boolean {
  const { over } = calendar.carried.value!;
  if (key === 'Enter' || key === ' ') calendar.putDown(over);
  else if (key === 'Escape') calendar.putBack();
  else if (key === 'Tab') {
    // Whoever leaves the grid no longer carries.
    calendar.putBack();
    return false;
  } else {
    const next = stepFrom(over, key);
    if (next === undefined) return false;
    calendar.carryOver(next);
  }
  return true;
}

function walkBy(key: string): boolean {
  const { day, post } = calendar.cursor.value;
  if (post !== undefined) return walkIn(key, day, post);
  if (key === 'Enter') {
    const [first] = calendar.entriesOf(day);
    if (first !== undefined) calendar.goTo(day, first.post.id);
    else if (canWrite) location.assign(addressOn(day));
    return true;
  }
  const next = stepFrom(day, key);
  if (next !== undefined) calendar.goTo(next);
  return next !== undefined;
}

/** Keys inside a day: up and down move between posts, M picks one up, Escape leaves the day. */
function walkIn(key: string, day: string, post: string): boolean {
  const ids = calendar.entriesOf(day).map((entry) => entry.post.id);
  const at = ids.indexOf(post);
  if (key === 'ArrowDown') calendar.goTo(day, ids[at + 1] ?? post);
  else if (key === 'ArrowUp') calendar.goTo(day, ids[at - 1]);
  else if (key === 'ArrowLeft' || key === 'ArrowRight') calendar.goTo(addDays(day, key === 'ArrowLeft' ? -1 : 1));
  else if (key === 'm') calendar.pickUp(post, day, 'keys');
  else if (key === 'Escape') calendar.goTo(day);
  else return false;
  return true;
}
