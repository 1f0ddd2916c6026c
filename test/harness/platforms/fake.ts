import type { DirectConnect } from '#platforms/connect.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Platform } from '#platforms/platform.ts';
import type { MeasuredPost } from '#platforms/posts.ts';

/** A platform without HTTP that can do what its parts say; nobody logs in unless they say how. */
export function fakePlatform(slug: PlatformSlug, parts: Partial<Platform> = {}): Platform {
  return {
    slug,
    title: slug,
    hosts: { real: {}, sandbox: () => ({}) },
    connect: { kind: 'direct', form: [], required: [], login: () => Promise.reject(new Error('not here')) },
    ...parts,
  };
}

/** A login by a token, which is what the network knows the account by; a kind of account may be named beside it. */
export const byToken: DirectConnect = {
  kind: 'direct',
  form: [],
  required: ['token'],
  login: async (_call, { token, kind }) => ({
    profile: { platform_user_id: token!, username: token!, name: `The ${token}` },
    session: { account: token },
    ...(kind !== undefined && { kind }),
  }),
};

/** Published posts by their ids, as their metrics are asked for. */
export const measured = (ids: readonly string[]): readonly MeasuredPost[] => ids.map((id) => ({ id, metadata: {} }));
