import { blueskySubject } from './subjects/bluesky.ts';
import { facebookSubject } from './subjects/facebook.ts';
import { googleSubject } from './subjects/google.ts';
import { instagramSubjects } from './subjects/instagram.ts';
import { linkedinSubject } from './subjects/linkedin.ts';
import type { Subject } from './subject.ts';
import { pinterestSubject } from './subjects/pinterest.ts';
import { telegramSubject } from './subjects/telegram.ts';
import { threadsSubject } from './subjects/threads.ts';
import { tiktokSubjects } from './subjects/tiktok.ts';
import { twitterSubject } from './subjects/twitter.ts';
import { whatsappSubject } from './subjects/whatsapp.ts';
import { youtubeSubject } from './subjects/youtube.ts';
import { zaloSubject } from './subjects/zalo.ts';

/** Every platform of the product, and every kind of its accounts that is connected in a way of its own. */
export const SUBJECTS: readonly Subject[] = [
  ...instagramSubjects,
  facebookSubject,
  threadsSubject,
  ...tiktokSubjects,
  linkedinSubject,
  whatsappSubject,
  googleSubject,
  blueskySubject,
  telegramSubject,
  twitterSubject,
  youtubeSubject,
  zaloSubject,
  pinterestSubject,
];

/** What a subject is called: its platform, or the kind of account. */
export const nameOf = ({ name, platform }: Subject): string => name ?? platform.slug;
