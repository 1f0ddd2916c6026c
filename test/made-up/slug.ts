import type { PlatformSlug } from '../../src/kernel/platforms.ts';

/** Reserved: the product knows no such platform. */
export const SLUG = 'test_plaza' as PlatformSlug;
