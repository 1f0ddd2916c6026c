import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { MediaItem } from '#engine/media/item.ts';
import { filePart } from '../fields.ts';
import type { Module } from '../modules.ts';
import { UploadedMedia } from './media.ts';

const LARGER = 'base64 must hold at most 2 MiB; call get_media_upload_url, and give a person its upload_page.';

export const uploadMedia = defineTool({
  name: 'upload_media',
  summary: 'Upload an image, video, audio or PDF file of up to 50 MB, ready for use at once.',
  http: { method: 'POST', path: '/media/upload', status: 201 },
  effect: 'create',
  act: 'draft',
  access: { scope: 'media:write' },
  meter: 'storage',
  body: 'multipart',
  largerFiles:
    'Ask get_media_upload_url (GET /v1/media/upload-url) for an address, PUT the file there, then call verify_media_upload.',
  input: z.object({
    file: filePart('The file, as a part of the form.'),
    url: z.string().max(4096).optional().describe('Public http(s) URL to fetch the file from.'),
    base64: z
      .string()
      .max(4_194_304, LARGER)
      .optional()
      .describe('The bytes instead of url, at most 2 MiB; use get_media_upload_url for more.'),
    filename: z.string().max(255).optional().describe('Name to show; default: that of the file or url.'),
    content_type: z.string().max(127).optional().describe('Only a hint: the type is read from the bytes.'),
  }),
  output: UploadedMedia,
  errors: ['billing.storage_quota', 'http.413', 'http.503'],
  async run({ file, url, base64, filename }, { workspace }, { media }: Module<'media'>) {
    const item = await media.upload(workspace, { file, url, base64, filename });
    return { media_id: item.id, ...item };
  },
  resume: async (item: MediaItem) => ({ media_id: item.id, ...item }),
});
