import { afterEach, expect, it, vi } from 'vitest';
import { accessToken, openAuthWorld } from './authorize.ts';
import { setUp } from './browser.ts';
import { toolsets } from '#tools/index.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import type { World } from '../world.ts';
import { bare, block, call, toolOf } from './operations.ts';

type Input = Readonly<Record<string, unknown>>;

/** A token of the dashboard, which alone opens what is for people. */
export async function dashboardToken(world: World, userId = world.userId): Promise<string> {
  return (await world.product.oauth.signDashboardToken(userId)).token;
}

/** Tests who may call an operation that is for the dashboard alone. */
export function describeDashboardCallers(name: string, input: Input = {}): void {
  afterEach(() => void vi.useRealTimers());

  it(`${name} is for the dashboard alone`, async () => {
    const { world } = await openAuthWorld();
    const refusal = async (key: string) => {
      const { status, code } = await call(world, name, input, { key });
      return [status, code];
    };
    expect(await refusal(world.key)).toEqual([403, 'auth.dashboard_only']);
    expect(await refusal(await world.newKey({ scopes: ['accounts:manage'] }))).toEqual([403, 'auth.dashboard_only']);
    const browser = await setUp(world);
    expect(await refusal(await accessToken(world, browser))).toEqual([403, 'auth.requires_dashboard_auth']);
    for (const [authorization, code] of [
      [undefined, 'auth.missing_header'],
      ['Bearer ', 'auth.empty_token'],
      ['Bearer eyJhbGciOiJub25lIn0.e30.', 'auth.invalid_token'],
    ] as const) {
      const answer = await bare(world, 'rest', name, input, authorization);
      expect([answer.status, answer.code, answer.challenge]).toEqual([401, code, expect.stringMatching(/^Bearer /)]);
    }
    const key = await dashboardToken(world);
    expect((await call(world, name, input, { key })).status).not.toBe(403);
    expect(listTools(toolsets).map(({ tool }) => tool.name)).not.toContain(name);
    await block(world);
    world.product.oauth.forget();
    const isClosed = toolOf(name).pastDue !== 'exempt';
    expect((await call(world, name, input, { key })).code === 'billing.past_due').toBe(isClosed);
  });
}
