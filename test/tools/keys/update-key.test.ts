import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describe('update_key', () => {
  it('changes what is named, from the next call on', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot', scopes: ['accounts:read'] });
    const key = made.raw_key;
    expect((await call(world, 'list_brands', {}, { key })).ok).toBe(true);

    const { status, body } = await call(world, 'update_key', { key_id: made.id, scopes: ['media:read', 'media:read'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: made.id,
      name: 'Bot',
      preview: made.preview,
      is_active: true,
      scopes: ['media:read'],
    });
    await expectRefusal(call(world, 'list_brands', {}, { key }), 'auth.insufficient_scope');
    expect((await call(world, 'list_media', {}, { key })).ok).toBe(true);

    const freed = await call(world, 'update_key', { key_id: made.id, name: 'Boss', scopes: [], brand_ids: [] });
    expect(freed.body).toMatchObject({ name: 'Boss', scopes: [], brand_ids: [] });
    expect((await call(world, 'list_keys', {}, { key })).ok).toBe(true);
  });

  it('limits a key to brands', async ({ world }) => {
    await world.connect();
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    await call(world, 'update_key', { key_id: made.id, brand_ids: [world.brandId] });
    expect((await call(world, 'list_accounts', {}, { key: made.raw_key })).body.count).toBe(0);
  });

  it.for([
    [{}, 'validation.field_required', { field: 'name' }],
    [{ name: '' }, 'validation.field_invalid', { field: 'name' }],
    [{ name: null }, 'validation.field_required', { field: 'name' }],
    [{ scopes: ['none'] }, 'validation.scope_invalid', { field: 'scopes' }],
    [{ brand_ids: ['brd_none'] }, 'validation.brand_invalid', { field: 'brand_ids', id: 'brd_none' }],
  ] as const)('refuses %j with %s', async ([patch, code, meta], { shared: world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    await expectRefusal(call(world, 'update_key', { key_id: made.id, ...patch }), code, meta);
    await expectRefusal(call(world, 'update_key', { key_id: 'key_none', ...patch }), code, meta);
  });

  it('changes none that is revoked', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    await call(world, 'revoke_key', { key_id: made.id });
    const revoked = call(world, 'update_key', { key_id: made.id, name: 'x' });
    await expectRefusal(revoked, 'resource.conflict', { resource: 'key', id: made.id });
  });
});
