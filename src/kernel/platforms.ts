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

export function isPlatform(value: unknown): value is PlatformSlug {
  return (PLATFORMS as readonly unknown[]).includes(value);
}
