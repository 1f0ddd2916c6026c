import { describe, expect } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { it as test, type World } from '../../harness/world.ts';
import { onFreePlan } from '../../harness/calls/operations.ts';
import { authorityOver } from '#kernel/authority.ts';
import { consentWorld, profileOf } from '../../harness/worlds/consent.ts';
import { refusalOf } from '../../harness/calls/rest.ts';

const it = test.extend('consent', () => consentWorld());

const ask = { platform: 'google', code: 'abc' };

const exchange = (world: World, input: object = ask, options?: { key: string }) =>
  world.rest('POST /v1/oauth/exchange', input, options);
const refusalFor = (...asked: Parameters<typeof exchange>) => refusalOf(exchange(...asked));
const WRONG_STATE = [403, 'auth.state_mismatch'];

/** The state of a connection that has begun. */
const begun = async (world: World, more: object = {}): Promise<string> =>
  (await world.rest('POST /v1/accounts/connect', { platform: 'google', ...more })).body.state;

describe('exchange_oauth', () => {
  it('makes an account of a code, with the address it was sent to', async ({ consent: { world, script } }) => {
    const receiver = await world.receive(['account.connected']);
    const metadata = { redirect_uri: 'https://app.example.org/callback', other: 1 };
    const { status, body } = await exchange(world, { ...ask, metadata });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      platform: 'google',
      username: 'user.1',
      display_name: 'User 1',
      metadata: { sandbox: true },
    });
    expect(script.finished[0]).toMatchObject({ params: { code: 'abc' }, callback: metadata.redirect_uri, secrets: {} });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
    expect((await world.rest('GET /v1/accounts')).body.data[0].id).toBe(body.account_id);
  });

  it('does the same through MCP', async ({ consent: { world } }) => {
    const { isError, body } = await world.mcp('exchange_oauth', { ...ask, brand_id: world.brandId });
    expect([isError, body.brand_id]).toEqual([false, world.brandId]);
  });

  it.each(['state', 'metadata'])('takes the platform, brand and secrets from a state of ours in %s', async (where) => {
    const { world, script } = await consentWorld({ needsState: true });
    const state = await begun(world, { brand_id: world.brandId });
    const input = where === 'state' ? { code: 'abc', state } : { code: 'abc', metadata: { state } };
    const { status, body } = await exchange(world, input);
    expect([status, body.brand_id]).toEqual([201, world.brandId]);
    expect(script.finished[0]).toMatchObject({
      params: { code: 'abc', state },
      callback: `${world.root}/connect/google/callback`,
      secrets: { verifier: 'kept' },
    });
    expect(await refusalFor(world, input)).toEqual(WRONG_STATE);
    expect(script.finished).toHaveLength(1);
  });

  it('spends a state once, of many at the same time', async ({ consent: { world, script } }) => {
    const state = await begun(world);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(world, { code: 'abc', state })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403, 403]);
    expect(script.finished).toHaveLength(1);
  });

  it('leaves a state usable when nothing has reached the platform', async ({ consent: { world, script } }) => {
    const state = await begun(world);
    script.refusal = new PlatformError('not_sent', 'api_error', 'The platform cannot be reached.');
    expect((await exchange(world, { code: 'abc', state })).status).toBe(502);
    delete script.refusal;
    expect((await exchange(world, { code: 'abc', state })).status).toBe(201);
  });

  it('refuses a state that is unknown, expired, of another platform or of another workspace', async () => {
    const { world } = await consentWorld();
    const state = await begun(world);
    const refused = async (input: object, options?: { key: string }) =>
      expect(await refusalFor(world, { code: 'abc', ...input }, options)).toEqual(WRONG_STATE);
    await refused({ state: 'made up' });
    await refused({ state, platform: 'bluesky' });
    await refused({ state }, await world.stranger());
    world.clock.move(15 * 60_000);
    await refused({ state });
  });

  it('answers the profiles where there are several, one of which is then selected', async () => {
    const { world, script } = await consentWorld();
    script.profiles = [profileOf('1'), profileOf('2')];
    const { status, body } = await exchange(world);
    expect([status, body]).toMatchObject([200, { status: 'selection_required', platform: 'google' }]);
    expect(body.profiles[1]).toEqual({
      platform_account_id: '2',
      display_name: 'User 2',
      username: 'user.2',
      profile_picture_url: '',
      bio: 'Hello',
    });
    const path = `/v1/accounts/pending/${body.connection_id}` as const;
    const select = (id: string) => world.rest(`POST ${path}/select`, { platform_account_id: id });
    expect(await refusalOf(select('3'))).toEqual([400, 'validation.field_invalid']);
    const answers = await Promise.all(['1', '2'].map(select));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 404]);
    expect((await world.rest(`GET ${path}`)).body.error.code).toBe('resource.not_found');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it('refuses what it cannot read, one thing at a time', async ({ consent: { world } }) => {
    const refused = async (input: object, status: number, code: string, field?: string) => {
      const answer = await exchange(world, input);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      if (field !== undefined) expect(answer.body.error.meta.field).toBe(field);
    };
    await refused({ platform: 'google' }, 400, 'validation.field_required', 'code');
    await refused({ code: 'abc' }, 400, 'validation.field_required', 'platform');
    await refused({ ...ask, platform: 'myspace' }, 400, 'account.unsupported_platform');
    await refused({ ...ask, brand_id: 'brd_none' }, 404, 'brand.not_found');
    await refused({ ...ask, metadata: { redirect_uri: 'javascript:1' } }, 400, 'validation.field_invalid');
    const authority = authorityOver(world.workspaceId);
    await world.product.modules.redirects.create(authority, 'https://app.example.org/ok', undefined);
    await refused({ ...ask, metadata: { redirect_uri: 'https://other.example/' } }, 400, 'auth.oauth.invalid_redirect');
  });

  it('says that a platform of forms has no codes', async ({ world }) => {
    expect(await refusalFor(world, { ...ask, platform: 'bluesky' })).toEqual([501, 'resource.not_supported']);
  });

  it('says which setting is missing where the platform is not configured', async () => {
    const { world } = await consentWorld({ env: { SANDBOX: 'off' } });
    const error = { code: 'byok.credentials_missing', meta: { field: 'GOOGLE_CLIENT_ID' } };
    expect(await exchange(world)).toMatchObject({ status: 412, body: { error } });
  });

  it('passes on what the platform refuses', async ({ consent: { world, script } }) => {
    script.refusal = new PlatformError('refused', 'invalid_request', 'The code was used already.');
    const message = expect.stringMatching(/^The code was used already\. Correct /);
    const error = { code: 'platform.google.invalid_request', message };
    expect(await exchange(world)).toMatchObject({ status: 400, body: { error } });
  });

  it('holds the limits of the plan and of the key', async ({ consent: { world, script } }) => {
    const key = await world.newKey({ brand_ids: [world.brandId] });
    const without = await exchange(world, ask, { key });
    expect([without.status, without.body.error.meta.field]).toEqual([400, 'brand_id']);
    const other = (await world.rest('POST /v1/brands', { name: 'Other' })).body.id;
    expect((await exchange(world, { ...ask, brand_id: other }, { key })).status).toBe(404);
    expect((await exchange(world, { ...ask, brand_id: world.brandId }, { key })).status).toBe(201);
    await onFreePlan(world);
    expect((await exchange(world, { ...ask, code: 'again' })).status).toBe(201);
    script.profiles = [profileOf('9')];
    expect(await refusalFor(world, { ...ask, code: 'more' })).toEqual([403, 'brand.limit_reached']);
  });
});
