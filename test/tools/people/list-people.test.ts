import { expect } from 'vitest';
import { updateUser } from '#db/access/users.ts';
import { it } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, wholeList } from '../../harness/calls/operations.ts';
import { newMember } from '../../harness/calls/members.ts';

describeDashboardCallers('list_people');

it('list_people shows everybody of the workspace in the order in which they came', async ({ world }) => {
  await world.stranger();
  const key = await dashboardToken(world);
  world.clock.move(1000);
  const editor = await newMember(world, 'editor', { name: 'Bea' });
  world.clock.move(1000);
  const admin = await newMember(world, 'admin', { name: 'Cem' });
  await world.product.store.write((tx) => updateUser(tx.db, editor.id, { disabled_at: 1 }));
  const people = [
    {
      id: world.userId,
      name: 'Owner',
      email: 'owner@example.org',
      role: 'owner',
      created_at: '2026-01-15T09:00:00.000Z',
    },
    { id: editor.id, name: 'Bea', email: editor.email, role: 'editor', created_at: '2026-01-15T09:00:01.000Z' },
    { id: admin.id, name: 'Cem', email: admin.email, role: 'admin', created_at: '2026-01-15T09:00:02.000Z' },
  ];
  const shown = (you: string) =>
    people.map((one) => ({ ...one, is_you: one.id === you, disabled: one.id === editor.id }));
  expect((await call(world, 'list_people', {}, { key })).body).toEqual(wholeList(3, shown(world.userId)));
  expect((await call(world, 'list_people', {}, { key: admin.token })).body.data).toEqual(shown(admin.id));
});
