import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';

describe('revoke_key', () => {
  it('ends a key at once, also one that was just used, and may be repeated', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    expect((await call(world, 'list_brands', {}, { key: made.raw_key })).ok).toBe(true);
    for (const _ of [1, 2]) {
      const { status, body } = await call(world, 'revoke_key', { key_id: made.id });
      expect([status, body]).toEqual([200, { success: true, ok: true, id: made.id }]);
    }
    const { status, body } = await world.rest('GET /v1/brands', undefined, { key: made.raw_key });
    expect([status, body.error.code]).toEqual([401, 'auth.invalid_key']);
    expect((await call(world, 'list_keys')).body.data).toContainEqual(
      expect.objectContaining({ id: made.id, is_active: false }),
    );
  });

  it('lets a key revoke itself', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    expect((await call(world, 'revoke_key', { key_id: made.id }, { key: made.raw_key })).ok).toBe(true);
    expect((await world.rest('GET /v1/brands', undefined, { key: made.raw_key })).status).toBe(401);
  });
});
