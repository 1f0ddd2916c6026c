import type { PlatformSlug } from '#kernel/platforms.ts';
import { TITLES } from './page.ts';

/** Marks of platforms: letters, because their logos are not ours. */
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

/** What tells an account from others: people have the same name on several platforms. */
export const accountTitle = ({ name, platform }: Readonly<{ name: string; platform: string }>): string =>
  `${name} (${markOf(platform).title})`;
