import { z } from 'zod';
import { aliasOf, named, platformSlug, untrusted, time } from '../fields.ts';

export const exportId = z.string().min(1).max(128).describe('Id of the export.');

const status = z.enum(['pending', 'processing', 'completed', 'failed']);

export const exportStatus = status.optional().describe('Only exports in this state.');

const Accepted = named('StartedExport', {
  id: z.string(),
  account_id: z.string(),
  platform: platformSlug,
  status,
  created_at: time,
});

export const Export = named('Export', {
  ...Accepted.shape,
  total_videos: z.int().describe('Posts read so far; the total once completed.'),
  processed_videos: z.int(),
  progress: z.int().describe('In percent.'),
  error: z.string().nullable(),
  warnings: z.array(z.string()).describe('What is missing, and why.'),
  completed_at: time.nullable(),
  expires_at: time.nullable().describe('When its posts are removed.'),
  result: named('ExportFiles', { excel_url: z.string(), report_url: z.string() })
    .nullable()
    .describe('The spreadsheet and the report, whose addresses work for 15 minutes.'),
  report_url: aliasOf('result', z.string().nullable()),
  download_url: aliasOf('result', z.string().nullable()),
});

export const ExportVideo = named('ExportVideo', {
  platform: platformSlug,
  platform_video_id: z.string(),
  title: z.string().meta(untrusted),
  description: z.string().meta(untrusted),
  share_url: z.string(),
  cover_image_url: z.string(),
  create_time: time,
  duration_seconds: z.int().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  view_count: z.number().nullable(),
  like_count: z.number().nullable(),
  comment_count: z.number().nullable(),
  share_count: z.number().nullable(),
  save_count: z.number().nullable(),
  metrics: z.record(z.string(), z.number()).describe('Whatever else the platform counts.'),
  transcript: z.string().nullable().meta(untrusted),
  transcript_lang: z.string().nullable(),
  vision_summary: z.string().nullable().meta(untrusted),
  vision_category: z.string().nullable(),
  vision_elements: z.array(z.string()).meta(untrusted),
});
