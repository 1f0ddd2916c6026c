import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describe('update_brand', () => {
  it('renames, and does so once or twice', async ({ world }) => {
    world.clock.move(1000);
    const renamed = {
      id: world.brandId,
      name: 'Renamed',
      accounts_count: 0,
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:01.000Z',
    };
    for (const _ of [1, 2]) {
      const { status, body } = await call(world, 'update_brand', { brand_id: world.brandId, name: ' Renamed ' });
      expect([status, body]).toEqual([200, renamed]);
    }
    expect((await call(world, 'list_brands')).body.data).toEqual([renamed]);
  });

  it.for([
    [{}, 'validation.field_required'],
    [{ name: '  ' }, 'validation.field_required'],
    [{ name: 'x'.repeat(121) }, 'validation.field_invalid'],
  ] as const)('refuses input %#', async ([patch, code], { shared: world }) => {
    await expectRefusal(call(world, 'update_brand', { brand_id: world.brandId, ...patch }), code, { field: 'name' });
  });
});
