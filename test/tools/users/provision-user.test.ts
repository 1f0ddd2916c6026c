import { describe, expect } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { authorityOver } from '#kernel/authority.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';

describeDashboardCallers('provision_user');

/** A dashboard token of a person whose user is gone. */
async function newcomer(world: World): Promise<{ key: string; id: string }> {
  const { userId, workspaceId } = (await world.product.modules.users.create('new@example.org', 'Newcomer'))!;
  const key = await dashboardToken(world, userId);
  const made = await world.product.modules.keys.create(authorityOver(workspaceId), userId, 'last', {});
  await world.rest('DELETE /v1/users/me', undefined, { key: made.raw_key });
  return { key, id: userId };
}

describe('provision_user', () => {
  it('answers a user who exists as it is', async ({ world }) => {
    const key = await dashboardToken(world);
    const { status, body } = await call(world, 'provision_user', { email: 'other@example.org' }, { key });
    expect([status, body]).toEqual([200, (await call(world, 'get_me')).body]);
    expect(body.email).toBe('owner@example.org');
  });

  it('makes a user with a workspace and a brand of whoever has none, as the token names them', async ({ world }) => {
    const { key, id } = await newcomer(world);
    for (const name of ['get_me', 'list_brands', 'list_redirect_uris', 'delete_me'])
      expect(await call(world, name, {}, { key })).toMatchObject({ status: 401, code: 'auth.not_provisioned' });
    const { status, body } = await call(world, 'provision_user', {}, { key });
    expect([status, body]).toMatchObject([201, { id, email: 'new@example.org', name: 'Newcomer', onboarding: true }]);
    expect((await call(world, 'get_me', {}, { key })).body).toEqual(body);
    expect((await call(world, 'list_brands', {}, { key })).body.data).toMatchObject([{ name: 'Default' }]);
    expect((await call(world, 'provision_user', {}, { key })).status).toBe(200);
  });

  it('takes another address and name, and no address of others', async ({ world }) => {
    const { key } = await newcomer(world);
    const provision = (input: Readonly<Record<string, unknown>>) => call(world, 'provision_user', input, { key });
    await expectInvalid(provision({ email: 'owner@example.org' }), 'email');
    await expectInvalid(provision({ email: 'no address' }), 'email');
    await expectInvalid(provision({ name: 'x'.repeat(101) }), 'name');
    const { status, body } = await provision({ email: ' Nina@Example.org ', name: 'Nina' });
    expect([status, body]).toMatchObject([201, { email: 'nina@example.org', name: 'Nina' }]);
  });
});

describeStores('a newcomer who asks many times at once', (stores) => {
  it('becomes one user', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const { key, id } = await newcomer(world);
    const ends = await Promise.all(Array.from({ length: 6 }, () => call(world, 'provision_user', {}, { key })));
    expect(ends.map(({ status }) => status).toSorted((a, b) => a! - b!)).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(ends.map(({ body }) => body.id))).toEqual(new Set([id]));
  });

  it('makes nothing where the id is taken in that moment, and fails nothing', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const { store, modules } = world.product;
    const { userId } = (await modules.users.create('first@example.org', 'First'))!;
    const again = store.write((tx) => modules.users.createWithin(tx, 'second@example.org', 'Second', { userId }));
    expect(await again).toBeUndefined();
  });
});
