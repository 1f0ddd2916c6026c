import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { fail } from '#kernel/errors.ts';
import { time } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getMediaUploadUrl = defineTool({
  name: 'get_media_upload_url',
  summary:
    'Get an address to PUT a file to within 15 minutes, or give a person to choose it on; call verify_media_upload afterwards.',
  http: { method: 'GET', path: '/media/upload-url' },
  effect: 'create',
  act: 'draft',
  access: { scope: 'media:write' },
  meter: 'storage',
  input: z.object({
    media_type: z.string().max(127).optional().describe('MIME type of the file, for example image/png; required.'),
    content_type: z.string().max(127).optional().describe('Another name of media_type.'),
    filename: z.string().min(1).max(255).describe('Name of the file.'),
    size_bytes: z.int().min(1).optional().describe('Size of the file; a larger upload is then refused.'),
  }),
  output: z.looseObject({
    media_id: z.string(),
    upload_url: z.string(),
    upload_page: z.string(),
    expires_at: time,
  }),
  errors: ['billing.storage_quota', 'http.413'],
  async run({ media_type, content_type, filename, size_bytes }, { workspace }, { media }: Module<'media'>) {
    const type = media_type ?? content_type;
    if (type === undefined) {
      fail('validation.field_required', { message: 'media_type is required.', meta: { field: 'media_type' } });
    }
    return media.uploadUrl(workspace, { media_type: type, filename, size_bytes });
  },
});
