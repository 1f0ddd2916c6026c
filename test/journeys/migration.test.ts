import { Zernio, ZernioApiError } from '@zernio/node';
import { describe, expect } from 'vitest';
import { operationsOf } from '../engine/migrations/world.ts';
import { it as test, type Json, type World } from '../harness/world.ts';

const OLIVIA = 'olivia.sandbox.test';

/** A company of the sandbox, with its client as it has always been but for the base URL. */
async function openCompany(world: World) {
  const { sandbox } = world.product;
  await sandbox!.open('zernio');
  const personOf = (network: string, handle: string) =>
    sandbox!.people().find((person) => person.network === network && person.handle === handle)!;
  const apiKey = personOf('zernio', OLIVIA).credentials['API key']!;
  const act = async (name: string, input: Readonly<Record<string, string>>): Promise<Json> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) };
    const answer = await fetch(`${world.root}/sandbox/__control/zernio/${name}`, init);
    expect([name, answer.status]).toEqual([name, 200]);
    return ((await answer.json()) as Json).data.done;
  };
  return { apiKey, personOf, act, ...(await operationsOf(world)) };
}

const it = test.extend('company', ({ world }) => openCompany(world));

const refusal = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  return error instanceof ZernioApiError ? error.statusCode : error;
};

describe('a company that moves from Zernio', () => {
  it('looks, starts, points its client here, connects an account and stops', async ({ world, company }) => {
    const { apiKey, get, start, stop } = company;
    expect((await get()).started).toBe(false);
    const { body } = await start({ api_key: apiKey });
    expect(body).toMatchObject({
      started: true,
      base_url: `${world.root}/migrate/zernio`,
      assessment_error: null,
      assessment: {
        brands: 2,
        pages_per_brand: 1,
        servable_accounts: 6,
        profiles: [
          { name: 'Harbour Coffee', brands: 1, servable_accounts: 4, splits: [] },
          { name: 'Harbour Bakery', brands: 1, servable_accounts: 2, splits: [] },
        ],
        recommended_plan: { tier: 'free' },
        stays_with_provider: [{ platform: 'reddit', count: 1, reason: 'unserved platform' }],
      },
      cut_over: 0,
      forwarded_calls: 0,
    });

    const zernio = new Zernio({ apiKey, baseURL: body.base_url });
    const { data: listed } = await zernio.accounts.listAccounts({ query: { platform: 'twitter' } });
    const [{ _id: accountId }] = listed!.accounts as [{ _id: string }];
    const post = { content: 'Still here', platforms: [{ platform: 'twitter', accountId }], publishNow: true } as const;
    const { data: made } = await zernio.posts.createPost({ body: post });
    expect(made).toMatchObject({ post: { content: 'Still here', status: 'published' } });
    // Its refusals are those of the provider.
    expect(await refusal(zernio.posts.getPost({ path: { postId: 'f'.repeat(24) } }))).toBe(404);
    expect((await get()).forwarded_calls).toBe(3);

    const { handle: identifier, credentials } = company.personOf('bluesky', 'alice.sandbox.test');
    const metadata = { identifier, app_password: credentials['app_password'] };
    const connected = await world.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata });
    expect([connected.status, (await get()).cut_over]).toEqual([201, 1]);

    await stop();
    expect(await refusal(zernio.profiles.listProfiles())).toBe(404);
    expect(await get()).toMatchObject({ started: false, cut_over: 0, forwarded_calls: 0 });
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it.for([
    ['unavailable', 'migration.source_unavailable'],
    ['error', 'migration.source_unavailable'],
    ['page', 'migration.source_unavailable'],
    ['nonsense', 'migration.source_unavailable'],
    ['huge', 'migration.source_unavailable'],
    ['redirect inside', 'migration.source_unavailable'],
    ['redirect here', 'migration.source_unavailable'],
    ['no', null],
  ] as const)('is told what is wrong with a provider that answers with %s: %s', async ([how, why], { company }) => {
    await company.act('misbehave', { how });
    expect((await company.start({ api_key: company.apiKey })).body.assessment_error).toBe(why);
  });

  it.for([
    ['without accounts', 'migration.key_restricted'],
    ['expired', 'migration.key_invalid'],
    ['read only', null],
    ['accounts only', null],
  ] as const)('is told what is wrong with a key that is %s: %s', async ([kind, why], { company }) => {
    const { key } = await company.act('add_key', { team: OLIVIA, kind, profiles: '' });
    expect((await company.start({ api_key: key })).body.assessment_error).toBe(why);
  });

  it('may have more accounts than fit on a page', async ({ company }) => {
    const { key, profile } = await company.act('add_team', { handle: 'big', name: 'Big' });
    await company.act('connect_many', { profile, platform: 'instagram', count: '250' });
    expect((await company.start({ api_key: key })).body.assessment).toMatchObject({
      brands: 250,
      servable_accounts: 250,
      profiles: [{ name: 'Default', splits: ['250 accounts of Instagram; a brand has one.'] }],
      recommended_plan: { tier: 'enterprise' },
    });
  });
});
