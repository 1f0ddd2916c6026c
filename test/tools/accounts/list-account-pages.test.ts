import { describe, expect, it } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { call, expectRefusal, wholeList } from '../../harness/calls/operations.ts';
import { endSession, accountWorld } from '../../harness/worlds/account.ts';

const pages = [
  { platform_page_id: '11', name: 'One', followers_count: 3 },
  { platform_page_id: '22', name: 'Two' },
];

describe('list_account_pages', () => {
  it('lists the pages that came with the account', async () => {
    const { world, accountId: account_id } = await accountWorld({ pages });
    const { body } = await call(world, 'list_account_pages', { account_id });
    expect(body).toEqual(
      wholeList(2, [
        expect.objectContaining({ platform_page_id: '11', platform_id: '11', is_default: true, followers_count: 3 }),
        expect.objectContaining({ platform_page_id: '22', name: 'Two', is_default: false, is_active: true }),
      ]),
    );
    const first = (await call(world, 'list_account_pages', { account_id, limit: 1 })).body;
    const rest = await call(world, 'list_account_pages', { account_id, cursor: first.next_cursor });
    expect(rest.body.data).toEqual([body.data[1]]);
  });

  it('refuses where there are none, and where the session has ended', async () => {
    const world = await makeWorld();
    const { id: account_id } = await world.connect();
    await expectRefusal(call(world, 'list_account_pages', { account_id }), 'account.pages_not_supported');
    await expectRefusal(call(world, 'list_account_pages', { account_id: 'acc_none' }), 'account.not_found');
    const told = await accountWorld({ pages });
    await endSession(told.world, told.accountId);
    const ended = call(told.world, 'list_account_pages', { account_id: told.accountId });
    await expectRefusal(ended, 'account.reconnection_required');
  });
});
