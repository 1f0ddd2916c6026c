/** Every platform the API knows by name (spec § Platform slugs), in display order. */
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

/** Whether a string is the slug of a platform we know. */
export function isPlatform(value: unknown): value is PlatformSlug {
  return PLATFORMS.includes(value as PlatformSlug);
}
