import type { ExportPostRow } from '#db/exports/exports.ts';
import { viewsOf } from '../present-export.ts';
import { DAY } from '#kernel/clock.ts';

const TOP = 20;
/** The most buckets in a chart; the earliest ones are left out. */
const MOST_BUCKETS = 120;

type Sums = {
  posts: number;
  views: number;
  likes: number;
  comments: number;
  shares: number;
  saves: number;
  interactions: number;
};

type Bucket = Readonly<{ label: string; sums: Sums }>;

export type Tally = Readonly<{
  all: Sums;
  /** Whether any post has views. */
  hasViews: boolean;
  days: readonly [first: number, last: number] | undefined;
  every: 'day' | 'week' | 'month';
  buckets: readonly Bucket[];
  /** By day of the week, Monday first. */
  weekdays: readonly Sums[];
  top: readonly ExportPostRow[];
  /** Pictures per category, the most frequent first. */
  categories: readonly (readonly [name: string, posts: number])[];
}>;

const none = (): Sums => ({ posts: 0, views: 0, likes: 0, comments: 0, shares: 0, saves: 0, interactions: 0 });

export function interactionsOf({ metrics }: Pick<ExportPostRow, 'metrics'>): number {
  return metrics ? metrics.likes + metrics.comments + metrics.shares + metrics.saves : 0;
}

function sumsOf(post: ExportPostRow): Sums {
  const { likes = 0, comments = 0, shares = 0, saves = 0 } = post.metrics ?? {};
  return { posts: 1, views: viewsOf(post) ?? 0, likes, comments, shares, saves, interactions: interactionsOf(post) };
}

function add(sums: Sums, more: Sums): void {
  for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += more[name];
}

function addAt<K>(all: Map<K, Sums>, key: K, more: Sums): void {
  const sums = all.get(key) ?? none();
  all.set(key, sums);
  add(sums, more);
}

/** The day of the week, counted from Monday; day 0 of the epoch was a Thursday. */
const weekdayOf = (day: number): number => (day / DAY + 3) % 7;

/** The start of a day's bucket: the day itself, its Monday, or the first of its month. */
function startOf(day: number, every: Tally['every']): number {
  if (every === 'day') return day;
  if (every === 'week') return day - weekdayOf(day) * DAY;
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function nextOf(start: number, every: Tally['every']): number {
  if (every === 'month') return startOf(start + 31 * DAY, every);
  return start + (every === 'week' ? 7 : 1) * DAY;
}

const best = (posts: readonly ExportPostRow[]) =>
  posts.toSorted((a, b) => interactionsOf(b) - interactionsOf(a) || b.published_at - a.published_at).slice(0, TOP);

/** Sums up posts by UTC day, and keeps only the best ones in memory. */
export async function tallyOf(posts: AsyncIterable<ExportPostRow>): Promise<Tally> {
  const all = none();
  const byDay = new Map<number, Sums>();
  const weekdays = Array.from({ length: 7 }, none);
  const categories = new Map<string, number>();
  let top: ExportPostRow[] = [];
  let hasViews = false;
  for await (const post of posts) {
    const day = Math.floor(post.published_at / DAY) * DAY;
    const sums = sumsOf(post);
    add(all, sums);
    addAt(byDay, day, sums);
    add(weekdays[weekdayOf(day)]!, sums);
    hasViews ||= viewsOf(post) !== null;
    const category = post.insight?.vision_category;
    if (category) categories.set(category, (categories.get(category) ?? 0) + 1);
    top.push(post);
    if (top.length >= 10 * TOP) top = best(top);
  }
  const days = spanOf(byDay);
  const length = days === undefined ? 0 : (days[1] - days[0]) / DAY;
  const shorter = length > 60 ? 'week' : 'day';
  const every = length > 370 ? 'month' : shorter;
  return {
    all,
    hasViews,
    days,
    every,
    buckets: days === undefined ? [] : bucketsOf(byDay, days, every),
    weekdays,
    top: best(top),
    categories: [...categories].toSorted(([, a], [, b]) => b - a).slice(0, TOP),
  };
}

function spanOf(byDay: ReadonlyMap<number, unknown>): Tally['days'] {
  if (byDay.size === 0) return undefined;
  const keys = [...byDay.keys()].toSorted((a, b) => a - b);
  return [keys[0]!, keys.at(-1)!];
}

function bucketsOf(
  byDay: ReadonlyMap<number, Sums>,
  [first, last]: readonly [number, number],
  every: Tally['every'],
): readonly Bucket[] {
  const found = new Map<number, Sums>();
  for (const [day, sums] of byDay) addAt(found, startOf(day, every), sums);
  const buckets: Bucket[] = [];
  for (let at = startOf(first, every); at <= last; at = nextOf(at, every)) {
    const label = new Date(at).toISOString().slice(0, every === 'month' ? 7 : 10);
    buckets.push({ label, sums: found.get(at) ?? none() });
  }
  return buckets.slice(-MOST_BUCKETS);
}
