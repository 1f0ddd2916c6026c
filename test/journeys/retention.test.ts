import { DAY } from '#kernel/clock.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, onFreePlan } from '../harness/calls/operations.ts';
import { png } from '../harness/media-samples.ts';
import { makeWorld, type World } from '../harness/world.ts';

const TABLES = ['events', 'deliveries', 'log'] as const;

/** The files that media are kept in. */
function filesOf({ config }: World): readonly string[] {
  return readdirSync(join(config.dataDir, 'media'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

it('what a plan keeps no longer is deleted: events, deliveries, the log, and media of removed posts', async () => {
  const world = await makeWorld();
  await onFreePlan(world);
  const { id: endpoint } = await world.receive(['post.published']);
  const account = await world.connect(0, world.brandId);
  const input = { base64: Buffer.from(png()).toString('base64'), filename: 'a.png' };
  const media = (await call(world, 'upload_media', input)).body.media_id;
  const ask = { text: 'Hi', account_ids: [account.id], media_ids: [media], publish_now: true };
  const post = (await call(world, 'create_post', ask)).body;
  await world.settle();
  const { db } = world.product.store;
  const rowsBefore = async (table: 'events' | 'deliveries' | 'log', time: number) =>
    (await db.selectFrom(table).select('id').where('created_at', '<', time).execute()).length;
  for (const table of TABLES) expect(await rowsBefore(table, world.clock.now() + 1)).toBeGreaterThan(0);
  const used = (await call(world, 'get_storage_usage')).body.used_bytes;
  expect([used > 0, filesOf(world).length]).toEqual([true, 1]);

  expect((await call(world, 'delete_media', { media_id: media })).code).toBe('media.in_use');
  await call(world, 'delete_post', { post_id: post.id });
  await world.settle();
  expect((await call(world, 'delete_media', { media_id: media })).ok).toBe(true);
  expect([(await call(world, 'get_storage_usage')).body.used_bytes, filesOf(world)]).toEqual([0, []]);

  world.clock.move(3 * DAY);
  await world.pass(3_600_000);
  const kept = world.clock.now() - 2 * DAY;
  for (const table of TABLES) expect([table, await rowsBefore(table, kept)]).toEqual([table, 0]);
  const { body } = await call(world, 'list_webhook_deliveries', { webhook_id: endpoint });
  expect([body.count, body.data]).toEqual([0, []]);
  const { events } = (await call(world, 'list_events')).body;
  expect(events.every(({ created_at }: { created_at: string }) => Date.parse(created_at) > kept)).toBe(true);
  const { stats } = (await call(world, 'get_webhook', { webhook_id: endpoint })).body;
  expect(stats.last_24h).toEqual({ delivered: 0, failed: 0 });
});
