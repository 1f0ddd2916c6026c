import type { PlatformSlug } from '#kernel/platforms.ts';
import { TITLES } from './page.ts';

/** Marks for platforms. They are letters, because the logos belong to the platforms. */
const LETTERS: Readonly<Record<PlatformSlug, string>> = {
  bluesky: 'Bs',
  facebook: 'f',
  google: 'G',
  instagram: 'Ig',
  linkedin: 'in',
  pinterest: 'P',
  telegram: 'Tg',
  threads: '@',
  tiktok: 'Tk',
  twitter: 'X',
  whatsapp: 'Wa',
  youtube: 'Yt',
  zalo: 'Za',
};
const letters = new Map(Object.entries(LETTERS));

export function markOf(platform: string): Readonly<{ title: string; letters: string }> {
  return { title: TITLES.get(platform) ?? platform, letters: letters.get(platform) ?? platform.slice(0, 2) };
}

/** The title of an account. It names the platform, as people have the same name on several. */
export const accountTitle = ({ name, platform }: Readonly<{ name: string; platform: string }>): string =>
  `${name} (${markOf(platform).title})`;
