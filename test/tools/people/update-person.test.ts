import { describe, expect, test } from 'vitest';
import { findOwner, updateUser } from '#db/access/users.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { givePassword } from '../../harness/calls/leash.ts';
import { newMember } from '../../harness/calls/members.ts';
import { PASSWORD } from '../../harness/calls/people.ts';
import { describeStores } from '../../harness/stores/stores.ts';

describeDashboardCallers('update_person', { user_id: 'usr_none', role: 'editor' });

const change = (world: World, key: string, user_id: string, role: string, more: Record<string, unknown> = {}) =>
  call(world, 'update_person', { user_id, role, ...more }, { key });
/** Hands the workspace over with the password that everybody in these tests has. */
const handOver = (world: World, key: string, user_id: string) =>
  change(world, key, user_id, 'owner', { password: PASSWORD });

const rolesIn = async (world: World, key: string) =>
  Object.fromEntries(
    (await call(world, 'list_people', {}, { key })).body.data.map(({ id, role }: { id: string; role: string }) => [
      id,
      role,
    ]),
  );

describe('update_person', () => {
  it('gives another role, and the same one again', async ({ world }) => {
    const key = await dashboardToken(world);
    const { id, email } = await newMember(world, 'editor', { name: 'Bea' });
    const at = '2026-01-15T09:00:00.000Z';
    const bea = { id, name: 'Bea', email, role: 'admin', is_you: false, disabled: false, created_at: at };
    expect((await change(world, key, id, 'admin')).body).toEqual(bea);
    expect((await change(world, key, id, 'admin')).body).toEqual(bea);
    const { body: log } = await call(world, 'list_events', { category: 'api' });
    expect(log.events.map(({ summary }: { summary: string }) => summary).slice(0, 3)).toEqual([
      'Bea is now Administrator',
      'Bea joined as Editor',
      'Owner invited somebody as Editor',
    ]);
  });

  it('names nobody of another workspace, and the owner not otherwise than by handing over', async ({ world }) => {
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const { token } = await newMember(world, 'admin');
    for (const id of [other.userId, 'usr_none'])
      await expectRefusal(change(world, token, id, 'viewer'), 'resource.not_found', { resource: 'person' });
    await expectRefusal(change(world, token, world.userId, 'viewer'), 'resource.conflict');
    await expectRefusal(change(world, await dashboardToken(world), world.userId, 'admin'), 'resource.conflict');
    await expectInvalid(change(world, token, world.userId, 'boss'), 'role');
  });

  it('hands the workspace over, if it is the owner who does, to somebody who can sign in', async ({ world }) => {
    await givePassword(world);
    const key = await dashboardToken(world);
    const [admin, editor] = [await newMember(world, 'admin'), await newMember(world, 'editor')];
    for (const { id } of [admin, editor])
      await expectRefusal(handOver(world, admin.token, id), 'auth.insufficient_scope');
    const disable = (disabled_at: number | null) =>
      world.product.store.write((tx) => updateUser(tx.db, editor.id, { disabled_at }));
    await disable(1);
    await expectRefusal(handOver(world, key, editor.id), 'resource.conflict');
    await disable(null);
    await expectInvalid(change(world, key, editor.id, 'owner'), 'password');
    await expectInvalid(change(world, key, editor.id, 'owner', { password: 'not this one' }), 'password');
    await world.product.store.write((tx) => updateUser(tx.db, admin.id, { password_hash: null }));
    await expectRefusal(handOver(world, key, admin.id), 'resource.conflict');
    expect((await handOver(world, key, editor.id)).body.role).toBe('owner');
    expect(await rolesIn(world, key)).toEqual({ [world.userId]: 'admin', [admin.id]: 'admin', [editor.id]: 'owner' });
    await expectRefusal(handOver(world, key, admin.id), 'auth.insufficient_scope');
    expect((await change(world, editor.token, world.userId, 'viewer')).body.role).toBe('viewer');
  });

  it('passes the server on with its oldest workspace, never to somebody of another one', async ({ world }) => {
    await world.product.modules.users.create('other@example.org', 'Other');
    world.clock.move(1000);
    await givePassword(world);
    const { id } = await newMember(world, 'admin');
    await handOver(world, await dashboardToken(world), id);
    expect((await findOwner(world.product.store.db))?.id).toBe(id);
  });

  it('leaves an administrator one for their keys: a key keeps its scopes', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const { raw_key } = (await call(world, 'create_key', { name: 'n8n' }, { key: token })).body;
    await change(world, await dashboardToken(world), id, 'viewer');
    expect((await call(world, 'list_keys', {}, { key: raw_key })).ok).toBe(true);
    // Its limits are for administrators.
    expect((await call(world, 'list_connections', {}, { key: token })).body.data).toEqual([]);
  });
});

describeStores('at the same time', (stores) => {
  test('the owner hands over to one of two, and a person is not removed while they become the owner', async () => {
    const world = await makeWorld({ store: await stores.place() });
    await givePassword(world);
    const key = await dashboardToken(world);
    const [one, two] = [await newMember(world, 'admin'), await newMember(world, 'editor')];
    const answers = await Promise.all([
      handOver(world, key, one.id),
      handOver(world, key, two.id),
      call(world, 'remove_person', { user_id: two.id }, { key: one.token }),
    ]);
    expect(answers.slice(0, 2).filter(({ ok }) => ok)).toHaveLength(1);
    const people = await world.product.store.db.selectFrom('users').select(['id', 'role']).execute();
    expect(people.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });

  test('two administrators cannot take each other the role away', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const one = await newMember(world, 'admin', { email: 'one@example.org' });
    const two = await newMember(world, 'admin', { email: 'two@example.org' });
    const answers = await Promise.all([
      change(world, one.token, two.id, 'viewer'),
      change(world, two.token, one.id, 'viewer'),
    ]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });
});
