// The post that is written on this page.
import { computed, signal } from '@preact/signals';
import { pressKey } from '../lib/call.ts';
import { makeDebounce, makeSettling } from '../lib/debounce.ts';
import { hasLocks, locks } from '../lib/frame/locks.ts';
import type { NamedBrand, Post } from '../lib/operations.ts';
import { firstAnswer, pageToken, ZONE } from '../lib/page.ts';
import { call, session } from '../lib/shell.tsx';
import { loadCounting, UNCOUNTED } from '../lib/text/counting.ts';
import { tomorrow, wallTimeOf } from '../lib/time.ts';
import { say, sayNext } from '../lib/toasts.tsx';
import { copyOf, draftOf, EMPTY, mediaAt } from './draft.ts';
import { makeMedia } from './media.ts';
import { makeComposer } from './model.ts';
import { keptAt, makeShelf } from './parts/shelf.ts';
import { findSlot } from './parts/slot.ts';
import { destinationsOf, takingComment, type Publisher, type Rules } from './rules.ts';
import { makeUpload } from '../lib/upload/send.ts';

/** How long to wait, while somebody types, before a draft is stored and checked. */
const SLOW_MS = 600;
const LAST_TIME = 'rostra-last-time';
const MY_SLOT = 'rostra-slot';
/** How long to wait for a slot that this tab may still hold from before a reload. */
const LEAVING_MS = 2_000;

const constraints = firstAnswer<Readonly<{ data: Readonly<Record<string, Rules>> }>>('get_constraints').data;
export const brands = firstAnswer<Readonly<{ data: readonly NamedBrand[] }>>('list_brands').data;

/** The field in which each platform takes descriptions of pictures. */
const altNames = new Map(
  Object.entries(constraints).flatMap(([platform, { options }]) => {
    const name = (['alts', 'alt_text'] as const).find((one) => options?.properties[one] !== undefined);
    return name === undefined ? [] : [[platform, name] as const];
  }),
);

const query = new URLSearchParams(location.search);
const given = firstAnswer<Post | undefined>('get_post');
const copied = firstAnswer<boolean | undefined>('copied') === true ? given : undefined;
const post = copied === undefined ? given : undefined;

const [at] = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.exec(query.get('at') ?? '') ?? [];

/** The requested time, or else tomorrow at the time chosen last. */
function startTime(): string {
  if (at !== undefined) return at;
  return `${tomorrow(Date.now(), ZONE)}T${localStorage.getItem(LAST_TIME) ?? '09:00'}`;
}

const prefix = `rostra-draft ${firstAnswer<string>('person')} `;

/** Resolves to true once this tab holds the lock, until the page closes; to false if it cannot get the lock. */
function hold(slot: string, isMine: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const how = isMine ? { signal: AbortSignal.timeout(LEAVING_MS) } : { ifAvailable: true };
    const held = locks.request(prefix + slot, how, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => {});
    });
    held.catch(() => resolve(false));
  });
}

/** A stored post has one slot that all tabs share; an unstored draft has one per tab. */
async function slotOf(kind: string): Promise<string> {
  const kept = Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  const mine = sessionStorage.getItem(`${MY_SLOT} ${kind}`);
  const writtenAt = (slot: string) => keptAt(localStorage, prefix + slot)?.at ?? 0;
  const slot = await findSlot(kind, { kept, mine, hold, canHold: hasLocks, writtenAt, now: Date.now, newId: pressKey });
  sessionStorage.setItem(`${MY_SLOT} ${kind}`, slot);
  return slot;
}

const kind = copied === undefined ? 'new' : `like ${copied.id}`;
const shelf = makeShelf(localStorage, prefix, post?.id ?? (await slotOf(kind)));
const empty = { ...EMPTY, when: startTime() };

const destinations = destinationsOf({
  accounts: firstAnswer<Readonly<{ data: readonly Publisher[] }>>('list_accounts').data,
  constraints,
  pages: firstAnswer('pages'),
  kinds: firstAnswer('kinds'),
});

export const composer = makeComposer({
  call,
  destinations,
  constraints,
  altNames,
  zone: ZONE,
  post,
  copied,
  start: copied === undefined ? empty : copyOf(draftOf(copied, empty.when, takingComment(destinations))),
  at,
  wallOf: (instant) => wallTimeOf(instant, ZONE),
  newKey: pressKey,
  now: Date.now,
  later: { keep: makeSettling(SLOW_MS), check: makeDebounce(SLOW_MS), hear: makeSettling() },
  shelf,
  say,
  loadCounting,
  unsent: () => media.sending.value.map(({ file: { name }, problem }) => ({ name, problem })),
  stored({ id }) {
    sessionStorage.removeItem(`${MY_SLOT} ${kind}`);
    history.replaceState(null, '', `/dashboard/compose?post=${id}`);
  },
  leave(id, words) {
    const time = composer.draft.value.when.slice(11);
    if (time !== '') localStorage.setItem(LAST_TIME, time);
    sayNext(words, { href: `/dashboard/posts/${id}`, title: 'See the post' });
    location.assign(`/dashboard/posts/${id}`);
  },
});

export const media = makeMedia({
  upload: makeUpload({
    token: pageToken,
    check: session.check,
    zone: ZONE,
    call,
    newRequest: () => new XMLHttpRequest(),
  }),
  find: (media_id) => call('verify_media_upload', { media_id }),
  newKey: pressKey,
  place: () => target.value?.id,
  read: (id) => mediaAt(composer.draft.value, id),
  write: (id, items) => (id === undefined ? composer.write({ media: items }) : composer.setOwn(id, { media: items })),
});

/** The destination whose text and files are being edited; undefined while they are for all. */
export const writing = signal<string | undefined>(undefined);
export const target = computed(() => composer.targets.value.find(({ id }) => id === writing.value));

addEventListener('pagehide', () => {
  composer.keepNow();
  if (!hasLocks) shelf.leave();
});
addEventListener('storage', ({ key, newValue }) => {
  if (!shelf.isAt(key)) return;
  if (newValue === null) composer.keepAgain();
  else composer.heardOfTab();
});
void loadCounting().catch(() => say(UNCOUNTED, { isBad: true }));
