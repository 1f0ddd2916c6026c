import { expect } from 'vitest';
import { findOwner } from '#db/access/users.ts';
import { disableUser, enableUser, makeOwner } from '#engine/users/standing.ts';
import { makePasswords } from '#engine/signin/passwords.ts';
import { authorityOver } from '#kernel/authority.ts';
import { it, type World } from '../harness/world.ts';

const EMAIL = 'anna@example.org';
const PASSWORD = 'correct horse battery';

/** A second user, signed in, with a key. */
async function addAnna({ product }: World) {
  const { users, keys } = product.modules;
  const made = (await users.create(EMAIL, 'Anna', await makePasswords().hash(PASSWORD)))!;
  const { raw_key } = await keys.create(authorityOver(made.workspaceId), made.userId, 'n8n', {});
  const attempt = { email: EMAIL, password: PASSWORD, network: '203.0.113.0', device: undefined };
  const signIn = async () => (await product.signin.signIn(attempt)).token;
  return { ...made, key: raw_key, signIn };
}

it('a disabled user is signed out, their key is refused, and they cannot sign in until they are enabled', async ({
  world,
}) => {
  const { store, signin } = world.product;
  const deps = { store, clock: world.clock };
  const anna = await addAnna(world);
  const session = await anna.signIn();
  const withKey = async () => (await world.rest('GET /v1/accounts', undefined, { key: anna.key })).status;
  expect(session).toBeDefined();
  expect(await disableUser(deps, EMAIL)).toMatchObject({ user: { id: anna.userId } });
  expect(await withKey()).toBe(401);
  expect(await signin.visitor(session!)).toBeUndefined();
  expect(await anna.signIn()).toBeUndefined();
  expect((await world.rest('GET /v1/accounts')).status).toBe(200);

  expect(await enableUser(deps, EMAIL)).toMatchObject({ user: { id: anna.userId } });
  expect([typeof (await anna.signIn()), await withKey()]).toEqual(['string', 200]);
});

it('the owner cannot be disabled, and is another user once that is said', async ({ world }) => {
  const { store } = world.product;
  const deps = { store, clock: world.clock };
  const anna = await addAnna(world);
  const owner = 'owner@example.org';
  expect(await disableUser(deps, owner)).toEqual({ refused: 'owner' });
  expect(await disableUser(deps, 'nobody@example.org')).toEqual({ refused: 'unknown' });
  expect(await makeOwner(deps, owner)).toEqual({ refused: 'no_password' });
  await disableUser(deps, EMAIL);
  expect(await makeOwner(deps, EMAIL)).toEqual({ refused: 'disabled' });
  await enableUser(deps, EMAIL);
  await makeOwner(deps, EMAIL);
  expect((await findOwner(store.db))?.id).toBe(anna.userId);
  expect(await disableUser(deps, owner)).toMatchObject({ user: { id: world.userId } });
});
