import type { PlatformSlug } from '#kernel/platforms.ts';

/** How platforms are called and marked: by letters, because their logos are not ours. */
const MARKS: Readonly<Record<PlatformSlug, readonly [title: string, letters: string]>> = {
  bluesky: ['Bluesky', 'Bs'],
  facebook: ['Facebook', 'f'],
  google: ['Google Business Profile', 'G'],
  instagram: ['Instagram', 'Ig'],
  linkedin: ['LinkedIn', 'in'],
  pinterest: ['Pinterest', 'P'],
  telegram: ['Telegram', 'Tg'],
  threads: ['Threads', '@'],
  tiktok: ['TikTok', 'Tk'],
  twitter: ['X', 'X'],
  whatsapp: ['WhatsApp', 'Wa'],
  youtube: ['YouTube', 'Yt'],
  zalo: ['Zalo', 'Za'],
};
const marks = new Map(Object.entries(MARKS));

/** The name of a platform and its letters. */
export function markOf(platform: string): Readonly<{ title: string; letters: string }> {
  const [title, letters] = marks.get(platform) ?? [platform, platform.slice(0, 2)];
  return { title, letters };
}
