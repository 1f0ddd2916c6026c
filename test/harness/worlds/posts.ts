import { makeWorld, type World, type WorldOptions, type Json } from '../world.ts';
import { call } from '../calls/operations.ts';

/** A world with a connected account. */
export async function withAccount(options?: WorldOptions): Promise<World & { account: Json }> {
  const world = await makeWorld(options);
  return { ...world, account: await world.connect() };
}

/** A post to an account, made without being looked at; 422 is no error here. */
export async function postOf(
  world: World & { account?: Json },
  input: Readonly<Record<string, unknown>> = {},
): Promise<Json> {
  const account_ids = world.account === undefined ? [] : [world.account.id];
  return (await call(world, 'create_post', { text: 'Hello', account_ids, ...input })).body;
}

/** A time to come, as callers write it. */
export const inHours = (world: World, hours: number) => new Date(world.clock.now() + hours * 3_600_000).toISOString();

/** Lets the next calls of the connected person meet a fault of the twin. */
export function setFault(world: World, kind: 'throttled' | 'revoked' | 'lost' | 'error_after', times = 1): void {
  const person = world.product.sandbox!.people()[0]!.id;
  const method = 'com.atproto.repo.putRecord';
  world.product.sandbox!.setFault({ network: 'bluesky', person, kind, times, ...(kind !== 'revoked' && { method }) });
}

/** A second account, on another person and in a brand of its own. */
export async function secondAccount(world: World): Promise<Json> {
  const { body } = await world.rest('POST /v1/brands', { name: 'Second' });
  return world.connect(1, body.id);
}
