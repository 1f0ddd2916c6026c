/** All platforms of the API, in display order. */
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

/** The apps that request consent: one per platform, and one for each second product. */
export const APPS = [...PLATFORMS, 'tiktok_business'] as const;

export type AppName = (typeof APPS)[number];

export function isPlatform(value: unknown): value is PlatformSlug {
  return (PLATFORMS as readonly unknown[]).includes(value);
}
