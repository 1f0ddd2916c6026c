import { describe, expect, test } from 'vitest';
import { describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { KEY, migrationWorld } from '../../engine/migrations/world.ts';

const it = test.extend('migration', () => migrationWorld());

describeDashboardCallers('start_migration', { provider: 'zernio', api_key: KEY, authorisation_version: '1' });

describe('start_migration', () => {
  it('answers the record, with the accounts as they are now', async ({ migration: { world, start, get } }) => {
    const { status, body } = await start();
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        started: true,
        authorisation_version: body.authorisation.version,
        authorised_at: '2026-01-15T09:00:00.000Z',
        created_at: '2026-01-15T09:00:00.000Z',
        base_url: `${world.root}/migrate/zernio`,
        key_hint: 'sk_0…nary',
        assessed_at: '2026-01-15T09:00:00.000Z',
        assessment: expect.objectContaining({ brands: 1, servable_accounts: 1 }),
        assessment_error: null,
        cut_over: 0,
        forwarded_calls: 0,
      }),
    ]);
    expect(await get()).toEqual(body);
  });

  it('is started once: with the same key the record stays, with another one it is refused', async () => {
    const { world, start } = await migrationWorld();
    const { body: first } = await start();
    world.clock.move(1000);
    const again = await start();
    expect([again.status, again.body]).toEqual([201, first]);
    await expectRefusal(start({ api_key: `${KEY}x` }), 'resource.conflict');
    await expectInvalid(start({ authorisation_version: '0' }), 'authorisation_version');
  });

  it.each(['', ' ', 'two words', 'schlüssel', 'k'.repeat(1025)])('takes no %j for a key', async (api_key) => {
    const { start } = await migrationWorld();
    const { code, meta } = await start({ api_key });
    expect([code, meta.field]).toEqual([expect.stringMatching(/^validation\.field_/), 'api_key']);
  });

  it('shows a quarter of a short key at most', async ({ migration: { start } }) => {
    expect((await start({ api_key: 'sixteen_letters_' })).body.key_hint).toBe('si…s_');
  });

  it('starts although the provider does not take the key', async ({ migration: { start, get, world, plays } }) => {
    const { status, body } = await start({ api_key: 'sk_wrong' });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ assessed_at: null, assessment: null, assessment_error: 'migration.key_invalid' }),
    ]);
    plays.instead = (_req, res) => void res.writeHead(403).end('{"code":"insufficient_permissions"}');
    expect((await get({ refresh: true })).assessment_error).toBe('migration.key_restricted');
    plays.instead = (_req, res) => void res.writeHead(500).end();
    expect((await get()).assessment_error).toBe('migration.key_restricted');
    world.clock.move(300_000);
    expect((await get()).assessment_error).toBe('migration.source_unavailable');
  });

  it('forgets what it read last only when it reads again', async ({ migration: { start, get, plays } }) => {
    const { body: first } = await start();
    plays.instead = (_req, res) => void res.writeHead(500).end();
    expect(await get({ refresh: true })).toEqual({
      ...first,
      assessment: null,
      assessment_error: 'migration.source_unavailable',
    });
    plays.instead = undefined;
    expect(await get({ refresh: true })).toEqual(first);
  });
});

describeStores('a migration started by many at once', (stores) => {
  it('is one, with one of the keys', async () => {
    const { start, asked, get } = await migrationWorld({ store: await stores.place() });
    const ends = await Promise.all(
      Array.from({ length: 8 }, (_, at) => start(at % 2 === 0 ? {} : { api_key: `${KEY}x` })),
    );
    expect(ends.map(({ status }) => status!).toSorted((one, other) => one - other)).toEqual([
      201, 201, 201, 201, 409, 409, 409, 409,
    ]);
    const wins = ends.filter(({ status }) => status === 201).map(({ body }) => body.key_hint);
    expect(wins).toEqual(Array(4).fill((await get()).key_hint));
    expect(asked.filter(({ url }) => url.includes('accounts')).length).toBe(1);
  });
});
