// The calendar that this page shows.
import { signal } from '@preact/signals';
import { makeSettling } from '../lib/debounce.ts';
import { may } from '../lib/frame/may.ts';
import { ZONE } from '../lib/page.ts';
import { call } from '../lib/shell.tsx';
import { wallTimeOf } from '../lib/time.ts';
import { say } from '../lib/toasts.tsx';
import { makeCalendar, type View } from './model.ts';

const VIEWS: ReadonlySet<string> = new Set(['month', 'week', 'list']);
const query = new URLSearchParams(location.search);
const asked = query.get('view') ?? '';
const [on] = /^\d{4}-\d\d-\d\d$/.exec(query.get('on') ?? '') ?? [];

export const calendar = makeCalendar({
  call,
  zone: ZONE,
  mayMove: may('update_post'),
  view: VIEWS.has(asked) ? (asked as View) : 'month',
  on: on ?? wallTimeOf(Date.now(), ZONE).day,
  now: Date.now,
  later: makeSettling(),
  say,
});

const narrow = matchMedia('(max-width: 48rem)');
/** Phones have no room for seven columns. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => void (isNarrow.value = matches));

/** Puts the view and the day into the URL of the page. */
export function address(): void {
  const fields = new URLSearchParams({ view: calendar.view.value, on: calendar.cursor.value.day });
  history.replaceState(null, '', `/dashboard/calendar?${fields}`);
}
