import { describe, expect, it } from 'vitest';
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

  it('refuses platforms nobody knows', async () => {
    const world = await withAccount();
    const asked = call(world, via, 'validate_post', { text: 'Hello', platforms: ['myspace'] });
    await expectRefusal(asked, 'account.unsupported_platform', { field: 'platforms' });
  });
});
