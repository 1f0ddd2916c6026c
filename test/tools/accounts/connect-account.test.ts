import { describe, expect } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { it, makeWorld, without, type Json, type World } from '../../harness/world.ts';
import {
  block,
  call,
  expectRefusal,
  expectRequired,
  INVALID,
  onFreePlan,
  REQUIRED,
  wholeList,
} from '../../harness/calls/operations.ts';
import { credentialsOf, personOf, upset } from '../../harness/platforms/bluesky-people.ts';
import { byToken, fakePlatform } from '../../harness/platforms/fake.ts';
import { postNow, publish } from '../../harness/calls/rest.ts';

const platform = 'bluesky';

/** Three people who want the place in a brand at once. */
const connectAll = (world: World, brand_id: string) =>
  [0, 1, 2].map((person) =>
    call(world, 'connect_account', { platform, metadata: credentialsOf(world, person), brand_id }),
  );

describe('connect_account', () => {
  it('answers where to send the person', async ({ world }) => {
    const input = { platform, redirect_uri: 'https://app.example.org/done?a=1', state: 'x'.repeat(512) };
    const { status, body } = await call(world, 'connect_account', input);
    expect(status).toBe(202);
    expect(body).toEqual({
      auth_url: `${world.root}/connect/bluesky/form?state=${body.state}`,
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: expect.any(String),
      metadata: { sandbox: true },
    });
    expect((await fetch(body.auth_url)).status).toBe(200);
    expect((await call(world, 'list_accounts')).body.count).toBe(0);
  });

  it('names a new brand after the account on one line, without hidden characters or half a letter', async () => {
    const slug = 'pinterest';
    const fake = fakePlatform(slug, { connect: byToken });
    const world = await makeWorld({ surroundings: { platforms: new Map([[slug, fake]]) } });
    const names: string[] = [];
    for (const token of ['Harbour\r\n\u202EBakery\u2066', `${'x'.repeat(115)}🥐`]) {
      const { body } = await world.rest('POST /v1/accounts/connect', { platform: slug, metadata: { token } });
      const { data } = (await call(world, 'list_brands')).body;
      names.push(data.find(({ id }: Json) => id === body.brand_id).name);
    }
    expect(names).toEqual(['The Harbour Bakery', `The ${'x'.repeat(115)}`]);
  });

  it('connects at once with credentials, in a new brand named after the account', async ({ world }) => {
    const receiver = await world.receive(['account.connected']);
    const { status, body } = await call(world, 'connect_account', { platform, metadata: credentialsOf(world) });
    const person = personOf(world);
    expect(status).toBe(201);
    expect(body).toEqual({
      account_id: expect.stringMatching(/^acc_/),
      brand_id: expect.stringMatching(/^brd_/),
      platform,
      username: person.handle,
      display_name: person.display_name,
      metadata: expect.objectContaining({ sandbox: true }),
    });
    const { data } = (await call(world, 'list_brands')).body;
    expect(data).toContainEqual(
      expect.objectContaining({ id: body.brand_id, name: person.display_name, accounts_count: 1 }),
    );
    await world.settle();
    expect(receiver.received.map(({ body: sent }) => sent)).toEqual([
      {
        event: 'account.connected',
        data: {
          account_id: body.account_id,
          brand_id: body.brand_id,
          platform,
          platform_user_id: expect.stringMatching(/^did:plc:/),
          username: person.handle,
          display_name: person.display_name,
          profile_picture_url: null,
          bio: null,
          profile_url: expect.stringContaining(person.handle),
          user_email: expect.stringContaining('@'),
          connected_at: '2026-01-15T09:00:00.000Z',
          metadata: { sandbox: true },
        },
      },
    ]);
  });

  it('refuses assistants an unknown member of metadata, with the nearest name of the platform', async ({ world }) => {
    const { identifier, ...rest } = credentialsOf(world);
    for (const [platform, metadata, told] of [
      [
        'bluesky',
        { identifer: identifier, ...rest },
        'unknown argument `metadata.identifer`; did you mean `identifier`?',
      ],
      [
        'bluesky',
        { ...rest, bot_token: '1:a' },
        'unknown argument `metadata.bot_token`; `metadata` takes redirect_uri, identifier, app_password, service.',
      ],
      ['telegram', { botToken: '1:a' }, 'unknown argument `metadata.botToken`; did you mean `bot_token`?'],
    ] as const) {
      const { isError, body } = await world.mcp('connect_account', { platform, metadata });
      expect([isError, body.error.code]).toEqual([true, 'validation.field_invalid']);
      expect(body.error.message).toBe(`Nothing was done: ${told} Correct it and call again.`);
    }
    expect((await call(world, 'list_accounts')).body.data).toEqual([]);
    // REST ignores it, and null is what is left out.
    const known = { platform: 'bluesky', metadata: { identifier, ...rest, colour: 'red' } };
    expect((await world.rest('POST /v1/accounts/connect', known)).status).toBe(201);
    const absent = { platform: 'bluesky', metadata: { identifier, ...rest, bot_token: null, colour: null } };
    expect(await world.mcp('connect_account', absent)).toMatchObject({ isError: false });
  });

  it('reads what people paste: an @, capitals, the address of the profile', async ({ world }) => {
    const { identifier, app_password } = credentialsOf(world);
    const ways = [`@${identifier}`, ` ${identifier.toUpperCase()} `, `https://bsky.app/profile/${identifier}`];
    for (const pasted of ways) {
      const metadata = { identifier: pasted, app_password: ` ${app_password}\n` };
      expect((await call(world, 'connect_account', { platform, metadata })).ok).toBe(true);
    }
    expect((await call(world, 'list_accounts')).body.count).toBe(1);
  });

  it('connects a known login again: same account, same brand, same history', async ({ world }) => {
    const account = await world.connect(0, world.brandId);
    const { body: post } = await publish(world, account.id, { text: 'a' });
    world.clock.move(1000);
    for (const brand_id of [undefined, world.brandId]) {
      const input = { platform, metadata: credentialsOf(world), ...(brand_id && { brand_id }) };
      const { body } = await call(world, 'connect_account', input);
      expect(body).toMatchObject({ account_id: account.id, brand_id: world.brandId });
    }
    expect((await call(world, 'list_accounts')).body).toEqual(wholeList(1, [account]));
    expect((await call(world, 'list_brands')).body.count).toBe(1);
    expect((await postNow(world, post.id)).results).toEqual(post.results);
    expect((await publish(world, account.id, { text: 'b' })).status).toBe(201);
  });

  it('keeps what it knows where the platform leaves it out', async ({ world, account }) => {
    const known = { bio: 'Bakes bread', profile_picture_url: 'https://cdn.example.org/a.jpg' };
    await world.product.store.write(({ db }) => db.updateTable('accounts').set(known).execute());
    await world.connect();
    expect((await call(world, 'list_accounts')).body.data).toEqual([{ ...account, ...known }]);
  });

  it('brings an account back that had to be connected again', async ({ world, account }) => {
    upset(world, 'revoked');
    await publish(world, account.id, { text: 'a' });
    expect((await call(world, 'list_accounts')).body.data[0].status).toBe('reconnect_required');
    await call(world, 'connect_account', { platform, metadata: credentialsOf(world) });
    expect((await call(world, 'list_accounts')).body.data).toEqual([account]);
  });

  it.for([
    [{}, REQUIRED, 'platform'],
    [{ platform: '' }, REQUIRED, 'platform'],
    [{ platform, state: 'x'.repeat(513) }, INVALID, 'state'],
    [{ platform, redirect_uri: 'http://app.example.org/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'javascript:alert(1)' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: '/done' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https://me:pw@app.example.org/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https://app.example.org/#part' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https:app.example.org/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https:///app.example.org/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https://app.example.org:0/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'https://93.184.216.34/' }, INVALID, 'redirect_uri'],
    [{ platform, redirect_uri: 'http://localhost.evil.example/' }, INVALID, 'redirect_uri'],
    [{ platform, metadata: { redirect_uri: 'http://app.example.org/' } }, INVALID, 'metadata.redirect_uri'],
    [{ platform, metadata: { redirect_uri: 7 } }, INVALID, 'metadata.redirect_uri'],
    [
      { platform, metadata: { redirect_uri: `https://app.example.org/${'x'.repeat(2048)}` } },
      INVALID,
      'metadata.redirect_uri',
    ],
    [
      { platform, redirect_uri: '/done', metadata: { redirect_uri: 'https://app.example.org/' } },
      INVALID,
      'redirect_uri',
    ],
    [{ platform, metadata: { identifier: 5 } }, INVALID, 'metadata.identifier'],
    [{ platform: 'telegram', metadata: { bot_token: 5 } }, INVALID, 'metadata.bot_token'],
    [{ platform: 'whatsapp', metadata: { phone_number_id: 123 } }, INVALID, 'metadata.phone_number_id'],
    [{ platform: 'tiktok', metadata: { apikey: {} } }, INVALID, 'metadata.apikey'],
    [{ platform: 'tiktok', metadata: { login: [] } }, INVALID, 'metadata.login'],
    [{ platform, metadata: 'words' }, INVALID, 'metadata'],
    [{ platform, metadata: { identifier: 'x'.repeat(65_536) } }, INVALID, 'metadata'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    await expectRefusal(call(world, 'connect_account', input), code, { field });
  });

  it.for([
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/',
    'https://app.example.org/cb?x=%20y',
  ])('takes %s as redirect_uri', async (redirect_uri, { world }) => {
    expect((await call(world, 'connect_account', { platform, redirect_uri })).ok).toBe(true);
  });

  it('distinguishes a platform that there is none of from one that cannot be connected here', async () => {
    const world = await makeWorld({ surroundings: { platforms: without('zalo') } });
    const unknown = await call(world, 'connect_account', { platform: 'myspace' });
    expect(unknown).toMatchObject({ code: 'account.unsupported_platform', meta: { field: 'platform' } });
    const absent = await call(world, 'connect_account', { platform: 'zalo' });
    expect(absent).toMatchObject({ code: 'resource.not_supported', meta: { platform: 'zalo' } });
    expect([unknown.status, absent.status]).toEqual([400, 501]);
  });

  it('wants a brand that exists, and one of their own from keys limited to brands', async ({ world }) => {
    const { body: other } = await world.rest('POST /v1/brands', { name: 'Other' });
    const key = await world.newKey({ brand_ids: [other.id] });
    const metadata = credentialsOf(world);
    const none = call(world, 'connect_account', { platform, metadata, brand_id: 'brd_none' });
    await expectRefusal(none, 'brand.not_found', { resource: 'brand', id: 'brd_none' });
    await expectRequired(call(world, 'connect_account', { platform, metadata }, { key }), 'brand_id');
    const foreign = call(world, 'connect_account', { platform, metadata, brand_id: world.brandId }, { key });
    await expectRefusal(foreign, 'brand.not_found', { id: world.brandId });
    const own = await call(world, 'connect_account', { platform, metadata, brand_id: other.id }, { key });
    expect(own.body.brand_id).toBe(other.id);
  });

  it('refuses a login that is connected elsewhere, in this workspace or another', async ({ world, account }) => {
    const metadata = credentialsOf(world);
    const elsewhere = { platform, metadata, brand_id: world.brandId };
    const linked = await call(world, 'connect_account', elsewhere);
    const where = { brand_id: account.brand_id, account_id: account.id };
    expect([linked.status, linked.code, linked.meta]).toEqual([409, 'account.already_linked', { platform, ...where }]);
    const { name } = (await call(world, 'list_brands')).body.data.find(({ id }: Json) => id === account.brand_id);
    expect(linked.body.error.message).toContain(`already connected in the brand "${name}"`);
    // A key for one brand learns nothing of another one, and strangers learn nothing at all.
    const limited = await world.newKey({ brand_ids: [world.brandId] });
    const both = await world.newKey({ brand_ids: [world.brandId, account.brand_id] });
    const { key } = await world.stranger();
    const ask = { platform, metadata };
    const untold = [
      await call(world, 'connect_account', elsewhere, { key: limited }),
      await call(world, 'connect_account', ask, { key }),
    ];
    for (const { code, meta, body } of untold) {
      expect([code, meta]).toEqual(['account.already_linked', { platform }]);
      for (const secret of [account.id, account.brand_id, name]) expect(JSON.stringify(body)).not.toContain(secret);
    }
    const told = await call(world, 'connect_account', elsewhere, { key: both });
    expect(told.meta).toEqual({ platform, ...where });
    // A refused connection leaves no brand behind.
    expect((await call(world, 'list_brands', {}, { key })).body.count).toBe(1);
  });

  it('lets one of many who connect a login at once have it', async ({ world }) => {
    const strangers = await Promise.all([1, 2, 3].map(() => world.stranger()));
    const input = { platform, metadata: credentialsOf(world) };
    const replies = await Promise.all(strangers.map(({ key }) => call(world, 'connect_account', input, { key })));
    expect(replies.map(({ code }) => code ?? 'none').toSorted()).toEqual([
      'account.already_linked',
      'account.already_linked',
      'none',
    ]);
    const counts = await Promise.all(strangers.map(({ key }) => call(world, 'list_brands', {}, { key })));
    expect(counts.map(({ body }) => String(body.count)).toSorted()).toEqual(['1', '1', '2']);
  });

  it('refuses a second account of a platform in a brand', async ({ world }) => {
    const account = await world.connect(0, world.brandId);
    const other = { platform, metadata: credentialsOf(world, 1), brand_id: world.brandId };
    const refused = await call(world, 'connect_account', other);
    const meta = { resource: 'account', id: account.id };
    expect([refused.status, refused.code, refused.meta]).toEqual([409, 'resource.conflict', meta]);
  });

  it('gives the place in a brand to one of many who want it at once', async ({ world }) => {
    const replies = await Promise.all(connectAll(world, world.brandId));
    expect(replies.map(({ code }) => code ?? 'none').toSorted()).toEqual([
      'none',
      'resource.conflict',
      'resource.conflict',
    ]);
    const { data } = (await call(world, 'list_accounts')).body;
    expect(data).toHaveLength(1);
    for (const { code, meta } of replies) if (code) expect(meta).toEqual({ resource: 'account', id: data[0].id });
  });

  it('refuses a platform that is not part of the plan', async ({ world }) => {
    const plan = { allowed_platforms: ['facebook'] } as const;
    await world.product.store.write(({ db }) => db.updateTable('workspaces').set(plan).execute());
    world.product.callers.forget();
    for (const input of [{ platform }, { platform, metadata: credentialsOf(world) }]) {
      const { status, code, meta } = await call(world, 'connect_account', input);
      expect([status, code, meta]).toEqual([403, 'billing.platform_not_available', { plan: 'enterprise' }]);
    }
    await expectRefusal(call(world, 'get_oauth_url', { platform }), 'billing.platform_not_available');
    expect(world.product.sandbox!.requests()).toEqual([]);
  });

  it.for(['https://10.1.2.3', 'https://169.254.169.254/latest', 'https://pds.no-such-name.invalid', 'ftp://127.0.0.1'])(
    'calls a server that cannot be reached the mistake of who named it: %s',
    async (service, { world }) => {
      const metadata = { ...credentialsOf(world), service };
      const { status, code } = await call(world, 'connect_account', { platform, metadata });
      expect([status, code]).toEqual([400, 'platform.bluesky.invalid_request']);
    },
  );

  it('makes no brand beyond the plan, but connects known logins and named brands', async ({ world }) => {
    await onFreePlan(world);
    const { body: second } = await world.rest('POST /v1/brands', { name: 'Second' });
    const meta = { plan: 'free', max: 2 };
    await expectRefusal(call(world, 'connect_account', { platform }), 'brand.limit_reached', meta);
    const account = await world.connect(0, world.brandId);
    expect((await call(world, 'connect_account', { platform })).body.auth_url).toBeDefined();
    const further = call(world, 'connect_account', { platform, metadata: credentialsOf(world, 1) });
    await expectRefusal(further, 'brand.limit_reached', meta);
    const again = await call(world, 'connect_account', { platform, metadata: credentialsOf(world, 0) });
    expect(again.body.account_id).toBe(account.id);
    const named = { platform, metadata: credentialsOf(world, 1), brand_id: second.id };
    expect((await call(world, 'connect_account', named)).ok).toBe(true);
  });

  it('passes on why the platform refused, and keeps nothing', async ({ world }) => {
    const { identifier } = credentialsOf(world);
    const metadata = { identifier, app_password: 'aaaa-bbbb-cccc-dddd' };
    const wrong = await call(world, 'connect_account', { platform, metadata });
    expect([wrong.status, wrong.code]).toEqual([401, 'platform.bluesky.auth']);
    const handle = call(world, 'connect_account', { platform, metadata: { ...metadata, identifier: 'no handle' } });
    await expectRefusal(handle, 'platform.bluesky.invalid_request');
    upset(world, 'throttled');
    const throttled = await call(world, 'connect_account', { platform, metadata: credentialsOf(world) });
    expect([throttled.status, throttled.code]).toEqual([429, 'platform.bluesky.rate_limit']);
    upset(world, 'error_after', { times: 5 });
    const failed = await call(world, 'connect_account', { platform, metadata: credentialsOf(world) });
    expect([failed.status, failed.code]).toEqual([502, 'platform.bluesky.api_error']);
    expect((await call(world, 'list_accounts')).body.count).toBe(0);
    expect((await call(world, 'list_brands')).body.count).toBe(1);
  });

  it('asks for the form when credentials are incomplete', async ({ world }) => {
    const { identifier } = credentialsOf(world);
    for (const metadata of [{ identifier }, { identifier, app_password: '  ' }, { app_password: null }])
      expect((await call(world, 'connect_account', { platform, metadata })).body.auth_url).toMatch(/^http/);
  });

  it('connects nothing while past due', async ({ world }) => {
    await block(world);
    const input = { platform, metadata: credentialsOf(world) };
    await expectRefusal(call(world, 'connect_account', input), 'billing.past_due');
    expect(world.product.sandbox!.requests()).toEqual([]);
  });
});

describeStores('connect_account by several servers at once', { kinds: ['postgres'] }, ({ place }) => {
  it('gives the place in a brand to one of them, and says to the others who has it', async () => {
    const world = await makeWorld({ store: await place() });
    for (let round = 0; round < 3; round += 1) {
      const { body: brand } = await world.rest('POST /v1/brands', { name: `Round ${round}` });
      const replies = await Promise.all(connectAll(world, brand.id));
      const { data } = (await call(world, 'list_accounts')).body;
      expect(data).toHaveLength(1);
      const refusal = [409, 'resource.conflict', { resource: 'account', id: data[0].id }];
      const refused = replies.filter(({ ok }) => !ok).map(({ status, code, meta }) => [status, code, meta]);
      expect(refused).toEqual([refusal, refusal]);
      await call(world, 'disconnect_account', { account_id: data[0].id });
    }
  });
});

it('connect_account does not ask the platform to sign a 401 like ours', async ({ world }) => {
  const metadata = { identifier: personOf(world).handle, app_password: 'aaaa-bbbb-cccc-dddd' };
  const { status, headers } = await world.rest('POST /v1/accounts/connect', { platform, metadata });
  expect([status, headers.get('www-authenticate')]).toEqual([401, null]);
});
