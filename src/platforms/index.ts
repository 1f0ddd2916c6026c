import type { PlatformSlug } from '../kernel/platforms.ts';
import { bluesky } from './bluesky/index.ts';
import { facebook } from './facebook/index.ts';
import type { Platform } from './platform.ts';

/** Every connector there is. */
export const platforms: ReadonlyMap<PlatformSlug, Platform> = new Map(
  [facebook, bluesky].map((platform) => [platform.slug, platform]),
);
