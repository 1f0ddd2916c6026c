import type { TwinAbout } from '../twin.ts';
import { openOrders, type Orders } from './api/orders.ts';
import { openDocs, type Doc, type Docs, type DocStore } from './docs.ts';
import { makeFetching, type Fetching } from './fetching.ts';
import { openFiles, type Blob, type Files } from './files.ts';
import type { TwinOptions } from './options.ts';
import { makePeople, type Person } from './people.ts';
import { openPushes, type Pushes, type PUSH_SETTINGS } from './push/pushes.ts';
import { openSettings, type Defaults, type Settings } from './settings.ts';

/** What the parts of a twin share that belongs to no family of twins: `E` are the errors that a test may order. */
export type TwinWorld<D extends Record<string, Doc>, S extends Defaults, E> = Readonly<{
  options: TwinOptions;
  docs: Docs<D>;
  people: ReturnType<typeof makePeople<Person>>;
  settings: Settings<S>;
  files: Files;
  fetching: Fetching;
  orders: Orders<E>;
  pushes: Pushes;
  /** Back to the first day; these kinds of documents go. Inside a transaction. */
  reset(kinds: readonly (keyof D & string)[]): void;
}>;

/** Opens the tables of a twin. */
export function openWorld<
  D extends Record<string, Doc> & { person: Person; blob: Blob },
  S extends Defaults & typeof PUSH_SETTINGS,
  E,
>(
  options: TwinOptions,
  { slug, title, prefix }: Pick<TwinAbout, 'slug' | 'title' | 'prefix'>,
  own: Readonly<{ settings: S; userAgent: string; newId(): string; start?: string }>,
): TwinWorld<D, S, E> {
  const { store, clock } = options;
  const docs = openDocs<D>(store, prefix);
  const nodes = docs as unknown as DocStore<{ person: Person; blob: Blob }>;
  const files = openFiles(store, prefix, { nodes, clock, newId: own.newId });
  const settings = openSettings(store, prefix, own.settings);
  const orders = openOrders<E>(store, prefix);
  const switches = settings as unknown as Settings<typeof PUSH_SETTINGS>;
  const pushes = openPushes({ ...options, network: slug, prefix, settings: switches });
  return Object.freeze({
    options,
    docs,
    people: makePeople<Person>(nodes, slug, clock, own.start),
    settings,
    files,
    fetching: makeFetching(options, files, { network: title, userAgent: own.userAgent }),
    orders,
    pushes,
    reset(kinds: readonly (keyof D & string)[]) {
      docs.clear(kinds);
      files.reset();
      settings.reset();
      orders.reset();
      pushes.reset();
    },
  });
}
