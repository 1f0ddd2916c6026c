import type { SandboxPerson } from '#sandbox/twin.ts';
import type { World } from '../world.ts';

/** A person of the simulator network; 0 is alice, 1 is bob, 2 is carol. */
export function personOf(world: World, index = 0): SandboxPerson {
  return world.product.sandbox!.people()[index]!;
}

/** What a person types to connect: the metadata of a connection at once. */
export function credentialsOf(world: World, index = 0): Readonly<{ identifier: string; app_password: string }> {
  const { handle, credentials } = personOf(world, index);
  return { identifier: handle, app_password: credentials['app_password']! };
}

type Fault = Parameters<NonNullable<World['product']['sandbox']>['setFault']>[0];

/** Makes something go wrong for a person. */
export function upset(world: World, kind: Fault['kind'], more: Partial<Fault> = {}, index = 0): void {
  const { network, handle } = personOf(world, index);
  world.product.sandbox!.setFault({ network, person: handle, kind, ...more });
}

/** Does something that ends a session while the platform is slow to answer; `meanwhile` runs before it does. */
export async function whileRevoking<T>(
  world: World,
  work: () => Promise<T>,
  meanwhile: () => Promise<void>,
  key = world.key,
): Promise<T> {
  upset(world, 'slow', { method: END_SESSION, delay_ms: 1000 });
  const working = work();
  // Every round is a request of its own, so the one under way gets its turns.
  while (callsOf(world, END_SESSION) === 0) await world.rest('GET /v1/usage', undefined, { key });
  await meanwhile();
  world.clock.move(1000);
  return working;
}

const END_SESSION = 'com.atproto.server.deleteSession';

/** How often a method of the platform was called. */
export function callsOf(world: World, method: string): number {
  return world.product.sandbox!.requests().filter((entry) => entry.method === method).length;
}
