import { expect } from 'vitest';
import { it, makeWorld, type World } from '../harness/world.ts';
import { upset } from '../harness/platforms/bluesky-people.ts';
import { block, callThrough, DOORS, toolOf, TOOLS } from '../harness/calls/operations.ts';

const BILLING = ['create_checkout', 'create_portal_session', 'get_checkout_status'];
const LIMITING = [
  'list_connections',
  'end_connection',
  'list_actions',
  'get_action',
  'withdraw_action',
  'deny_action',
  'list_audit',
];
const PEOPLE = ['list_people', 'list_invitations', 'revoke_invitation', 'update_person', 'remove_person'];
const EXEMPT = ['get_me', 'patch_me', 'list_plans', ...PEOPLE, ...LIMITING, ...BILLING];

async function pay(world: World): Promise<void> {
  await world.product.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at: null }).execute());
  world.product.callers.forget();
}

it('past due closes every operation but the user, the plans and what limits connections, before anything else is looked at', async () => {
  const world = await makeWorld();
  const scoped = await world.newKey({ scopes: ['dms:read'] });
  await block(world);
  for (const via of DOORS) {
    for (const { name, http, access, mcp } of TOOLS) {
      // What is for people is no tool of /mcp, and neither is what does not end.
      if (via === 'mcp' && ('dashboard' in access || 'decide' in access || mcp === false)) continue;
      // No input at all: what comes after the payment is not reached.
      const input = Object.fromEntries([...http.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => [field!, 'none']));
      for (const key of [world.key, scoped]) {
        const { status, code } = await callThrough(world, via, name, input, { key });
        if (EXEMPT.includes(name)) expect([name, code === 'billing.past_due']).toEqual([name, false]);
        else expect([via, name, status ?? 402, code]).toEqual([via, name, 402, 'billing.past_due']);
      }
    }
  }
  expect(EXEMPT.map((name) => toolOf(name).pastDue)).toEqual(EXEMPT.map(() => 'exempt'));
});

it('past due records and delivers no events, and payment opens everything again', async ({ world }) => {
  const receiver = await world.receive(['account.disconnected', 'post.published', 'post.deleted']);
  const account = await world.connect();
  const post = { text: 'soon', account_ids: [account.id], scheduled_at: '2026-01-15T10:00:00Z' };
  const { body: scheduled } = await world.rest('POST /v1/posts', post);
  await block(world);
  await world.pass(2 * 3_600_000);
  expect(receiver.received).toEqual([]);
  expect(world.product.sandbox!.posts('bluesky', account.username)).toEqual([]);

  await pay(world);
  await world.pass(5 * 60_000);
  expect((await world.rest(`GET /v1/posts/${scheduled.id}`)).body.status).toBe('published');
  await world.settle();
  expect(receiver.received.map(({ body }) => body.event)).toEqual(['post.published']);
});

it('past due, what happens is in the activity log alone', async ({ world }) => {
  await world.connect();
  const { db } = world.product.store;
  const recorded = async () => [
    (await db.selectFrom('events').select('name').orderBy('id').execute()).map(({ name }) => name),
    (await db.selectFrom('log').select('action').where('category', '=', 'account').orderBy('id').execute()).map(
      ({ action }) => action,
    ),
  ];
  expect(await recorded()).toEqual([['account.connected'], ['connected']]);
  await block(world);
  upset(world, 'revoked');
  await world.pass(3 * 3_600_000);
  expect(await db.selectFrom('accounts').select('status').execute()).toEqual([{ status: 'reconnect_required' }]);
  expect(await recorded()).toEqual([['account.connected'], ['connected', 'disconnected']]);
});
