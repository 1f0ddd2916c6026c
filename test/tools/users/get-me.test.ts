import { describe, expect } from 'vitest';
import { PLATFORMS } from '#kernel/platforms.ts';
import { it } from '../../harness/world.ts';
import { block, call } from '../../harness/calls/operations.ts';

describe('get_me', () => {
  it('shows the user behind the token', async ({ world }) => {
    expect((await call(world, 'get_me')).body).toEqual({
      id: world.userId,
      email: 'owner@example.org',
      name: 'Owner',
      plan: 'enterprise',
      onboarding: true,
      avatar_url: null,
      use_case: null,
      referral: null,
      lock_accounts_to_brand: false,
      timezone: 'UTC',
      allowed_platforms: [...PLATFORMS],
      beta_tester: false,
      billing_blocked: false,
      billing_blocked_at: null,
      created_at: '2026-01-15T09:00:00.000Z',
    });
  });

  it('says since when the subscription is unpaid', async ({ world }) => {
    world.clock.move(5000);
    await block(world);
    expect((await call(world, 'get_me')).body).toMatchObject({
      billing_blocked: true,
      billing_blocked_at: '2026-01-15T09:00:05.000Z',
    });
  });
});
