import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Account } from '../lib/operations.ts';
import { fold, wordsIn } from '../lib/words.ts';

/** Numbers of all accounts. */
export type Totals = Readonly<{
  count: number;
  waiting: number;
  platforms: readonly (readonly [slug: string, count: number])[];
}>;

type ShownDeps = Readonly<{
  accounts: ReadonlySignal<readonly Account[]>;
  totals: Totals;
  titleOf(platform: string): string;
  /** Reads the accounts that did not come with the page. */
  readAll(): Promise<void>;
}>;

/** How many accounts are drawn at first, and with each "Show more". */
const PAGE_SIZE = 24;

const needsPerson = ({ status }: Account) => status !== 'active';

/** The accounts that are drawn: those that match the filters, page by page. */
export function makeShown({ accounts, totals, titleOf, readAll }: ShownDeps) {
  const isWhole = signal(accounts.value.length === totals.count);
  /** The filters; empty for all. */
  const brand = signal('');
  const words = signal('');
  /** How many of the matching accounts are drawn. */
  const room = signal(PAGE_SIZE);
  const problem = signal<string | undefined>(undefined);

  /** Accounts that have to be connected again come first. */
  const matching = computed(() => {
    const has = wordsIn(words.value) ?? (() => true);
    return accounts.value
      .filter(({ name, username, platform, brand_id }) => {
        return ['', brand_id].includes(brand.value) && has(fold(`${name} ${username} ${titleOf(platform)}`));
      })
      .toSorted((one, other) => Number(needsPerson(other)) - Number(needsPerson(one)));
  });
  const isFiltered = computed(() => brand.value !== '' || words.value.trim() !== '');
  const count = computed(() => (isWhole.value || isFiltered.value ? matching.value.length : totals.count));

  let reading: Promise<void> | undefined;

  /** Reads all accounts unless that is done or under way. */
  async function read(): Promise<void> {
    problem.value = undefined;
    if (isWhole.value) return;
    reading ??= readAll().finally(() => (reading = undefined));
    try {
      await reading;
    } catch (error) {
      problem.value = (error as Error).message;
    }
  }

  return {
    /** Whether all accounts have been read. */
    isWhole,
    brand: computed(() => brand.value),
    words: computed(() => words.value),
    isFiltered,
    problem: computed(() => problem.value),
    shown: computed(() => matching.value.slice(0, room.value)),
    /** How many accounts match the filters. */
    count,
    hasMore: computed(() => count.value > Math.min(room.value, matching.value.length)),
    /** How many accounts have to be connected again. */
    waiting: computed(() => (isWhole.value ? accounts.value.filter(needsPerson).length : totals.waiting)),
    countOn: (slug: string): number =>
      isWhole.value
        ? accounts.value.filter(({ platform }) => platform === slug).length
        : (new Map(totals.platforms).get(slug) ?? 0),
    again: read,

    /** Filters by brand, or by words in names, handles and platforms. */
    async narrow(to: Readonly<{ brand?: string; words?: string }>): Promise<void> {
      brand.value = to.brand ?? brand.value;
      words.value = to.words ?? words.value;
      room.value = PAGE_SIZE;
      await read();
    },
    async more(): Promise<void> {
      await read();
      if (isWhole.value) room.value += PAGE_SIZE;
    },
  };
}
