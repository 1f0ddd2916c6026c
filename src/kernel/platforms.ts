/** Every platform the API knows, in display order. */
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

/** Apps that ask people for consent: one per platform, and those of second products. */
export const APPS = [...PLATFORMS, 'tiktok_business'] as const;

export type AppName = (typeof APPS)[number];

/** The prefix of slugs that exist in tests only. */
const RESERVED = 'test_';

const known = new Set<string>(PLATFORMS);

export function isPlatform(value: unknown): value is PlatformSlug {
  return known.has(value as string);
}

/** Adds reserved slugs to the known ones; the product's own platforms have none. */
export function knowReserved(slugs: Iterable<string>): void {
  for (const slug of slugs) if (slug.startsWith(RESERVED)) known.add(slug);
}
