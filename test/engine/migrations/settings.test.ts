import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../../harness/calls/operations.ts';
import { makeWorld } from '../../harness/world.ts';
import { makeFile, migrationWorld, operationsOf, send } from './world.ts';

describe('the network of a migration', () => {
  it('stays the one it began on: its key goes nowhere else when the sandbox is switched off', async () => {
    const store = await makeFile();
    const before = await makeWorld({ store });
    const { body } = await (await operationsOf(before)).start();
    expect(body.assessment_error).toBe('migration.key_invalid');
    expect((await send(before, '/v1/posts')).status).toBe(401);
    await before.end();

    const { world, asked, get, start, stop } = await migrationWorld({ store, after: before, env: { SANDBOX: 'off' } });
    expect((await get({ refresh: true })).assessment_error).toBe('migration.source_unavailable');
    expect((await send(world, '/v1/posts')).status).toBe(503);
    expect([asked.length, (await get()).forwarded_calls]).toEqual([0, 1]);
    await stop();
    expect((await start()).body.assessment_error).toBe(null);
    expect((await send(world, '/v1/posts')).status).toBe(200);
  });
});

describe('MIGRATION_URLS', () => {
  it.each([
    ['elsewhere=https://api.example.org', 'MIGRATION_URLS names elsewhere, which is not a provider'],
    ['https://api.example.org', 'MIGRATION_URLS must be <name>=<http(s) URL>'],
    ['zernio=ftp://api.example.org', 'MIGRATION_URLS must be an http(s) URL'],
  ])('is not %s', async (MIGRATION_URLS, message) => {
    await expect(makeWorld({ env: { MIGRATION_URLS } })).rejects.toThrow(message);
  });
});

describe('BETA_TOOLSETS', () => {
  it('may close migrations, whose base URL goes on', async () => {
    const store = await makeFile();
    const { world: before, start } = await migrationWorld({ store });
    await start();
    await before.end();
    const { world, stop } = await migrationWorld({ store, after: before, env: { BETA_TOOLSETS: 'migrations' } });
    await expectRefusal(stop(), 'auth.beta_only');
    expect((await send(world, '/v1/posts')).status).toBe(200);
  });
});
