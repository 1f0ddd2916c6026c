import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';

describe('create_brand', () => {
  it('makes a brand under the trimmed name', async ({ world }) => {
    const { ok, status, body } = await call(world, 'create_brand', { name: '  Acme & Söhne  ' });
    expect([ok, status]).toEqual([true, 201]);
    expect(body).toEqual({
      id: expect.stringMatching(/^brd_/),
      name: 'Acme & Söhne',
      accounts_count: 0,
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:00.000Z',
    });
    expect((await call(world, 'list_brands')).body.data).toContainEqual(body);
  });

  it('keeps a name on one line, without direction marks', async ({ world }) => {
    const names = ['Harbour\r\n\tBakery', '\u202EHarbour \u2028\u200F Bakery\u2066'];
    for (const name of names) {
      expect((await call(world, 'create_brand', { name })).body.name).toBe('Harbour Bakery');
    }
  });

  it.for([
    [{}, 'validation.field_required'],
    [{ name: null }, 'validation.field_required'],
    [{ name: '' }, 'validation.field_required'],
    [{ name: ' \t ' }, 'validation.field_required'],
    [{ name: 'x'.repeat(121) }, 'validation.field_invalid'],
    [{ name: 7 }, 'validation.field_invalid'],
    [{ name: 'a\0b' }, 'validation.field_invalid'],
  ] as const)('refuses input %#', async ([input, code], { shared: world }) => {
    await expectRefusal(call(world, 'create_brand', input), code, { field: 'name' });
  });

  it('takes a name of 120 characters, and one that is taken', async ({ world }) => {
    const name = 'x'.repeat(120);
    for (const _ of [1, 2]) expect((await call(world, 'create_brand', { name })).ok).toBe(true);
    expect((await call(world, 'list_brands')).body.count).toBe(3);
  });

  it('stops at the limit of the plan, also when many are made at once', async ({ world }) => {
    await onFreePlan(world);
    const names = ['a', 'b', 'c', 'd'];
    const replies = await Promise.all(names.map((name) => call(world, 'create_brand', { name })));
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const refusal = { status: 403, code: 'billing.brands_limit', meta: { plan: 'free', max: 2 } };
    for (const reply of replies) if (!reply.ok) expect(reply).toMatchObject(refusal);
    expect((await call(world, 'list_brands')).body.count).toBe(2);
  });

  it('has room again once a brand went', async ({ world }) => {
    await onFreePlan(world);
    const made = await call(world, 'create_brand', { name: 'a' });
    await call(world, 'delete_brand', { brand_id: made.body.id, confirm: 'a' });
    expect((await call(world, 'create_brand', { name: 'b' })).ok).toBe(true);
  });
});
