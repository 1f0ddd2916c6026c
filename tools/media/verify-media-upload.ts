import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { MediaItem } from '#engine/media/item.ts';
import type { Module } from '../modules.ts';
import { VerifiedMedia } from './media.ts';

export const verifyMediaUpload = defineTool({
  name: 'verify_media_upload',
  summary: 'Check a file that was PUT to its upload address and make it ready for use.',
  http: { method: 'POST', path: '/media/{media_id}/verify' },
  effect: 'update',
  act: 'draft',
  idempotent: true,
  access: { scope: 'media:write' },
  meter: 'storage',
  input: z.object({ media_id: id('media item') }),
  output: VerifiedMedia,
  errors: ['media.not_found', 'media.not_ready', 'billing.storage_quota', 'http.503'],
  async run({ media_id }, { workspace }, { media }: Module<'media'>) {
    const item = await media.verify(workspace, media_id);
    return { success: true as const, media_id: item.id, ...item };
  },
  resume: async (item: MediaItem) => ({ success: true as const, media_id: item.id, ...item }),
});
