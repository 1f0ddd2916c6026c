import { z } from 'zod';
import { answer, type Answer, type Call } from '../../src/call/context.ts';
import type { Media } from '../../src/engine/media/media.ts';
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
export const UploadedMedia = z.looseObject({ media_id: z.string(), ...item });
export const VerifiedMedia = z.looseObject({ success: z.literal(true), media_id: z.string(), ...item });

/** Adds the storage headers: on plans that limit storage, or wherever `always` says so (catalogues §5.4). */
export async function withStorage<T>(
  { workspace, reach }: Call,
  media: Media,
  body: T,
  always = false,
): Promise<T | Answer<T>> {
  if (!always && workspace.plan !== 'free') return body;
  const { used_bytes, limit_bytes } = await media.storage(reach);
  return answer(body, { headers: { 'X-Storage-Used': String(used_bytes), 'X-Storage-Limit': String(limit_bytes) } });
}
