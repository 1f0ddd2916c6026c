import { expect } from 'vitest';
import { SCOPES } from '#kernel/scopes.ts';
import { AGREED, OWN, type Agreed } from '../architecture/operations-table.ts';
import { nothing } from '../harness/calls/nothing.ts';
import { bare, block, call, DOORS, expectRefusal } from '../harness/calls/operations.ts';
import { it, type World } from '../harness/world.ts';

/** Streams do not end, and the dashboard takes no key; their own tests say who may call them. */
const OPERATIONS = [...AGREED, ...OWN].filter(
  ({ access, name }) => !('dashboard' in access) && !name.startsWith('stream_'),
);

/** Scopes that a key limited to brands cannot use. */
const CLOSED_TO_BRANDS: ReadonlySet<string> = new Set(['webhooks:manage', 'analytics:read']);
const PAST_DUE_EXEMPT = new Set([
  'list_plans',
  'create_checkout',
  'create_portal_session',
  'get_checkout_status',
  'get_me',
  'patch_me',
  'list_actions',
  'get_action',
  'withdraw_action',
  'deny_action',
  'list_audit',
]);

/** Limits of keys by whether they open an operation. Who else may is seen where the operation is called in earnest. */
function limitsFor({ access }: Agreed, brandId: string) {
  const brand_ids = [brandId];
  if ('open' in access) return { open: [{ scopes: ['dms:read'] }, { brand_ids }], closed: [] };
  const scopes = Object.keys(SCOPES);
  if (!('scope' in access)) return { open: [], closed: [{ scopes }, { scopes: ['accounts:read'] }, { brand_ids }] };
  const { scope } = access;
  const others = { scopes: scopes.filter((one) => one !== scope) };
  const ofBrands = [{ brand_ids }, { brand_ids, scopes: [scope] }];
  return CLOSED_TO_BRANDS.has(scope)
    ? { open: [{ scopes: [scope] }], closed: [others, ...ofBrands] }
    : { open: [{ scopes: [scope] }, ...ofBrands], closed: [others] };
}

const keys = new Map<string, Promise<string>>();

/** A key of the shared world with these limits. */
function keyOf(world: World, limits: object): Promise<string> {
  const name = JSON.stringify(limits);
  const key = keys.get(name) ?? world.newKey(limits);
  keys.set(name, key);
  return key;
}

it.for(OPERATIONS)('$name is open to whom it is meant for', async (operation, { shared: world }) => {
  const { name, access } = operation;
  const { open, closed } = limitsFor(operation, world.brandId);
  const required = 'scope' in access ? { required_scope: access.scope } : {};
  for (const limits of closed) {
    const key = await keyOf(world, limits);
    const { status, code, meta } = await call(world, name, nothing(operation), { key });
    expect([limits, status, code, meta]).toEqual([limits, 403, 'auth.insufficient_scope', required]);
  }
  for (const limits of open) {
    const key = await keyOf(world, limits);
    const { code = 'none' } = await call(world, name, nothing(operation), { key });
    expect([limits, code.startsWith('auth.')]).toEqual([limits, false]);
  }
});

it.for(DOORS)('every operation asks through %s for a token that is known', async (via, { world }) => {
  const { body } = await world.rest('POST /v1/keys', { name: 'revoked' });
  await world.rest(`DELETE /v1/keys/${body.id}`);
  for (const [authorization, code] of [
    [undefined, 'auth.missing_header'],
    ['Bearer ', 'auth.empty_token'],
    [`Basic ${world.key}`, 'auth.empty_token'],
    [`Bearer ${world.key.slice(0, -1)}`, 'auth.invalid_key'],
    [`Bearer ${body.raw_key}`, 'auth.invalid_key'],
    ['Bearer eyJhbGciOiJub25lIn0.e30.', 'auth.invalid_token'],
  ] as const)
    for (const operation of OPERATIONS) {
      const answer = await bare(world, via, operation.name, nothing(operation), authorization);
      expect([operation.name, answer.status, answer.code]).toEqual([operation.name, 401, code]);
      expect(answer.challenge).toMatch(/^Bearer /);
    }
});

it('every operation but a few is closed while the subscription is unpaid', async ({ world }) => {
  await block(world);
  for (const operation of OPERATIONS) {
    const { name } = operation;
    const { status, code } = await call(world, name, nothing(operation));
    if (PAST_DUE_EXEMPT.has(name)) expect(code).not.toBe('billing.past_due');
    else expect([name, status, code]).toEqual([name, 402, 'billing.past_due']);
  }
});

it.for([
  ['get_me', {}],
  ['patch_me', { use_case: 'a' }],
  ['delete_me', { confirm: 'owner@example.org' }],
] as const)('%s knows when the user is gone before the key is', async ([name, input], { world }) => {
  await call(world, 'get_me');
  await world.product.store.write(({ db }) => db.deleteFrom('users').where('id', '=', world.userId).execute());
  await expectRefusal(call(world, name, input), 'auth.user_not_found');
});
