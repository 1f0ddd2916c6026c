import { expect } from 'vitest';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Connected, OAuthConnect } from '#platforms/connect.ts';
import type { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import { fakePlatform } from '../platforms/fake.ts';
import { makeWorld, type World, type WorldOptions } from '../world.ts';

/** A profile as our made-up platform tells it. */
export const profileOf = (id: string): Connected => ({
  profile: { platform_user_id: id, username: `user.${id}`, name: `User ${id}`, bio: 'Hello' },
  session: { token: `token-${id}` },
});

export type Script = {
  profiles: readonly Connected[];
  refusal?: PlatformError;
  finished: Parameters<OAuthConnect['finish']>[1][];
  revoked: unknown[];
};

const scripts = new WeakMap<World, Script>();

/** A platform of consent pages that answers what the script says. */
export function consentPlatform(slug: PlatformSlug, script: Script, needsState?: true): Platform {
  return fakePlatform(slug, {
    connect: {
      kind: 'oauth',
      ...(needsState && { needsState }),
      begin: (_call, { state, callback, client }) =>
        Promise.resolve({
          url: `https://consent.example/?${new URLSearchParams({ state, callback, client_id: client.clientId }).toString()}`,
          secrets: { verifier: 'kept' },
        }),
      finish(_call, back) {
        script.finished.push(back);
        return script.refusal ? Promise.reject(script.refusal) : Promise.resolve(script.profiles);
      },
      revoke: ({ session }, { clientId }) => {
        script.revoked.push({ session, clientId });
        return Promise.resolve();
      },
    },
  });
}

/** A world in which google is such a platform. */
export async function consentWorld({ needsState, ...options }: WorldOptions & { needsState?: true } = {}) {
  const script: Script = { profiles: [profileOf('1')], finished: [], revoked: [] };
  const google = consentPlatform('google', script, needsState);
  const world = await makeWorld({
    ...options,
    surroundings: { ...options.surroundings, platforms: new Map([['google', google]]) },
  });
  scripts.set(world, script);
  return { world, script };
}

export const REDIRECT = 'https://app.example.org/done?keep=1';

/** Starts a connection and opens our page; answers the state the platform gets, and the browser's cookie. */
export async function consentPage(world: World, ask: object = {}) {
  const input = { platform: 'google', redirect_uri: REDIRECT, state: 'mine', ...ask };
  const { status, body } = await world.rest('POST /v1/accounts/connect', input);
  expect(status).toBe(202);
  const page = await fetch(body.auth_url);
  const html = await page.text();
  const href = /href="(https:\/\/consent\.example\/[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  const asked = new URL(href).searchParams;
  return {
    state: body.state as string,
    asked,
    cookie: page.headers.get('set-cookie')!.split(';')[0]!,
    /** The platform sends the browser back. */
    back: (query: Record<string, string>, cookie = page.headers.get('set-cookie')!.split(';')[0]!) =>
      fetch(`${asked.get('callback')}?${new URLSearchParams({ state: asked.get('state')!, ...query }).toString()}`, {
        redirect: 'manual',
        headers: { Cookie: cookie },
      }),
  };
}

export function landedAt(answer: Response): Record<string, string> {
  expect(answer.status).toBe(302);
  return Object.fromEntries(new URL(answer.headers.get('location')!).searchParams);
}

/** A login with two profiles that is still to be decided; in the world's brand when it is said so, or given the world. */
export async function choiceWorld(known?: World, intoBrand = known !== undefined) {
  const { world, script } = known ? { world: known, script: scripts.get(known)! } : await consentWorld();
  script.profiles = [profileOf('1'), profileOf('2')];
  const brand = intoBrand ? { brand_id: world.brandId } : {};
  const { status, body } = await world.rest('POST /v1/oauth/exchange', { platform: 'google', code: 'two', ...brand });
  expect(status).toBe(200);
  return { world, script, connection_id: body.connection_id as string };
}
