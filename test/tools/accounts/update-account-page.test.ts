import { describe, expect, test } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { endSession, accountWorld } from '../../harness/worlds/account.ts';

const it = test.extend('opened', () => accountWorld({ pages }));

const pages = [
  { platform_page_id: '11', name: 'One' },
  { platform_page_id: '22', name: 'Two' },
];

describe('update_account_page', () => {
  it('chooses the default, and switches pages off and on', async ({ opened: { world, accountId: account_id } }) => {
    const update = async (page_id: string, change: object) =>
      (await call(world, 'update_account_page', { account_id, page_id, ...change })).body;
    const two = await update('22', { is_default: true });
    expect(two).toMatchObject({ platform_page_id: '22', is_default: true });
    expect(await update(two.id, { is_active: false })).toMatchObject({ is_default: false, is_active: false });
    const { data } = (await call(world, 'list_account_pages', { account_id })).body;
    expect(data.map(({ is_default }: { is_default: boolean }) => is_default)).toEqual([true, false]);
    expect(await update(two.id, { is_active: true })).toMatchObject({ is_default: false, is_active: true });
  });

  it('refuses what makes no sense', async ({ opened: { world, accountId: account_id } }) => {
    const update = (page_id: string, change: object) =>
      call(world, 'update_account_page', { account_id, page_id, ...change });
    await expectRequired(update('11', {}), 'is_default');
    await expectInvalid(update('11', { is_default: false }), 'is_default');
    await expectRefusal(update('33', { is_active: true }), 'resource.not_found', { resource: 'page', id: '33' });
    await update('22', { is_active: false });
    await expectRefusal(update('22', { is_default: true }), 'resource.conflict', { resource: 'page' });
    await endSession(world, account_id);
    await expectRefusal(update('11', { is_active: true }), 'account.reconnection_required');
    const plain = await makeWorld();
    const { id } = await plain.connect();
    const input = { account_id: id, page_id: '11', is_active: true };
    await expectRefusal(call(plain, 'update_account_page', input), 'account.pages_not_supported');
    const unknown = { ...input, account_id: 'acc_none' };
    await expectRefusal(call(plain, 'update_account_page', unknown), 'account.not_found');
    const empty = { account_id: 'acc_none', page_id: '11' };
    await expectRequired(call(plain, 'update_account_page', empty), 'is_default');
  });
});
