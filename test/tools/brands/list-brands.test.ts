import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, callThrough, DOORS, expectPages, wholeList } from '../../harness/calls/operations.ts';

describe('list_brands', () => {
  it('begins with the brand every workspace has', async ({ world }) => {
    expect((await call(world, 'list_brands')).body).toEqual(
      wholeList(1, [
        {
          id: world.brandId,
          name: 'Default',
          accounts_count: 0,
          created_at: '2026-01-15T09:00:00.000Z',
          updated_at: '2026-01-15T09:00:00.000Z',
        },
      ]),
    );
  });

  it('lists newest first, counting the accounts of each', async ({ world }) => {
    world.clock.move(1);
    const { body: second } = await world.rest('POST /v1/brands', { name: 'Second' });
    await world.connect(0, second.id);
    const { count, data } = (await call(world, 'list_brands')).body;
    expect(count).toBe(2);
    expect(data.map((brand: { name: string; accounts_count: number }) => [brand.name, brand.accounts_count])).toEqual([
      ['Second', 1],
      ['Default', 0],
    ]);
  });

  it('comes page by page where a limit is asked for', async ({ world }) => {
    const { body: second } = await world.rest('POST /v1/brands', { name: 'Second' });
    const { body: third } = await world.rest('POST /v1/brands', { name: 'Third' });
    await expectPages(world, 'list_brands', [third.id, second.id, world.brandId]);
  });

  it('shows a key limited to brands those alone, and counts them alone', async ({ world }) => {
    const { body: second } = await world.rest('POST /v1/brands', { name: 'Second' });
    const key = await world.newKey({ brand_ids: [second.id] });
    expect((await call(world, 'list_brands', {}, { key })).body).toMatchObject({ count: 1, data: [{ id: second.id }] });
  });

  it('answers the same through both doors', async ({ world }) => {
    const [one, other] = await Promise.all(DOORS.map((door) => callThrough(world, door, 'list_brands')));
    // Over MCP what repeats another field is left out.
    const { next_cursor: _, ...page } = one!.body;
    expect(other!.body).toEqual(page);
  });
});
