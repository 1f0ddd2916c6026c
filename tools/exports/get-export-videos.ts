import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { aliasOf, pageShape, platformSlug, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { exportId, ExportVideo } from './export.ts';

export const getExportVideos = defineTool({
  name: 'get_export_videos',
  summary: 'List the posts of a completed export with their metrics.',
  http: { method: 'GET', path: '/exports/{export_id}/videos' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({ export_id: exportId, ...wholeList }),
  output: z.looseObject({
    account_id: z.string(),
    platform: platformSlug,
    videos: z.array(ExportVideo),
    data: aliasOf('videos', z.array(ExportVideo)),
    ...pageShape,
  }),
  errors: ['resource.not_found', 'resource.gone'],
  async run({ export_id, limit, cursor }, { authority }, { exports }: Module<'exports'>) {
    return exports.posts(authority, export_id, { limit, cursor });
  },
});
