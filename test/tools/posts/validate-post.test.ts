import { describe, expect, it } from 'vitest';
import { facebookOf } from '../../harness/facebook.ts';
import { call, describeCallers, DOORS, expectRefusal } from '../front-door.ts';
import { withAccount } from './posts-world.ts';

describeCallers('validate_post', { to: 'posts:read', brandKeys: 'admitted' });

describe.each(DOORS)('validate_post through %s', (via) => {
  it('says what each platform would refuse', async () => {
    const world = await withAccount();
    const check = async (input: object) => (await call(world, via, 'validate_post', { ...input })).body;
    expect(await check({ text: 'Fine', account_ids: [world.account.id] })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
    const bad = { text: 'x'.repeat(301), media_ids: ['med_no'], account_ids: [world.account.id, 'acc_no'] };
    const { valid, errors } = await check(bad);
    expect(valid).toBe(false);
    expect(errors).toMatchObject([
      { platform: null, field: 'account_id', target: 1 },
      { platform: 'bluesky', field: 'media', target: 0 },
      { platform: 'bluesky', field: 'text', target: 0 },
    ]);
    expect((await check({ text: 'x'.repeat(301) })).errors.length).toBeGreaterThan(0);
    expect((await check({ text: 'Fine', platforms: ['whatsapp'] })).errors).toMatchObject([{ platform: 'whatsapp' }]);
  });

  it('says what create_post would refuse before any platform: nothing to say, a target twice, a time that has passed', async () => {
    const world = await withAccount();
    const { id } = world.account;
    const check = async (input: object) => (await call(world, via, 'validate_post', { ...input })).body.errors;
    expect(await check({ text: ' ', account_ids: [id] })).toMatchObject([{ field: 'text', target: 0 }]);
    expect(await check({ text: 'x', account_ids: [id, id] })).toMatchObject([{ field: 'account_id', target: 1 }]);
    expect(await check({ text: 'x', platforms: ['bluesky', 'bluesky'] })).toEqual([]);
    const past = '2020-01-01T00:00:00Z';
    expect(await check({ text: 'x', account_ids: [id], scheduled_at: past })).toMatchObject([
      { platform: null, field: 'scheduled_at' },
    ]);
    expect(await check({ text: 'x', targets: [{ account_id: id, scheduled_at: past }] })).toMatchObject([
      { platform: null, field: 'scheduled_at', target: 0 },
    ]);
  });

  it('counts a text that is far too long only as far as that matters', async () => {
    const world = await withAccount();
    const input = { text: 'a '.repeat(50_000), account_ids: [world.account.id] };
    const { errors } = (await call(world, via, 'validate_post', input)).body;
    expect(errors[0].message).toBe('exceeds 300 character limit (more than 3000/300)');
  });

  it('says which pages could not take it', async () => {
    const world = await withAccount();
    const { id } = await facebookOf(world).connect();
    const check = async (...targets: readonly object[]) =>
      (await call(world, via, 'validate_post', { text: 'Fine', targets })).body.errors;
    const [coffee, bakery] = (await call(world, via, 'list_account_pages', { account_id: id })).body.data;
    expect(await check({ account_id: id }, { account_id: id, page_id: bakery.id })).toEqual([]);
    const off = { account_id: id, page_id: bakery.id, is_active: false };
    await call(world, via, 'update_account_page', off);
    const targets = ['page_none', bakery.id].map((page_id) => ({ account_id: id, page_id }));
    expect(await check(...targets, { account_id: world.account.id, page_id: coffee.id })).toMatchObject([
      { platform: 'facebook', field: 'page_id', target: 0, message: expect.stringContaining('page_none') },
      { platform: 'facebook', field: 'page_id', target: 1 },
      { platform: 'bluesky', field: 'page_id', target: 2 },
    ]);
    await call(world, via, 'update_account_page', { ...off, page_id: coffee.id });
    expect(await check({ account_id: id })).toMatchObject([{ platform: 'facebook', field: 'page_id', target: 0 }]);
  });

  it('refuses platforms nobody knows', async () => {
    const world = await withAccount();
    const asked = call(world, via, 'validate_post', { text: 'Hello', platforms: ['myspace'] });
    await expectRefusal(asked, 'account.unsupported_platform', { field: 'platforms' });
  });
});
