import { expect, it } from 'vitest';
import { SCOPES } from '../../../src/kernel/scopes.ts';
import { makeWorld } from '../../harness/world.ts';
import { call, describeCallers, DOORS, expectPages } from '../front-door.ts';

describeCallers('list_key_scopes', { to: 'everyone' });

it.each(DOORS)('list_key_scopes through %s names the twelve scopes, in order', async (via) => {
  const world = await makeWorld();
  const { body } = await call(world, via, 'list_key_scopes');
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

it.each(DOORS)('list_key_scopes through %s pages like every list', async (via) => {
  await expectPages(await makeWorld(), via, 'list_key_scopes', Object.keys(SCOPES), 'name');
});
