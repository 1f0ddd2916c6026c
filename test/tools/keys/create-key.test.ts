import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describe('create_key', () => {
  it('makes an unrestricted key that works at once', async ({ world }) => {
    const { status, body } = await call(world, 'create_key', { name: ' Bot ', scopes: [], brand_ids: [] });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'Bot',
      raw_key: expect.stringMatching(/^rostra_key_[0-9a-f]{62}$/),
      message: expect.any(String),
      preview: expect.stringMatching(/^rostra_key_[0-9a-f]{5}\.\.\.$/),
      scopes: [],
      brand_ids: [],
    });
    expect((await call(world, 'list_keys', {}, { key: body.raw_key })).ok).toBe(true);
  });

  it('limits it to scopes and brands, each named once', async ({ world }) => {
    const { body } = await call(world, 'create_key', {
      name: 'Bot',
      scopes: ['posts:read', 'accounts:read', 'posts:read'],
      brand_ids: [world.brandId, world.brandId],
    });
    expect(body).toMatchObject({ scopes: ['posts:read', 'accounts:read'], brand_ids: [world.brandId] });
    expect((await call(world, 'list_accounts', {}, { key: body.raw_key })).ok).toBe(true);
    await expectRefusal(call(world, 'list_media', {}, { key: body.raw_key }), 'auth.insufficient_scope');
  });

  it.for([
    [{}, 'validation.field_required', 'name'],
    [{ name: '   ' }, 'validation.field_required', 'name'],
    [{ name: 'x'.repeat(101) }, 'validation.field_invalid', 'name'],
    [{ name: 'a', scopes: ['posts:read', 'posts:fly'] }, 'validation.scope_invalid', 'scopes'],
    [{ name: 'a', scopes: ['social:all'] }, 'validation.scope_invalid', 'scopes'],
    [{ name: 'a', scopes: ['constructor'] }, 'validation.scope_invalid', 'scopes'],
    [{ name: 'a', brand_ids: ['brd_none'] }, 'validation.brand_invalid', 'brand_ids'],
    [{ name: 'a', scopes: 'posts:read, posts:write' }, 'validation.field_invalid', 'scopes'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    await expectRefusal(call(world, 'create_key', input), code, { field });
    expect((await call(world, 'list_keys')).body.count).toBe(1);
  });

  it('takes no brand of another workspace', async ({ world }) => {
    const stranger = await world.stranger();
    const answer = call(world, 'create_key', { name: 'a', brand_ids: [world.brandId] }, { key: stranger.key });
    await expectRefusal(answer, 'validation.brand_invalid', { field: 'brand_ids', id: world.brandId });
  });
});
