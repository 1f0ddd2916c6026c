import { MINUTE } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { authorityOver } from '#kernel/authority.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { account, migrationWorld, operationsOf } from '../../engine/migrations/world.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';

const it = test.extend('migration', () => migrationWorld());

const accountsAsked = ({ asked }: { asked: readonly { url: string }[] }) =>
  asked.filter(({ url }) => url.startsWith('/api/v1/accounts')).length;

describeDashboardCallers('get_migration', { provider: 'zernio' });

describe('get_migration', () => {
  it('shows what is to be accepted before a migration starts, and nothing else', async () => {
    const { get, asked } = await migrationWorld();
    expect(await get()).toEqual({
      started: false,
      authorisation: { text: expect.stringContaining('Zernio'), version: expect.any(String) },
      authorisation_version: null,
      authorised_at: null,
      created_at: null,
      base_url: null,
      key_hint: null,
      assessed_at: null,
      assessment: null,
      assessment_error: null,
      cut_over: 0,
      forwarded_calls: 0,
    });
    expect(asked).toEqual([]);
  });

  it('knows no other provider', async ({ migration: { world } }) => {
    const key = await dashboardToken(world);
    for (const name of ['get_migration', 'stop_migration'])
      await expectInvalid(call(world, name, { provider: 'elsewhere' }, { key }), 'provider');
  });

  it('maps profiles to brands and a plan, and says what stays', async ({ migration: { plays, start } }) => {
    plays.profiles = [
      { _id: 'pro-1', name: 'Bakery' },
      { _id: 'pro-2', name: 'Café' },
      { _id: 'pro-3', name: 'Empty' },
    ];
    plays.accounts = [
      account('instagram'),
      account('instagram'),
      account('instagram'),
      account('googlebusiness'),
      account('facebook'),
      account('facebook', { _id: 'pro-1', name: 'Bakery' }),
      account('linkedin', 'pro-2'),
      account('threads', 'pro-2', { enabled: false }),
      account('bluesky', 'pro-4'),
      account('metaads'),
      account('metaads', 'pro-2', { parentAccountId: 'a' }),
      account('sms'),
      account('shopify'),
      account('reddit'),
      account('friendster'),
    ];
    expect((await start()).body.assessment).toEqual({
      brands: 5,
      pages_per_brand: 2,
      servable_accounts: 8,
      profiles: [
        {
          id: 'pro-1',
          name: 'Bakery',
          brands: 3,
          pages_per_brand: 2,
          servable_accounts: 6,
          splits: ['3 accounts of Instagram; a brand has one.'],
        },
        { id: 'pro-2', name: 'Café', brands: 1, pages_per_brand: 1, servable_accounts: 1, splits: [] },
        { id: 'pro-3', name: 'Empty', brands: 0, pages_per_brand: 0, servable_accounts: 0, splits: [] },
        { id: 'pro-4', name: '', brands: 1, pages_per_brand: 0, servable_accounts: 1, splits: [] },
      ],
      recommended_plan: { tier: 'starter', name: 'Starter', brands_limit: 10, pages_per_brand: -1 },
      stays_with_provider: [
        { platform: 'friendster', count: 1, reason: 'unknown platform' },
        { platform: 'metaads', count: 2, reason: 'ads' },
        { platform: 'reddit', count: 1, reason: 'unserved platform' },
        { platform: 'shopify', count: 1, reason: 'commerce' },
        { platform: 'sms', count: 1, reason: 'telephony' },
        { platform: 'threads', count: 1, reason: 'linked to another account' },
      ],
    });
  });

  it.each([
    [2, {}, 'free'],
    [3, {}, 'starter'],
    [51, {}, 'business'],
    [201, {}, 'enterprise'],
    [1, { PLAN_PLATFORMS: 'free=telegram, starter=instagram telegram' }, 'starter'],
    [
      1,
      { PLAN_PLATFORMS: 'free=telegram, starter=telegram, pro=telegram, business=telegram, enterprise=telegram' },
      'enterprise',
    ],
  ])('names the cheapest plan for %i brands with %j: %s', async (count, env, tier) => {
    const { plays, start } = await migrationWorld({ env });
    plays.accounts = Array.from({ length: count }, () => account('instagram'));
    const { body } = await start();
    expect([body.assessment.brands, body.assessment.recommended_plan.tier]).toEqual([count, tier]);
  });

  it('counts pages with the brands where the operator does', async () => {
    const pages = Array.from({ length: 4 }, () => account('facebook'));
    for (const [PROFILE_UNITS, tier] of [
      ['off', 'free'],
      ['on', 'starter'],
    ] as const) {
      const { plays, start } = await migrationWorld({ env: { PROFILE_UNITS } });
      plays.accounts = pages;
      const { assessment } = (await start()).body;
      expect([assessment.brands, assessment.recommended_plan.tier]).toEqual([1, tier]);
    }
  });

  it('reads the accounts again after 5 minutes, or when asked to', async () => {
    const { world, plays, asked, get, start } = await migrationWorld();
    await start();
    plays.accounts = [account('bluesky'), account('telegram')];
    world.clock.move(5 * MINUTE - 1);
    const servable = async (input = {}) => (await get(input)).assessment.servable_accounts;
    expect([await servable(), accountsAsked({ asked })]).toEqual([1, 1]);
    expect([await servable({ refresh: true }), accountsAsked({ asked })]).toEqual([2, 2]);
    plays.accounts = [];
    expect(await servable()).toBe(2);
    world.clock.move(5 * MINUTE);
    const { assessed_at, assessment } = await get();
    expect([assessed_at, assessment.servable_accounts, assessment.brands]).toEqual(['2026-01-15T09:09:59.999Z', 0, 0]);
  });

  it('reads once for all who ask meanwhile', async ({ migration: { world, asked, plays, start } }) => {
    await start();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    plays.hold = new Promise((resolve) => (plays.release = resolve));
    plays.onAsked = reach;
    const authority = authorityOver(world.workspaceId);
    const reads = Array.from({ length: 8 }, () =>
      world.product.modules.migrations.read(authority, 'zernio', { now: true }),
    );
    await reached;
    plays.release();
    const answers = await Promise.all(reads);
    expect([answers.filter(({ assessment }) => assessment !== null).length, accountsAsked({ asked })]).toEqual([8, 2]);
  });

  it('reads page by page, and each account once', async ({ migration: { plays, start } }) => {
    plays.accounts = Array.from({ length: 250 }, (_, at) => account('telegram', `pro-${at}`));
    plays.accounts.push(plays.accounts[0]);
    plays.profiles = Array.from({ length: 230 }, (_, at) => ({ _id: `pro-${at}`, name: `Profile ${at}` }));
    const { assessment } = (await start()).body;
    expect([assessment.servable_accounts, assessment.profiles.length, assessment.brands]).toEqual([250, 250, 250]);
    expect(assessment.profiles[229].name).toBe('Profile 229');
  });

  it('belongs to one workspace', async ({ migration: { world, start } }) => {
    await start();
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const theirs = await operationsOf(world, other.userId);
    expect((await theirs.get()).started).toBe(false);
    expect((await theirs.stop()).code).toBe('resource.not_found');
  });
});
