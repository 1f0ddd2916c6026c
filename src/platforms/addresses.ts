import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Platform } from './platform.ts';

/** The redirect URL of a platform's login; there is one path per platform. */
export function callbackOf(rootUrl: string, { slug, connect }: Pick<Platform, 'slug' | 'connect'>): string {
  const slash = connect.kind === 'oauth' && connect.callbackSlash ? '/' : '';
  return `${rootUrl}/connect/${slug}/callback${slash}`;
}

/** The URL of a push address; `path` identifies the account or customer's app, if it has its own address. */
export function pushAddressOf(pushUrl: string, slug: PlatformSlug, path: string | null): string {
  return `${pushUrl}/push/${slug}${path === null ? '' : `/${path}`}`;
}
