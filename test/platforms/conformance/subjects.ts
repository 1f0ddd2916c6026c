import { blueskySubject } from './bluesky.ts';
import { facebookSubject } from './facebook.ts';
import { googleSubject } from './google.ts';
import { instagramSubjects } from './instagram.ts';
import type { Subject } from './subject.ts';
import { telegramSubject } from './telegram.ts';
import { threadsSubject } from './threads.ts';
import { whatsappSubject } from './whatsapp.ts';
import { youtubeSubject } from './youtube.ts';
import { zaloSubject } from './zalo.ts';

/** Every platform of the product, and every kind of its accounts that is connected in a way of its own. */
export const SUBJECTS: readonly Subject[] = [
  ...instagramSubjects,
  facebookSubject,
  threadsSubject,
  whatsappSubject,
  googleSubject,
  blueskySubject,
  telegramSubject,
  youtubeSubject,
  zaloSubject,
];

/** What a subject is called: its platform, or the kind of account. */
export const nameOf = ({ name, platform }: Subject): string => name ?? platform.slug;
