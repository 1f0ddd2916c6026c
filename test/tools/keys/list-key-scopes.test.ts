import { expect } from 'vitest';
import { SCOPES } from '#kernel/scopes.ts';
import { it, makeWorld } from '../../harness/world.ts';
import { call, expectPages } from '../../harness/calls/operations.ts';

it('list_key_scopes names the twelve scopes, in order', async ({ world }) => {
  const { body } = await call(world, 'list_key_scopes');
  expect(body.count).toBe(12);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual([
    'accounts:read',
    'accounts:manage',
    'posts:read',
    'posts:write',
    'media:read',
    'media:write',
    'inbox:read',
    'inbox:write',
    'dms:read',
    'dms:send',
    'webhooks:manage',
    'analytics:read',
  ]);
  for (const scope of body.data) {
    expect(scope).toEqual({
      name: scope.name,
      description: expect.stringMatching(/\.$/),
      group: expect.stringMatching(/./),
    });
  }
});

it('list_key_scopes pages like every list', async () => {
  await expectPages(await makeWorld(), 'list_key_scopes', Object.keys(SCOPES), 'name');
});
