// The post that this page writes on.
import { signal } from '@preact/signals';
import { pressKey } from '../lib/call.ts';
import { makeDebounce } from '../lib/debounce.ts';
import type { Account, Brand, Post } from '../lib/operations.ts';
import { firstAnswer, ZONE } from '../lib/page.ts';
import { call } from '../lib/shell.tsx';
import { wallTimeOf } from '../lib/time.ts';
import { say, sayNext } from '../lib/toasts.tsx';
import { draftOf, EMPTY } from './draft.ts';
import { makeMedia } from './media.ts';
import { makeComposer } from './model.ts';
import { destinationsOf, type Rules } from './rules.ts';
import { upload } from '../lib/upload.ts';

/** The delay before a draft is kept and checked while somebody types. */
const SLOW_MS = 600;
const HOUR_MS = 3_600_000;
const LAST_TIME = 'rostra-last-time';

const constraints = firstAnswer<Readonly<{ data: Readonly<Record<string, Rules>> }>>('get_constraints').data;
export const destinations = destinationsOf({
  accounts: firstAnswer<Readonly<{ data: readonly Account[] }>>('list_accounts').data,
  constraints,
  pages: firstAnswer('pages'),
  kinds: firstAnswer('kinds'),
});
export const brands = firstAnswer<Readonly<{ data: readonly Brand[] }>>('list_brands').data;

/** How each platform takes descriptions of pictures. */
const altNames = new Map(
  Object.entries(constraints).flatMap(([platform, { options }]) => {
    const name = (['alts', 'alt_text'] as const).find((one) => options?.properties[one] !== undefined);
    return name === undefined ? [] : [[platform, name] as const];
  }),
);

const query = new URLSearchParams(location.search);
const given = firstAnswer<Post | undefined>('get_post');
const isCopy = firstAnswer<boolean | undefined>('copied') === true;

const [at] = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.exec(query.get('at') ?? '') ?? [];

/** The requested time, else tomorrow at the last chosen time. */
function startTime(): string {
  if (at !== undefined) return at;
  const { day } = wallTimeOf(Date.now() + 24 * HOUR_MS, ZONE);
  return `${day}T${localStorage.getItem(LAST_TIME) ?? '09:00'}`;
}

const wallOf = (instant: string) => wallTimeOf(instant, ZONE);
const known = new Set(destinations.map(({ id }) => id));
const start = isCopy && given !== undefined ? draftOf(given, known, startTime()) : { ...EMPTY, when: startTime() };
const post = isCopy ? undefined : given;
const place = `rostra-draft ${firstAnswer<string>('person')} ${post?.id ?? (isCopy ? `like ${given!.id}` : 'new')}`;

export const one = makeComposer({
  call,
  destinations,
  altNames,
  zone: ZONE,
  post,
  start,
  at,
  wallOf,
  newKey: pressKey,
  later: { keep: makeDebounce(SLOW_MS), check: makeDebounce(SLOW_MS), hear: makeDebounce() },
  shelf: {
    get: () => localStorage.getItem(place),
    set: (text) => localStorage.setItem(place, text),
    remove: () => localStorage.removeItem(place),
  },
  say,
  stored: ({ id }) => history.replaceState(null, '', `/dashboard/compose?post=${id}`),
  leave(id, words) {
    const time = one.draft.value.when.slice(11);
    if (time !== '') localStorage.setItem(LAST_TIME, time);
    sayNext(words, { href: `/dashboard/posts/${id}`, title: 'See the post' });
    location.assign(`/dashboard/posts/${id}`);
  },
});

export const media = makeMedia({
  upload,
  show: (file) => URL.createObjectURL(file),
  forget: (address) => URL.revokeObjectURL(address),
  newKey: pressKey,
  read: () => one.draft.value.media,
  write: (items) => one.write({ media: items }),
});

/** The destination whose own text is edited; undefined for the common text. */
export const writing = signal<string | undefined>(undefined);

addEventListener('pagehide', one.keepNow);
addEventListener('storage', ({ key, newValue }) => {
  if (key === place && newValue !== null) one.heardOfTab();
});
