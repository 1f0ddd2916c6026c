import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, idList, limit, minor, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { MediaItem } from './media.ts';

const Page = z.looseObject({ count: z.int(), data: z.array(MediaItem), ...pageShape });

const brief = briefList(Page, 'data', { fields: ['id', 'filename', 'content_type', 'size_bytes', 'created_at'] });

export const listMedia = defineTool({
  name: 'list_media',
  summary: 'List uploaded media that is ready for use in posts and messages, newest first.',
  http: { method: 'GET', path: '/media' },
  effect: 'read',
  access: { scope: 'media:read' },
  input: z.object({
    media_ids: idList('media; all when left out').min(1).optional().meta(minor),
    limit: limit(50),
    cursor,
  }),
  output: Page,
  brief,
  errors: [],
  async run({ media_ids, limit: most, cursor: after }, { authority }, { media }: Module<'media'>) {
    return media.list(authority, { limit: most, cursor: after }, media_ids);
  },
});
