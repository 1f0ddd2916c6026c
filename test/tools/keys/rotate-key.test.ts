import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describe('rotate_key', () => {
  it('gives the same key a new secret, and the old one is dead at once', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot', scopes: ['accounts:read'] });
    await call(world, 'list_brands', {}, { key: made.raw_key });
    const { status, body } = await call(world, 'rotate_key', { key_id: made.id });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      raw_key: expect.stringMatching(/^rostra_key_[0-9a-f]{62}$/),
      preview: expect.stringMatching(/^rostra_key_[0-9a-f]{5}\.\.\.$/),
    });
    expect(body.raw_key).not.toBe(made.raw_key);
    expect(body.raw_key.startsWith(body.preview.slice(0, -3))).toBe(true);
    const old = await world.rest('GET /v1/brands', undefined, { key: made.raw_key });
    expect(old.body.error.code).toBe('auth.invalid_key');
    expect((await call(world, 'list_brands', {}, { key: body.raw_key })).ok).toBe(true);
    expect((await call(world, 'list_keys')).body.count).toBe(2);
  });

  it('lets the last of many rotations win', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    const rotated = await Promise.all([1, 2, 3].map(() => call(world, 'rotate_key', { key_id: made.id })));
    const read = (key: string) => world.rest('GET /v1/brands', undefined, { key });
    const works = await Promise.all(rotated.map(({ body }) => read(body.raw_key)));
    expect(works.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  it('rotates none that is revoked', async ({ world }) => {
    const { body: made } = await call(world, 'create_key', { name: 'Bot' });
    await call(world, 'revoke_key', { key_id: made.id });
    await expectRefusal(call(world, 'rotate_key', { key_id: made.id }), 'resource.conflict', { id: made.id });
  });
});
