import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Json } from '../../harness/world.ts';
import type { Door, Seen } from './subject.ts';

type Control = Pick<Door, 'control'>;

/** Who follows the accounts of most twins. */
export const FRED = 'fred.sandbox.test';

/** Plays the people of a simulator, and lists what it holds. */
export const twinOf = (slug: PlatformSlug) => ({
  act: ({ control }: Control, name: string, input: object) => control(`${slug}/${name}`, input),
  list: async ({ control }: Control, name: string, is: (row: Json) => boolean = () => true) =>
    ((await control(`${slug}/${name}`)) as readonly Json[]).filter(is),
});

/** How much of what was made is there now, and how much ever was. */
export const countsOf = (made: readonly Json[]): Seen => ({
  now: made.filter(({ deleted_at }) => deleted_at === undefined).length,
  ever: made.length,
});
