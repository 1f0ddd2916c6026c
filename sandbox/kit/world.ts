import type { TwinAbout } from '../twin.ts';
import type { Acts } from './acts.ts';
import { orderAct, type OrderedAnswer, type Orders } from './api/orders.ts';
import { openBase } from './base.ts';
import type { Kinds } from './docs.ts';
import type { Blob } from './files.ts';
import type { TwinOptions } from './options.ts';
import type { Person } from './people.ts';
import { openPushes, pushActs, type PUSH_SETTINGS, type Pushes } from './push/pushes.ts';
import { settingsAct, type Defaults, type Settings } from './settings.ts';

export function openWorld<
  D extends { person: Person; blob: Blob } & Kinds<D>,
  S extends Defaults & typeof PUSH_SETTINGS,
  E,
>(options: TwinOptions, about: Pick<TwinAbout, 'slug' | 'prefix'>, own: Parameters<typeof openBase<D, S, E>>[2]) {
  const base = openBase<D, S, E>(options, about, own);
  const settings = base.settings as unknown as Settings<typeof PUSH_SETTINGS>;
  const pushes = openPushes({ ...options, network: about.slug, prefix: about.prefix, settings });
  return Object.freeze({
    ...base,
    pushes,
    reset(...kept: readonly (keyof D & string)[]) {
      base.reset(...kept);
      pushes.reset();
    },
  });
}

export type TwinWorld<
  D extends { person: Person; blob: Blob } & Kinds<D>,
  S extends Defaults & typeof PUSH_SETTINGS,
  E,
> = ReturnType<typeof openWorld<D, S, E>>;

/** Actions of every simulator: order an error, change settings, and send pending updates. */
export function worldActs<E, S extends Defaults>(
  world: Readonly<{ orders: Orders<E>; settings: Settings<S>; defaults: S; pushes?: Pushes }>,
  error?: OrderedAnswer<E>,
): Acts {
  const { orders, settings, defaults, pushes } = world;
  return {
    ...(error !== undefined && { order: orderAct(orders, error.fields, error.read, error.lowest) }),
    settings: settingsAct(settings, defaults),
    ...(pushes !== undefined && pushActs(pushes)),
  };
}
