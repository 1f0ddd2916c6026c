import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectPages, wholeList } from '../../harness/calls/operations.ts';

describe('list_keys', () => {
  it('lists newest first, revoked ones too, and never a secret', async ({ world }) => {
    world.clock.move(1);
    const { body: fresh } = await world.rest('POST /v1/keys', {
      name: 'Bot',
      scopes: ['posts:read'],
      brand_ids: [world.brandId],
    });
    await world.rest(`DELETE /v1/keys/${fresh.id}`);
    const { body } = await call(world, 'list_keys');
    expect(body).toEqual(
      wholeList(2, [
        {
          id: fresh.id,
          name: 'Bot',
          preview: fresh.preview,
          is_active: false,
          scopes: ['posts:read'],
          brand_ids: [world.brandId],
          last_used_at: null,
          created_at: '2026-01-15T09:00:00.001Z',
        },
        expect.objectContaining({ name: 'test', is_active: true, scopes: [], brand_ids: [] }),
      ]),
    );
    for (const secret of [fresh.raw_key, world.key]) expect(JSON.stringify(body)).not.toContain(secret.slice(20));
  });

  it('comes page by page where a limit is asked for', async ({ world }) => {
    await world.newKey();
    await world.newKey();
    const { data } = (await call(world, 'list_keys')).body;
    const ids = data.map(({ id }: { id: string }) => id);
    await expectPages(world, 'list_keys', ids);
  });

  it('says when a key was last used, within a minute', async ({ world }) => {
    const used = world.clock.now();
    await call(world, 'list_brands');
    await world.pass(60_000);
    // The write is a transaction of its own; what is asked next waits for it.
    await world.rest('POST /v1/brands', { name: 'later' });
    const { body } = await call(world, 'list_keys');
    expect(body.data[0].last_used_at).toBe(new Date(used).toISOString());
  });
});
