import type { Acts } from '../kit/acts.ts';
import { personView, postView, type Version } from '../kit/people.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import { settingsAct, type Defaults, type Settings } from '../kit/settings.ts';
import type { Html } from '../html.ts';
import type { Resident, SandboxPerson, SandboxPost } from '../twin.ts';
import { orderErrorAct } from './api/errors.ts';
import type { Person } from './docs.ts';
import { graphPushActs } from './push/pushes.ts';
import type { GraphWorld } from './world.ts';

export type Showing = Readonly<{
  known(person: Person): SandboxPerson;
  history(person: Person): readonly SandboxPost[];
  /** Everybody who can be connected or played in the console. */
  cast(): readonly Resident[];
}>;

export const makeShowing = <P extends Readonly<{ id: string; versions: readonly Version[] }>>(
  { slug, people, hosts }: Pick<GraphWorld, 'slug' | 'people' | 'hosts'>,
  terms: Readonly<{
    of(person: Person): readonly P[];
    isPublic(post: P): boolean;
    counts?(post: P): boolean;
    textOf(post: P): string | undefined;
    permalinkOf(post: P): string;
    /** What the person is for; `pathOf` returns the path of their page. */
    partOf(person: Person): Html;
    pathOf(person: Person): string | undefined;
  }>,
): Showing => ({
  // Without credentials, because nobody has a password here: the consent page lists everybody.
  known: (person) =>
    personView(slug, person, {
      posts: terms.of(person).filter((post) => terms.isPublic(post) && terms.counts?.(post) !== false).length,
    }),
  history: (person) =>
    terms.of(person).map((post) =>
      postView(slug, person, {
        id: post.id,
        text: terms.textOf(post) ?? '',
        exists: terms.isPublic(post),
        path: new URL(terms.permalinkOf(post)).pathname,
        versions: post.versions,
      }),
    ),
  cast: () =>
    people.all().map((person) => {
      const { handle, name } = person;
      const below = terms.pathOf(person);
      const path = below === undefined ? undefined : `${new URL(hosts.www()).pathname}${below}`;
      return { handle, name, path, part: terms.partOf(person) };
    }),
});

export const commonParts = (
  { people, store }: Pick<GraphWorld, 'people' | 'store'>,
  queue: Pushes,
  { known, history }: Pick<Showing, 'known' | 'history'>,
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

/** The network's own actions on every Graph simulator; `hidden` settings are left out. */
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
