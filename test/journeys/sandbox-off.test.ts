import { expect, it } from 'vitest';
import { insertAccount } from '#db/access/accounts.ts';
import { NEVER } from '#db/schema/database.ts';
import { newId } from '#kernel/ids.ts';
import { makeWorld } from '../harness/world.ts';

it('accounts of the sandbox say why they rest once it is off', async () => {
  const world = await makeWorld({ env: { SANDBOX: 'off' } });
  const now = world.clock.now();
  const id = newId('acc', now);
  await world.product.store.write(async ({ db }) => {
    await insertAccount(db, {
      id,
      workspace_id: world.workspaceId,
      brand_id: world.brandId,
      platform: 'bluesky',
      network: 'sandbox',
      platform_user_id: 'did:plc:alice',
      username: 'alice.test',
      name: 'Alice',
      status: 'active',
      session: 'sealed by nobody',
      metadata: {},
      refresh_at: NEVER,
      lease_until: 0,
      created_at: now,
      updated_at: now,
    });
  });

  const post = await world.rest('POST /v1/posts', { text: 'hello', account_ids: [id], publish_now: true });
  expect(post.body.targets[0].error).toMatchObject({
    code: 'account.reconnection_required',
    message: expect.stringContaining('SANDBOX=on'),
  });
  const limits = await world.rest(`GET /v1/accounts/${id}/limits`);
  expect([limits.status, limits.body.error.message]).toEqual([403, expect.stringContaining('SANDBOX=on')]);
});
