import { z } from 'zod';
import type { Call } from '#call/context.ts';
import { defineTool } from '#call/tool.ts';
import { LARGEST_IMPORT_BYTES } from '#kernel/limits/sizes.ts';
import { filePart, named } from '../fields.ts';
import type { Module } from '../modules.ts';
import { COLUMNS, draftOf } from './import-row.ts';
import { Post } from './post.ts';
import type { Cells } from '#engine/publishing/create/csv.ts';
import type { Imported, ImportInput } from '#engine/publishing/create/import.ts';

const RowError = named('ImportError', { row: z.int(), code: z.string(), message: z.string() });

export const importPosts = defineTool({
  name: 'import_posts',
  summary: 'Create drafts and scheduled posts from a CSV file of up to 10 MB and 10000 rows.',
  http: { method: 'POST', path: '/posts/import' },
  effect: 'create',
  act: 'post',
  openWorld: true,
  whilePaused: () => true,
  access: { scope: 'posts:write' },
  meter: 'post',
  body: 'multipart',
  maxFileBytes: LARGEST_IMPORT_BYTES,
  input: z.object({
    file: filePart('The CSV file, as a part of the form; columns as in csv.'),
    csv: z
      .string()
      .max(4_194_304)
      .optional()
      .describe(
        'CSV with a header: text, and any of title, media (addresses or ids: a|b), account_ids (ids or platform:username, a|b), scheduled_at (none: draft), visibility, first_comment, platform_data (JSON), board_id.',
      ),
    url: z.string().max(4096).optional().describe('Public http(s) URL of the CSV, instead.'),
    dry_run: z.boolean().default(false).describe('Check the rows; create nothing.'),
  }),
  output: z.looseObject({
    dry_run: z.boolean(),
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']),
    delimiter: z.enum([',', ';', '\t']),
    total_rows: z.int(),
    created: z.int(),
    failed: z.int(),
    errors: z.array(RowError),
    posts: z.array(Post),
  }),
  errors: ['billing.post_limit', 'resource.conflict', 'http.413'],
  lighter: { act: 'draft', when: ({ dry_run }) => dry_run, how: 'With dry_run, this call only checks.' },
  async run(input, call, { posts }: Module<'posts'>) {
    return posts.importPosts(call, fileOf(input, call), call.progress);
  },
  async resume(begun: Imported, input, call, { posts }) {
    return posts.importPosts(call, fileOf(input, call), call.progress, begun);
  },
});

type Given = Pick<ImportInput, 'file' | 'csv' | 'url'> & { dry_run: boolean };

function fileOf({ dry_run, ...given }: Given, { timezone }: Call): ImportInput {
  const draft = (cells: Cells) => draftOf(cells, timezone);
  return { ...given, dryRun: dry_run, columns: COLUMNS, needed: 'text', draftOf: draft };
}
