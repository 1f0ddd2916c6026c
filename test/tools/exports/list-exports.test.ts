import { DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { it as test } from '../../harness/world.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { exportWorld } from '../../engine/exports/world.ts';

const it = test.extend('opened', () => exportWorld());

it('lists exports, newest first, page by page, and those in a state', async ({ opened }) => {
  const { world, telling, accountId, finished } = opened;
  const first = (await finished()).id;
  world.clock.move(1);
  telling.refused.add(undefined);
  await expect(finished()).resolves.toMatchObject({ status: 'failed', error: 'Not for you.', result: null });
  telling.refused.clear();
  world.clock.move(1);
  const last = (await finished()).id;
  const { body } = await call(world, 'list_exports');
  expect(body.exports).toEqual(body.data);
  expect(body.data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [last, 'completed'],
    [expect.any(String), 'failed'],
    [first, 'completed'],
  ]);
  const one = (await call(world, 'list_exports', { limit: 1 })).body;
  expect([one.data[0].id, one.pagination.has_more]).toEqual([last, true]);
  const rest = (await call(world, 'list_exports', { cursor: one.next_cursor })).body;
  expect([rest.data.length, rest.data.at(-1).id, rest.next_cursor]).toEqual([2, first, '']);
  await expectInvalid(call(world, 'list_exports', { cursor: one.next_cursor, status: 'failed' }), 'cursor');
  const failed = await call(world, 'list_exports', { status: 'failed' });
  expect(failed.body.data).toHaveLength(1);
  const other = await world.rest('POST /v1/brands', { name: 'Other' });
  const limited = await world.newKey({ brand_ids: [other.body.id] });
  await expectRefusal(call(world, 'list_exports', {}, { key: limited }), 'auth.insufficient_scope');
  expect((await call(world, 'list_exports', {}, { key: (await world.stranger()).key })).body.data).toEqual([]);

  await world.rest(`DELETE /v1/accounts/${accountId}`);
  await world.pass(91 * DAY);
  const expired = (await call(world, 'list_exports', { status: 'completed' })).body.data;
  expect(expired.map(({ id, result }: { id: string; result: unknown }) => [id, result])).toEqual([
    [last, null],
    [first, null],
  ]);
});
