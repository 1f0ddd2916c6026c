import type { PlatformSlug } from '#kernel/platforms.ts';
import { platforms } from '#platforms/index.ts';
import { makeInboundScript, SECRET, inboundPlatform, type InboundScript } from '../platforms/inbound.ts';
import { makeWorld, type World } from '../world.ts';

/**
 * A world with one fake platform, and an account on it: of the real network, or of the sandbox if each account has an
 * address for its pushes, since no real platform reaches this machine.
 */
export async function accountWorld(
  told: Partial<InboundScript>,
  slug: PlatformSlug = 'facebook',
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<{ world: World; telling: InboundScript; accountId: string }>> {
  const telling = { ...makeInboundScript(), ...told };
  const name = slug.toUpperCase();
  const app =
    telling.push?.scope === 'account' ? {} : { [`${name}_CLIENT_ID`]: 'app', [`${name}_CLIENT_SECRET`]: SECRET };
  const world = await makeWorld({
    env: { ...app, ...env },
    surroundings: { platforms: new Map([...platforms, [slug, inboundPlatform(slug, telling)]]) },
  });
  const ask = { platform: slug, metadata: { who: 'ann' } };
  const { status, body } = await world.rest('POST /v1/accounts/connect', ask);
  if (status !== 201) throw new Error(JSON.stringify(body));
  await world.settle();
  return { world, telling, accountId: body.account_id };
}

/** Leaves the account with a session that has ended. */
export const endSession = (world: World, accountId: string) =>
  world.product.store.write(({ db }) =>
    db.updateTable('accounts').set({ status: 'reconnect_required' }).where('id', '=', accountId).execute(),
  );
