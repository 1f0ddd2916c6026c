import { describe, expect } from 'vitest';
import { PlatformError } from '../../../src/platforms/errors.ts';
import { it as test } from '../../harness/world.ts';
import { onFreePlan } from '../../harness/calls/operations.ts';
import { authorityOver } from '../../../src/kernel/authority.ts';
import { consentWorld, profileOf } from '../../harness/worlds/consent.ts';

const it = test.extend('consent', () => consentWorld());

const ask = { platform: 'google', code: 'abc' };

describe('exchange_oauth', () => {
  it('makes an account of a code, with the address it was sent to', async ({ consent: { world, script } }) => {
    const receiver = await world.receive(['account.connected']);
    const metadata = { redirect_uri: 'https://app.example.org/callback', other: 1 };
    const { status, body } = await world.rest('POST /v1/oauth/exchange', { ...ask, metadata });
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
    const started = await world.rest('POST /v1/accounts/connect', { platform: 'google', brand_id: world.brandId });
    const { state } = started.body;
    const input = where === 'state' ? { code: 'abc', state } : { code: 'abc', metadata: { state } };
    const { status, body } = await world.rest('POST /v1/oauth/exchange', input);
    expect([status, body.brand_id]).toEqual([201, world.brandId]);
    expect(script.finished[0]).toMatchObject({
      params: { code: 'abc', state },
      callback: `${world.root}/connect/google/callback`,
      secrets: { verifier: 'kept' },
    });
    const again = await world.rest('POST /v1/oauth/exchange', input);
    expect([again.status, again.body.error.code]).toEqual([403, 'auth.state_mismatch']);
    expect(script.finished).toHaveLength(1);
  });

  it('spends a state once, of many at the same time', async ({ consent: { world, script } }) => {
    const { state } = (await world.rest('POST /v1/accounts/connect', { platform: 'google' })).body;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.rest('POST /v1/oauth/exchange', { code: 'abc', state })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403, 403]);
    expect(script.finished).toHaveLength(1);
  });

  it('leaves a state usable when nothing has reached the platform', async ({ consent: { world, script } }) => {
    const { state } = (await world.rest('POST /v1/accounts/connect', { platform: 'google' })).body;
    script.refusal = new PlatformError('not_sent', 'api_error', 'The platform cannot be reached.');
    expect((await world.rest('POST /v1/oauth/exchange', { code: 'abc', state })).status).toBe(502);
    delete script.refusal;
    expect((await world.rest('POST /v1/oauth/exchange', { code: 'abc', state })).status).toBe(201);
  });

  it('refuses a state that is unknown, expired, of another platform or of another workspace', async () => {
    const { world } = await consentWorld();
    const { state } = (await world.rest('POST /v1/accounts/connect', { platform: 'google' })).body;
    const refused = async (input: object, key?: string) => {
      const { status, body } = await world.rest(
        'POST /v1/oauth/exchange',
        { code: 'abc', ...input },
        key ? { key } : {},
      );
      expect([status, body.error.code]).toEqual([403, 'auth.state_mismatch']);
    };
    await refused({ state: 'made up' });
    await refused({ state, platform: 'bluesky' });
    await refused({ state }, (await world.stranger()).key);
    world.clock.move(15 * 60_000);
    await refused({ state });
  });

  it('answers the profiles where there are several, one of which is then selected', async () => {
    const { world, script } = await consentWorld();
    script.profiles = [profileOf('1'), profileOf('2')];
    const { status, body } = await world.rest('POST /v1/oauth/exchange', ask);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'selection_required', platform: 'google' });
    expect(body.profiles[1]).toEqual({
      platform_account_id: '2',
      display_name: 'User 2',
      username: 'user.2',
      profile_picture_url: '',
      bio: 'Hello',
    });
    const path = `/v1/accounts/pending/${body.connection_id}` as const;
    const wrong = await world.rest(`POST ${path}/select`, { platform_account_id: '3' });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'validation.field_invalid']);
    const answers = await Promise.all(
      ['1', '2'].map((id) => world.rest(`POST ${path}/select`, { platform_account_id: id })),
    );
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 404]);
    expect((await world.rest(`GET ${path}`)).body.error.code).toBe('resource.not_found');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it('refuses what it cannot read, one thing at a time', async ({ consent: { world } }) => {
    const refused = async (input: object, status: number, code: string, field?: string) => {
      const answer = await world.rest('POST /v1/oauth/exchange', input);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      if (field !== undefined) expect(answer.body.error.meta.field).toBe(field);
    };
    await refused({ platform: 'google' }, 400, 'validation.field_required', 'code');
    await refused({ code: 'abc' }, 400, 'validation.field_required', 'platform');
    await refused({ ...ask, platform: 'myspace' }, 400, 'account.unsupported_platform');
    await refused({ ...ask, brand_id: 'brd_none' }, 404, 'brand.not_found');
    await refused({ ...ask, metadata: { redirect_uri: 'javascript:1' } }, 400, 'validation.field_invalid');
    await world.product.modules.redirects.create(
      authorityOver(world.workspaceId),
      'https://app.example.org/ok',
      undefined,
    );
    await refused({ ...ask, metadata: { redirect_uri: 'https://other.example/' } }, 400, 'auth.oauth.invalid_redirect');
  });

  it('says that a platform of forms has no codes', async ({ world }) => {
    const { status, body } = await world.rest('POST /v1/oauth/exchange', { platform: 'bluesky', code: 'abc' });
    expect([status, body.error.code]).toEqual([501, 'resource.not_supported']);
  });

  it('says which setting is missing where the platform is not configured', async () => {
    const { world } = await consentWorld({ env: { SANDBOX: 'off' } });
    const { status, body } = await world.rest('POST /v1/oauth/exchange', ask);
    expect(status).toBe(412);
    expect(body.error.code).toBe('byok.credentials_missing');
    expect(body.error.meta.field).toBe('GOOGLE_CLIENT_ID');
  });

  it('passes on what the platform refuses', async ({ consent: { world, script } }) => {
    script.refusal = new PlatformError('refused', 'invalid_request', 'The code was used already.');
    const { status, body } = await world.rest('POST /v1/oauth/exchange', ask);
    expect(status).toBe(400);
    expect(body.error).toEqual(
      expect.objectContaining({
        code: 'platform.google.invalid_request',
        message: expect.stringMatching(/^The code was used already\. Correct /),
      }),
    );
  });

  it('holds the limits of the plan and of the key', async ({ consent: { world, script } }) => {
    const key = await world.newKey({ brand_ids: [world.brandId] });
    const without = await world.rest('POST /v1/oauth/exchange', ask, { key });
    expect([without.status, without.body.error.meta.field]).toEqual([400, 'brand_id']);
    const other = (await world.rest('POST /v1/brands', { name: 'Other' })).body.id;
    expect((await world.rest('POST /v1/oauth/exchange', { ...ask, brand_id: other }, { key })).status).toBe(404);
    expect((await world.rest('POST /v1/oauth/exchange', { ...ask, brand_id: world.brandId }, { key })).status).toBe(
      201,
    );
    await onFreePlan(world);
    expect((await world.rest('POST /v1/oauth/exchange', { ...ask, code: 'again' })).status).toBe(201);
    script.profiles = [profileOf('9')];
    const full = await world.rest('POST /v1/oauth/exchange', { ...ask, code: 'more' });
    expect([full.status, full.body.error.code]).toEqual([403, 'brand.limit_reached']);
  });
});
