import { expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { call } from '../../harness/calls/operations.ts';
import { makePartial } from '../../harness/worlds/post-stage.ts';

/** What the log says of a thing, oldest first; it never holds what is secret about it. */
async function entriesOf(world: World, resource_id: string, secret?: string): Promise<string[]> {
  const { body } = await call(world, 'list_events', { resource_id });
  if (secret !== undefined) expect(JSON.stringify(body)).not.toContain(secret);
  return body.events
    .toReversed()
    .map(({ category, action, status }: Record<string, string>) => `${category} ${action} ${status}`);
}

async function done(world: World, name: string, input: Record<string, unknown>, key = world.key) {
  const { ok, body } = await call(world, name, input, { key });
  expect([name, ok]).toEqual([name, true]);
  return body;
}

it('the log says what was done to a key', async ({ world }) => {
  const made = await done(world, 'create_key', { name: 'n8n' });
  const key_id = made.id;
  await done(world, 'update_key', { key_id, name: 'zapier' });
  const rotated = await done(world, 'rotate_key', { key_id });
  await done(world, 'revoke_key', { key_id });
  // Once more changes nothing, so there is nothing to tell.
  await done(world, 'revoke_key', { key_id });
  expect((await call(world, 'rotate_key', { key_id })).ok).toBe(false);
  const entries = ['created', 'updated', 'rotated', 'revoked'].map((done) => `api key_${done} success`);
  expect(await entriesOf(world, key_id, made.raw_key)).toEqual(entries);
  expect(await entriesOf(world, key_id, rotated.raw_key)).toEqual(entries);
});

it('the log says what was done to a webhook', async ({ world }) => {
  const receiver = await world.receive(['account.connected']);
  const webhook_id = receiver.id;
  await world.connect();
  await world.settle();
  receiver.answer(500);
  await done(world, 'test_webhook', { webhook_id, event_type: 'a', payload: {} });
  const { data } = await done(world, 'list_webhook_deliveries', { webhook_id, event_type: 'account.connected' });
  await done(world, 'retry_webhook_delivery', { webhook_id, delivery_id: data[0].id });
  await done(world, 'replay_webhook', { webhook_id, since: '2026-01-01T00:00:00Z' });
  await done(world, 'update_webhook', { webhook_id, is_active: false });
  await done(world, 'delete_webhook', { webhook_id });
  expect((await call(world, 'delete_webhook', { webhook_id })).ok).toBe(false);
  expect(await entriesOf(world, webhook_id, receiver.secret)).toEqual([
    'webhook created success',
    'webhook delivery failed',
    'webhook retried success',
    'webhook replayed success',
    'webhook updated success',
    'webhook deleted success',
  ]);
  const { body } = await call(world, 'list_events', { action: 'replayed' });
  expect(body.events[0].metadata).toEqual({ replayed: 1 });
});

it('the log says what was done to brands and their accounts', async ({ world }) => {
  const { id: brand_id } = await done(world, 'create_brand', { name: 'Bakery' });
  await done(world, 'update_brand', { brand_id, name: 'Baker' });
  const kept = await world.connect(0);
  const gone = await world.connect(1, brand_id);
  await done(world, 'disconnect_account', { account_id: kept.id });
  await done(world, 'delete_brand', { brand_id, confirm: 'Baker' });
  expect(await entriesOf(world, brand_id)).toEqual([
    'account brand_created success',
    'account brand_renamed success',
    'account brand_deleted success',
  ]);
  for (const { id } of [kept, gone])
    expect(await entriesOf(world, id)).toEqual(['account connected success', 'account disconnected success']);
});

it('the log says what was done to redirect URIs', async ({ world }) => {
  const key = await dashboardToken(world);
  const { id } = await done(world, 'create_redirect_uri', { uri: 'https://one.example/' }, key);
  await done(world, 'delete_redirect_uri', { redirect_uri_id: id }, key);
  expect(await entriesOf(world, id)).toEqual(['api redirect_uri_created success', 'api redirect_uri_deleted success']);
});

it('the log says what became of posts', async ({ world, account: { id: account_id } }) => {
  const schedule = async (text: string) => {
    const scheduled_at = new Date(world.clock.now() + 3_600_000).toISOString();
    return (await done(world, 'create_post', { text, account_ids: [account_id], scheduled_at })).id;
  };
  const post_id = await schedule('Later');
  await done(world, 'update_post', { post_id, text: 'Now' });
  await done(world, 'publish_post', { post_id });
  await world.settle();
  await done(world, 'unpublish_post', { post_id });
  const entries = (...actions: readonly string[]) => actions.map((action) => `post ${action} success`);
  expect(await entriesOf(world, post_id)).toEqual(entries('scheduled', 'updated', 'published', 'unpublished'));
  const dropped = await schedule('Never');
  await done(world, 'delete_post', { post_id: dropped });
  expect(await entriesOf(world, dropped)).toEqual(entries('scheduled', 'deleted'));
});

it('the log finds a post that only some targets failed by what failed', async ({ world }) => {
  const { id } = await makePartial(world);
  const { body } = await call(world, 'list_events', { status: 'failed', category: ['post'] });
  expect(body.events).toMatchObject([
    { action: 'partial', status: 'failed', resource_id: id, error_message: expect.any(String) },
  ]);
});
