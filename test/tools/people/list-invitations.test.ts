import { expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call } from '../../harness/calls/operations.ts';
import { invite, join, newMember } from '../../harness/calls/members.ts';

describeDashboardCallers('list_invitations');

it('list_invitations shows those that are open, without their links', async ({ world }) => {
  const key = await dashboardToken(world);
  const list = async () => (await call(world, 'list_invitations', {}, { key })).body;
  expect(await list()).toMatchObject({ count: 0, data: [] });
  const { token } = await newMember(world, 'admin', { name: 'Cem' });
  const first = await invite(world, 'editor', 'bea@example.org');
  world.clock.move(1000);
  const second = await invite(world, 'viewer', 'dia@example.org', token);
  const { count, data } = await list();
  expect([count, data.map(({ id, invited_by }: Record<string, string>) => [id, invited_by])]).toEqual([
    2,
    [
      [first.id, 'Owner'],
      [second.id, 'Cem'],
    ],
  ]);
  expect(Object.keys(data[0])).toEqual(['id', 'email', 'role', 'invited_by', 'created_at', 'expires_at']);
  await join(world, first.secret);
  expect((await list()).data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
});
