import { findUser } from '#db/access/users.ts';
import { resetPassword } from '#engine/signin/change.ts';
import { makePasswords } from '#engine/signin/passwords.ts';
import { sha256 } from '#kernel/sign.ts';
import { connectionIdOf } from '#kernel/limits/leash.ts';
import { dashboardToken } from './dashboard.ts';
import { call } from './operations.ts';
import type { Json, World } from '../world.ts';

/** The id of the connection with a key. */
export async function connectionOf(world: World, key: string): Promise<string> {
  const row = world.product.store.db.selectFrom('keys').select('id').where('hash', '=', sha256(key));
  return connectionIdOf((await row.executeTakeFirstOrThrow()).id);
}

/** Gives the owner a password, and answers it. */
export async function givePassword({ product: { store }, clock, userId }: World): Promise<string> {
  const { email } = (await findUser(store.db, userId))!;
  const change = { email, password: 'correct horse battery', endApps: false };
  await resetPassword({ store, clock, passwords: makePasswords() }, change);
  return change.password;
}

/** Sets the limits of a key as a person does. */
export async function leash(world: World, key: string, limits: object): Promise<Json> {
  const input = { connection_id: await connectionOf(world, key), ...limits };
  const { ok, body } = await call(world, 'set_leash', input, { key: await dashboardToken(world) });
  if (!ok) throw new Error(JSON.stringify(body));
  return body;
}

/** A new key with limits. */
export async function leashedKey(
  world: World,
  preset: string,
  more: object = {},
  limits: Parameters<World['newKey']>[0] = {},
): Promise<string> {
  const key = await world.newKey(limits);
  await leash(world, key, { preset, ...more });
  return key;
}
