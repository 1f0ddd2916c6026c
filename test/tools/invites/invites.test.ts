import { DAY } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { call, callMcp, expectRefusal } from '../../harness/calls/operations.ts';
import { consentWorld } from '../../harness/worlds/consent.ts';
import { invite, openInvite } from '../../harness/worlds/invited.ts';
import { makeWorld, type Json } from '../../harness/world.ts';

const it = test.extend('consent', () => consentWorld());

describe('create_invite', () => {
  it('makes a link that list_invites shows again', async ({ consent: { world } }) => {
    const made = await invite(world, { expires_in_days: 3 });
    expect(made).toMatchObject({ brand_id: world.brandId, platform: 'google', is_active: true, account_id: null });
    expect(made.id).toMatch(/^inv_/);
    expect(made.token).toMatch(/^[0-9a-f]{64}$/);
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(3 * DAY);
    const { body } = await call(world, 'list_invites', { brand_id: world.brandId });
    expect([body.count, body.data]).toEqual([1, [made]]);
    const [stored] = await world.product.store.db.selectFrom('invites').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(made.token);
    expect(world.log.join('')).not.toContain(made.token);
  });

  it('takes five lengths alone, and says so in the words of the contract', async ({ consent: { world } }) => {
    const ask = { brand_id: world.brandId, platform: 'google' };
    for (const expires_in_days of [undefined, null, 0, 2, 31, 1.5, '7', [7]]) {
      const { status, body } = await world.rest('POST /v1/invites', { ...ask, expires_in_days });
      const refusal = { code: 'validation.field_invalid', meta: { field: 'expires_in_days' } };
      expect([status, body.error]).toMatchObject([400, refusal]);
      expect(body.error.message).toBe('expires_in_days must be one of: 1, 3, 7, 14, 30');
    }
    const { code, body } = await callMcp(world, 'create_invite', ask);
    expect(code).toBe('validation.field_invalid');
    expect(body.error.message).toContain('1, 3, 7, 14, 30');
  });

  it('names the brand and the platform there must be', async ({ consent: { world } }) => {
    const ask = { brand_id: world.brandId, platform: 'google', expires_in_days: 7 };
    const create = (more: object) => call(world, 'create_invite', { ...ask, ...more });
    await expectRefusal(create({ brand_id: 'brd_none' }), 'brand.not_found', { id: 'brd_none' });
    await expectRefusal(create({ platform: 'friendster' }), 'account.unsupported_platform', { field: 'platform' });
    await expectRefusal(create({ platform: 'bluesky' }), 'resource.not_supported');
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'create_invite', ask, { key }), 'brand.not_found');
  });

  it('is refused where an invite waits, and where the brand has its account', async ({ consent: { world } }) => {
    const ask = { brand_id: world.brandId, platform: 'google', expires_in_days: 1 };
    const both = await Promise.all([1, 2].map(() => world.rest('POST /v1/invites', ask)));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const second = await world.rest('POST /v1/invites', ask);
    expect(second.body.error.message).toMatch(/^an active invite already exists for this brand and platform\b/);
    world.clock.move(DAY);
    const { back } = await openInvite(world, (await invite(world)).url);
    expect((await back()).status).toBe(200);
    const third = await world.rest('POST /v1/invites', ask);
    expect([third.status, third.body.error.code]).toEqual([409, 'resource.conflict']);
    expect(third.body.error.message).toMatch(/^brand already has a connected account for that platform\b/);
  });

  it('needs the app of a platform of consent pages', async () => {
    const { world } = await consentWorld({ env: { SANDBOX: 'off' } });
    const ask = { brand_id: world.brandId, platform: 'google', expires_in_days: 7 };
    await expectRefusal(call(world, 'create_invite', ask), 'byok.credentials_missing', { field: 'GOOGLE_CLIENT_ID' });
  });
});

describe('list_invites', () => {
  it('lists those to one brand, whatever became of them, newest first', async ({ consent: { world } }) => {
    const expired = await invite(world, { expires_in_days: 1 });
    world.clock.move(DAY);
    const revoked = await invite(world);
    await call(world, 'revoke_invite', { invite_id: revoked.id });
    const used = await invite(world);
    await (await openInvite(world, used.url)).back();
    const { body } = await call(world, 'list_invites', { brand_id: world.brandId });
    expect(body.data.map(({ id, is_active, account_id }: Json) => [id, is_active, account_id !== null])).toEqual([
      [used.id, false, true],
      [revoked.id, false, false],
      [expired.id, false, false],
    ]);
    const page = await call(world, 'list_invites', { brand_id: world.brandId, limit: 2 });
    const rest = await call(world, 'list_invites', { brand_id: world.brandId, cursor: page.body.next_cursor });
    expect([...page.body.data, ...rest.body.data]).toEqual(body.data);
    await expectRefusal(call(world, 'list_invites', { brand_id: 'brd_none' }), 'brand.not_found');
    const none = await world.rest('GET /v1/invites');
    expect([none.status, none.body.error]).toMatchObject([400, { code: 'validation.field_required' }]);
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'list_invites', { brand_id: world.brandId }, { key }), 'brand.not_found');
  });
});

describe('revoke_invite', () => {
  it('ends an invite, again and again, but not one that was used', async ({ consent: { world } }) => {
    const { id } = await invite(world);
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'revoke_invite', { invite_id: id }, { key }), 'resource.not_found');
    for (const round of [1, 2]) {
      const { ok, body } = await call(world, 'revoke_invite', { invite_id: id });
      expect([round, ok, body]).toEqual([round, true, { success: true, ok: true, id }]);
    }
    const short = await invite(world, { expires_in_days: 1 });
    world.clock.move(DAY);
    expect((await call(world, 'revoke_invite', { invite_id: short.id })).ok).toBe(true);
    const used = await invite(world);
    await (await openInvite(world, used.url)).back();
    await expectRefusal(call(world, 'revoke_invite', { invite_id: used.id }), 'resource.not_found', { id: used.id });
    await expectRefusal(call(world, 'revoke_invite', { invite_id: 'inv_none' }), 'resource.not_found');
    const { events } = (await world.rest('GET /v1/events?category=account')).body;
    const of = (one: string) =>
      events.filter((entry: Json) => entry.resource_id === one).map(({ action }: Json) => action);
    expect([of(id), of(short.id), of(used.id)]).toEqual([
      ['invite_revoked', 'invite_created'],
      ['invite_created'],
      ['invite_used', 'invite_created'],
    ]);
  });
});

describe('an invite for a platform of customers alone', () => {
  it('needs the app of the brand or the workspace', async () => {
    const world = await makeWorld();
    const ask = { brand_id: world.brandId, platform: 'twitter', expires_in_days: 7 };
    await expectRefusal(call(world, 'create_invite', ask), 'byok.credentials_missing');
    const app = { client_id: 'client', client_secret: 'secret', brand_id: world.brandId };
    expect((await call(world, 'set_brand_twitter_credentials', app)).ok).toBe(true);
    const { page } = await openInvite(world, (await invite(world, ask)).url);
    expect(page.words).toContain('You are invited to connect X');
  });
});
