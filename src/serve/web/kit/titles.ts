import { isPlatform, type PlatformSlug } from '../../../kernel/platforms.ts';

/** Platforms as people know them. */
const TITLES: Readonly<Record<PlatformSlug, string>> = Object.freeze({
  instagram: 'Instagram',
  facebook: 'Facebook',
  threads: 'Threads',
  tiktok: 'TikTok',
  linkedin: 'LinkedIn',
  twitter: 'X (Twitter)',
  youtube: 'YouTube',
  google: 'Google Business Profile',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  zalo: 'Zalo',
  bluesky: 'Bluesky',
  pinterest: 'Pinterest',
});

/** The name of a platform on pages; of what is no platform, nothing. */
export function titleOf(slug: string | null): string | undefined {
  return isPlatform(slug) ? TITLES[slug] : undefined;
}
