/** Every platform the API knows by name, in display order. */
export const PLATFORMS = [
  'instagram',
  'facebook',
  'threads',
  'tiktok',
  'linkedin',
  'twitter',
  'youtube',
  'google',
  'whatsapp',
  'telegram',
  'zalo',
  'bluesky',
  'pinterest',
] as const;

export type PlatformSlug = (typeof PLATFORMS)[number];

/** Apps that ask people for consent: that of each platform, and those of platforms that have a second product. */
export const APPS = [...PLATFORMS, 'tiktok_business'] as const;

export type AppName = (typeof APPS)[number];

/** How slugs of platforms begin that exist in tests only. */
const RESERVED = 'test_';

const known = new Set<string>(PLATFORMS);

/** Whether a string is the slug of a platform we know. */
export function isPlatform(value: unknown): value is PlatformSlug {
  return known.has(value as string);
}

/** Makes reserved slugs known, once a platform of a composition has them; the product's own platforms have none. */
export function knowReserved(slugs: Iterable<string>): void {
  for (const slug of slugs) if (slug.startsWith(RESERVED)) known.add(slug);
}
