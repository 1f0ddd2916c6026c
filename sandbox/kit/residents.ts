import type { makePeople, Person } from './people.ts';

export const FOLLOWERS = Object.freeze([
  ['fred.sandbox.test', 'Fred Follower'],
  ['mia.sandbox.test', 'Mia Message'],
  ['zoe.sandbox.test', 'Zoë Ünder'],
] as const);

/** Adds owners and followers, each as a handle and a name. Inside a transaction. */
export function moveIn(
  { add }: Pick<ReturnType<typeof makePeople<Person>>, 'add'>,
  owners: readonly (readonly [handle: string, name: string, ...more: unknown[]])[],
): void {
  for (const [handle, name] of FOLLOWERS) add(handle, name, false);
  for (const [handle, name] of owners) add(handle, name, true);
}
