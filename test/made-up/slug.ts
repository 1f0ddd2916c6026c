import type { PlatformSlug } from '#kernel/platforms.ts';

/** Reserved: the product knows no such platform. */
export const SLUG = 'test_plaza' as PlatformSlug;
