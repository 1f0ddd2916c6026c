/** Who lives on every new twin. */
import type { makePeople, Person } from './people.ts';

/** People who follow, comment and write, on every network. */
export const FOLLOWERS = Object.freeze([
  ['fred.sandbox.test', 'Fred Follower'],
  ['mia.sandbox.test', 'Mia Message'],
  ['zoe.sandbox.test', 'Zoë Ünder'],
] as const);

/** Puts everybody there, by handle and name: those who can be connected, and the followers. Inside a transaction. */
export function moveIn(
  { add }: Pick<ReturnType<typeof makePeople<Person>>, 'add'>,
  owners: readonly (readonly [handle: string, name: string, ...more: unknown[]])[],
): void {
  for (const [handle, name] of FOLLOWERS) add(handle, name, false);
  for (const [handle, name] of owners) add(handle, name, true);
}
