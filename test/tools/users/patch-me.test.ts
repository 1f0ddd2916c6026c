import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { block, call, callMcp, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';

describe('patch_me', () => {
  it.for([
    [{ onboarding: false }],
    [{ use_case: 'Support for two shops' }],
    [{ referral: '' }],
    [{ lock_accounts_to_brand: true }],
    [{ timezone: 'Europe/Berlin' }],
    [{ onboarding: false, use_case: 'a', referral: 'b', lock_accounts_to_brand: true, timezone: 'Asia/Kolkata' }],
  ] as const)('changes %j and nothing else, once or twice', async ([patch], { world }) => {
    const { body: before } = await call(world, 'get_me');
    for (const _ of [1, 2]) {
      const { status, body } = await call(world, 'patch_me', patch);
      expect([status, body]).toEqual([200, { ...before, ...patch }]);
    }
    expect((await call(world, 'get_me')).body).toEqual({ ...before, ...patch });
  });

  it.for([
    [{}, 'validation.field_required', 'onboarding'],
    [{ onboarding: true }, 'validation.field_invalid', 'onboarding'],
    [{ use_case: 'x'.repeat(501) }, 'validation.field_invalid', 'use_case'],
    [{ timezone: 'Middle/Earth' }, 'validation.field_invalid', 'timezone'],
    [{ timezone: '+02:00' }, 'validation.field_invalid', 'timezone'],
    [{ timezone: '' }, 'validation.field_invalid', 'timezone'],
    [{ timezone: 'x'.repeat(65) }, 'validation.field_invalid', 'timezone'],
    [{ lock_accounts_to_brand: 'maybe' }, 'validation.field_invalid', 'lock_accounts_to_brand'],
  ] as const)('refuses input %#', async ([patch, code, field], { shared: world }) => {
    await expectRefusal(call(world, 'patch_me', patch), code, { field });
  });

  it('changes no other field', async ({ world }) => {
    const patched = await world.rest('PATCH /v1/users/me', { name: 'Boss' });
    expect(patched.body.error).toMatchObject({ code: 'validation.field_required', meta: { field: 'onboarding' } });
    await expectInvalid(callMcp(world, 'patch_me', { name: 'Boss' }), 'name');
  });

  it('works while past due', async ({ world }) => {
    await block(world);
    const patch = { use_case: 'paying soon' };
    expect((await call(world, 'patch_me', patch)).body).toMatchObject(patch);
  });
});
