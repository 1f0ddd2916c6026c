import * as z from 'zod';
import { instant, text, word } from '../shared/fields.ts';

const pixels = z.number().int().positive().optional().catch(undefined);

export const MediaItem = z.object({
  name: z.string().min(1),
  mediaFormat: word,
  locationAssociation: z.object({ category: text }).optional().catch(undefined),
  /** The URL changes from time to time; for a video it shows a still. */
  googleUrl: text,
  thumbnailUrl: text,
  description: word,
  createTime: instant.optional().catch(undefined),
  dimensions: z.object({ widthPixels: pixels, heightPixels: pixels }).optional().catch(undefined),
  attribution: z
    .object({ profileName: text, profilePhotoUrl: text, profileUrl: text, takedownUrl: text })
    .optional()
    .catch(undefined),
});
export type MediaItem = z.output<typeof MediaItem>;
