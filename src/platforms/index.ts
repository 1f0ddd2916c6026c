import { bluesky } from './bluesky/index.ts';
import { facebook } from './facebook/index.ts';
import { google } from './google/index.ts';
import { instagram } from './instagram/index.ts';
import { linkedin } from './linkedin/index.ts';
import type { Platforms } from './lookup.ts';
import { withAllSettings } from './shared/kinds.ts';
import { pinterest } from './pinterest/index.ts';
import { telegram } from './telegram/index.ts';
import { threads } from './threads/index.ts';
import { tiktok } from './tiktok/index.ts';
import { twitter } from './twitter/index.ts';
import { whatsapp } from './whatsapp/index.ts';
import { youtube } from './youtube/index.ts';
import { zalo } from './zalo/index.ts';

export const platforms: Platforms = new Map(
  [
    instagram,
    facebook,
    threads,
    tiktok,
    linkedin,
    twitter,
    google,
    whatsapp,
    bluesky,
    telegram,
    youtube,
    zalo,
    pinterest,
  ].map((platform) => [platform.slug, withAllSettings(platform)]),
);
