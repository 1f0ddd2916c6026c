import { expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { invite, join } from '../../harness/calls/members.ts';

describeDashboardCallers('revoke_invitation', { invitation_id: 'ivt_none' });

it('revoke_invitation makes the link invalid, and knows only those of the workspace', async ({ world }) => {
  const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
  const key = await dashboardToken(world);
  const { id, secret } = await invite(world, 'editor', 'bea@example.org', key);
  const revoke = (token: string) => call(world, 'revoke_invitation', { invitation_id: id }, { key: token });
  const foreign = revoke(await dashboardToken(world, other.userId));
  await expectRefusal(foreign, 'resource.not_found', { resource: 'invitation' });
  expect((await revoke(key)).body).toEqual({ success: true, ok: true, id });
  expect(await join(world, secret)).toBe('auth.state_mismatch');
  await expectRefusal(revoke(key), 'resource.not_found', { resource: 'invitation' });
  expect((await invite(world, 'viewer', 'bea@example.org', key)).id).not.toBe(id);
});
