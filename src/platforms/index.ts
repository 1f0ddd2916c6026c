import { bluesky } from './bluesky/index.ts';
import { facebook } from './facebook/index.ts';
import type { Platforms } from './lookup.ts';

/** Every connector there is. */
export const platforms: Platforms = new Map([facebook, bluesky].map((platform) => [platform.slug, platform]));
