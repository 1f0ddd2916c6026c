import type { Acts } from '../kit/acts.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import { settingsAct } from '../kit/settings.ts';
import type { Defaults, Settings } from '../kit/settings.ts';
import type { SandboxPerson, SandboxPost } from '../twin.ts';
import { orderErrorAct } from './api/errors.ts';
import type { Person } from './docs.ts';
import { graphPushActs } from './push/pushes.ts';
import type { GraphWorld } from './world.ts';

/** How a platform shows its people, and everything one of them has posted. */
export type Showing = Readonly<{
  known(person: Person): SandboxPerson;
  history(person: Person): readonly SandboxPost[];
}>;

/** The parts that every Graph twin is made of alike. */
export const commonParts = (
  { people, store }: Pick<GraphWorld, 'people' | 'store'>,
  queue: Pushes,
  { known, history }: Showing,
) =>
  Object.freeze({
    pushes: queue,
    people: () => people.owners().map(known),
    find: (person: string) => people.find(person)?.id,
    addPerson: (handle: string, name: string) => known(store.write(() => people.add(handle, name, true))),
    posts(words: string) {
      const person = people.find(words);
      return person === undefined ? [] : history(person);
    },
    revoke(person: string) {
      const found = people.find(person);
      if (found !== undefined) people.endSessions(found.id);
    },
  });

/** What the network itself does on every Graph twin; `hidden` are switches that mean nothing on this one. */
export const networkActs = <S extends Defaults>(
  { settings, orders, pushes }: Pick<GraphWorld, 'settings' | 'orders' | 'pushes'>,
  queue: Pushes,
  defaults: S,
  hidden: readonly (keyof S)[] = [],
): Acts => ({
  settings: settingsAct(settings as unknown as Settings<S>, defaults, ['verified_url', ...hidden]),
  order: orderErrorAct(orders),
  ...graphPushActs(queue, pushes, settings),
});
