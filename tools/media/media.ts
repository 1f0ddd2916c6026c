import { z } from 'zod';
import { aliasOf, named, time } from '../fields.ts';

const item = {
  id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int(),
  status: z.enum(['pending', 'ready', 'failed']),
  url: z.string(),
  /** For pages: an assistant needs no second address. */
  thumbnail_url: aliasOf(
    'url',
    z
      .string()
      .nullable()
      .describe('Of images: a WebP at most 320 pixels wide, or 960 with ?width=960 added; works for about an hour.'),
  ),
  created_at: time,
  width: z.int().nullable(),
  height: z.int().nullable(),
  duration_ms: z.int().nullable(),
};

export const MediaItem = named('MediaItem', item);
/** A received file has `media_id` too, the name in other tools. */
export const UploadedMedia = named('UploadedMedia', { media_id: z.string(), ...item });
export const VerifiedMedia = named('VerifiedMedia', { success: z.literal(true), media_id: z.string(), ...item });
