import { bluesky } from './bluesky/index.ts';
import { facebook } from './facebook/index.ts';
import { google } from './google/index.ts';
import { instagram } from './instagram/index.ts';
import type { Platforms } from './lookup.ts';
import { telegram } from './telegram/index.ts';
import { threads } from './threads/index.ts';
import { whatsapp } from './whatsapp/index.ts';
import { youtube } from './youtube/index.ts';
import { zalo } from './zalo/index.ts';

/** Every connector there is. */
export const platforms: Platforms = new Map(
  [instagram, facebook, threads, google, whatsapp, bluesky, telegram, youtube, zalo].map((platform) => [
    platform.slug,
    platform,
  ]),
);
