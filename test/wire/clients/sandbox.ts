import type { World } from '../../harness/world.ts';

/** The smallest picture there is. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Makes the next calls for a person of the sandbox go wrong. */
export async function setFault(world: World, person: string, kind: string): Promise<void> {
  const { status, body } = await world.rest('POST /sandbox/__control/faults', { person, kind });
  if (status !== 200) throw new Error(JSON.stringify(body));
}
