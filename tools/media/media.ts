import { z } from 'zod';
import { time } from '../fields.ts';

const item = {
  id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int(),
  status: z.enum(['pending', 'ready', 'failed']),
  url: z.string(),
  created_at: time,
  width: z.int().nullable(),
  height: z.int().nullable(),
  duration_ms: z.int().nullable(),
};

export const MediaItem = z.looseObject(item);
/** A received file has `media_id` too, the name in other tools. */
export const UploadedMedia = z.looseObject({ media_id: z.string(), ...item });
export const VerifiedMedia = z.looseObject({ success: z.literal(true), media_id: z.string(), ...item });
