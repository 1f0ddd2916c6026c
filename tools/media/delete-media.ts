import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const deleteMedia = defineTool({
  name: 'delete_media',
  summary: 'Delete a media item that no post uses.',
  http: { method: 'DELETE', path: '/media/{media_id}' },
  effect: 'delete',
  act: 'delete',
  removes: 'media',
  access: { scope: 'media:write' },
  input: z.object({ media_id: id('media item') }),
  output: Done,
  errors: ['media.not_found', 'media.in_use'],
  async run({ media_id }, { authority }, { media }: Module<'media'>) {
    await media.remove(authority, media_id);
    return { success: true, ok: true, id: media_id };
  },
});
