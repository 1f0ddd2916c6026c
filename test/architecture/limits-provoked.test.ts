import { expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '#kernel/errors.ts';
import { png } from '../harness/media-samples.ts';
import { makeBrowser } from '../harness/calls/browser.ts';
import { checkStep } from '../harness/calls/next-step.ts';
import { block, call, callThrough, DOORS, onFreePlan } from '../harness/calls/operations.ts';
import { credentialsOf } from '../harness/platforms/bluesky-people.ts';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { invite } from '../harness/worlds/invited.ts';
import { makeWorld, type World } from '../harness/world.ts';

/** Codes of plans, brands and invites; those of exports are provoked with the exports. */
type Provoked = Exclude<Extract<ErrorCode, `${'billing' | 'brand' | 'invite'}.${string}`>, `billing.export_${string}`>;

/** An operation that is refused, or the address of a page; with what had to happen before, and the settings it takes. */
type Cause = Readonly<{
  env?: Record<string, string>;
  /** Answers the address of a page, where the door is one. */
  before?: (world: World) => Promise<string | void>;
  ask?: readonly [tool: string, input: (world: World) => Record<string, unknown>];
}>;

const bluesky = (world: World) => ({ platform: 'bluesky', metadata: credentialsOf(world) });

async function fillBrands(world: World): Promise<void> {
  await onFreePlan(world);
  await call(world, 'create_brand', { name: 'Second' });
}

/** What really causes each error. */
const CAUSES: Readonly<Record<Provoked, Cause>> = {
  'billing.brands_limit': { before: fillBrands, ask: ['create_brand', () => ({ name: 'Third' })] },
  'billing.past_due': { before: block, ask: ['list_brands', () => ({})] },
  'billing.post_limit': {
    before: onFreePlan,
    ask: ['import_posts', () => ({ csv: ['text', ...Array.from({ length: 11 }, (_, n) => `Post ${n}`)].join('\n') })],
  },
  'billing.storage_quota': {
    async before(world) {
      await onFreePlan(world);
      const full = { storage_bytes: 104_857_600 };
      await world.product.store.write(({ db }) => db.updateTable('workspaces').set(full).execute());
    },
    ask: ['upload_media', () => ({ base64: Buffer.from(png()).toString('base64'), filename: 'a.png' })],
  },
  'billing.platform_not_available': {
    env: { PLAN_PLATFORMS: 'enterprise=telegram' },
    ask: ['connect_account', bluesky],
  },
  'billing.profile_units_limit': {
    env: { PROFILE_UNITS: 'on' },
    async before(world) {
      await onFreePlan(world);
      await facebookOf(world).connect(undefined, { brand_id: world.brandId });
    },
    ask: ['create_brand', () => ({ name: 'Second' })],
  },
  'brand.not_found': { ask: ['list_accounts', () => ({ brand_id: 'brd_none' })] },
  'brand.limit_reached': { before: fillBrands, ask: ['connect_account', bluesky] },
  'invite.expired': {
    async before(world) {
      const { url } = await invite(world, { platform: 'bluesky', expires_in_days: 1 });
      world.clock.move(86_400_000);
      return url;
    },
  },
  'invite.invalid': {
    async before(world) {
      const { id, url } = await invite(world, { platform: 'bluesky' });
      await call(world, 'revoke_invite', { invite_id: id });
      return url;
    },
  },
};

it('every error of plans, brands and invites has a cause here', () => {
  const codes = Object.keys(ERRORS).filter((code) => /^(?:billing(?!\.export_)|brand|invite)\./.test(code));
  expect(Object.keys(CAUSES).toSorted()).toEqual(codes.toSorted());
});

it.each(Object.entries(CAUSES))('%s is answered through each door that has it', async (code, { env, before, ask }) => {
  const world = await makeWorld(env && { env });
  const page = await before?.(world);
  const [status] = ERRORS[code as Provoked];
  if (typeof page === 'string') {
    const shown = await makeBrowser(world).open(page);
    expect([shown.status, shown.words]).toEqual([status, expect.stringContaining(`Error ${code}`)]);
    return;
  }
  const [tool, input] = ask!;
  for (const via of DOORS) {
    const answer = await callThrough(world, via, tool, input(world));
    expect([via, answer.status ?? status, answer.code]).toEqual([via, status, code]);
    checkStep(answer.body.error.message);
  }
});
