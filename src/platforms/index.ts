import type { PlatformSlug } from '../kernel/platforms.ts';
import type { Platform } from './platform.ts';

/** Every connector there is. */
export const platforms: ReadonlyMap<PlatformSlug, Platform> = new Map();
