import { digits } from '../../../src/sandbox/kit/ids.ts';
import { stallsOf, type Kind, type Thing } from './docs.ts';
import type { PlazaCaller } from './login.ts';
import { known, Refusal } from './refusals.ts';
import type { Plaza, SETTINGS } from './world.ts';

/** One call of the API; `ids` stand for the stars of the path. */
export type Call = Readonly<{
  caller: PlazaCaller;
  ids: readonly string[];
  query: URLSearchParams;
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is checked by the method that reads it
  body: any;
  bytes: Buffer;
}>;

export type Methods = Readonly<Record<string, (call: Call) => unknown>>;

const PAGE = 25;

/** What all methods do with things. */
export function makeThings({ docs, settings, options }: Plaza) {
  const make = (kind: Kind, fields: object): Thing =>
    docs.put(kind, { ...fields, id: `9${digits(16)}`, at: options.clock.now() });
  /** Whether an id is on one of the lists of the settings. */
  const isOn = (name: keyof typeof SETTINGS, id: unknown) => String(settings.get(name)).split(',').includes(String(id));
  return Object.freeze({
    make,
    isOn,
    alive(kind: Kind, id: unknown): Thing {
      const found = docs.get(kind, String(id));
      return known(found?.['gone'] === true ? undefined : found);
    },
    /** A stall of the caller; one that is closed refuses. */
    stall({ caller }: Call, id: unknown): string {
      const found = known(stallsOf(caller.profile).find((one) => one.id === String(id)));
      if (isOn('closed_stalls', found.id)) throw new Refusal('forbidden', 'The stall is closed.');
      return found.id;
    },
    /** Makes something that its mark finds again. */
    marked(mark: unknown, kind: Kind, fields: object): Thing {
      const made = make(kind, fields);
      if (typeof mark === 'string') docs.put('mark', { id: mark, at: made.at, made: made.id });
      return made;
    },
    /** A page of a list, newest first. */
    page(all: readonly Thing[], { query }: Call, show: (thing: Thing) => unknown) {
      const from = Number(query.get('from') ?? 0);
      const items = all.toReversed().slice(from, from + PAGE);
      return { items: items.map(show), ...(from + PAGE < all.length && { next: String(from + PAGE) }) };
    },
  });
}
