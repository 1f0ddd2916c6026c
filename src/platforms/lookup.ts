import { fail } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import type { Platform } from './platform.ts';

/** The connectors of this server, by slug. */
export type Platforms = ReadonlyMap<PlatformSlug, Platform>;

/** Throws 501 `resource.not_supported`; `resource` is the requested feature, such as `comments.hide`. */
export function notSupported(
  platform: PlatformSlug,
  resource: string,
  detail: Readonly<{ message?: string; next?: string }> = {},
): never {
  return fail('resource.not_supported', { ...detail, meta: { resource, platform } });
}

/** The connector of a platform; throws 501 `resource.not_supported` where this server has none. */
export function connectorOf(platforms: Platforms, slug: PlatformSlug): Platform {
  return platforms.get(slug) ?? notSupported(slug, 'platform');
}

/**
 * The part of a connector that serves `resource`; throws 501 `resource.not_supported` where this server has no such
 * connector, or the connector has no such part.
 */
export function capabilityOf<T>(
  platforms: Platforms,
  slug: PlatformSlug,
  resource: string,
  part: (platform: Platform) => T | undefined,
  message?: string,
): T {
  const platform = platforms.get(slug);
  const found = platform && part(platform);
  return found ?? notSupported(slug, resource, message === undefined ? {} : { message });
}

/** Whether accounts of a platform have pages. */
export function hasPages(platforms: Platforms, slug: PlatformSlug): boolean {
  return platforms.get(slug)?.pages !== undefined;
}
