import type { TwinAbout } from '../twin.ts';
import { openOrders } from './api/orders.ts';
import { openBase } from './base.ts';
import type { Kinds } from './docs.ts';
import type { Blob } from './files.ts';
import type { TwinOptions } from './options.ts';
import type { Person } from './people.ts';
import { openPushes, type PUSH_SETTINGS } from './push/pushes.ts';
import type { Defaults, Settings } from './settings.ts';

/** Opens all that a twin stands on that pushes and may be told to refuse; `E` are the errors that a test may order. */
export function openWorld<
  D extends { person: Person; blob: Blob } & Kinds<D>,
  S extends Defaults & typeof PUSH_SETTINGS,
  E,
>(
  options: TwinOptions,
  about: Pick<TwinAbout, 'slug' | 'prefix'>,
  { start = '', ...own }: Readonly<{ settings: S; userAgent: string; newId(): string; start?: string }>,
) {
  const { slug, prefix } = about;
  const base = openBase<D, S>(options, about, { ...own, start });
  const { docs, files, settings } = base;
  const orders = openOrders<E>(options.store, prefix);
  const switches = settings as unknown as Settings<typeof PUSH_SETTINGS>;
  const pushes = openPushes({ ...options, network: slug, prefix, settings: switches });
  return Object.freeze({
    ...base,
    orders,
    pushes,
    /** Back to the first day; these kinds of documents go. Inside a transaction. */
    reset(kinds: readonly (keyof D & string)[]) {
      docs.clear(kinds);
      files.reset();
      settings.reset();
      orders.reset();
      pushes.reset();
    },
  });
}

/** What the parts of such a twin share. */
export type TwinWorld<
  D extends { person: Person; blob: Blob } & Kinds<D>,
  S extends Defaults & typeof PUSH_SETTINGS,
  E,
> = ReturnType<typeof openWorld<D, S, E>>;
