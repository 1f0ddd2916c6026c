import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { COLUMNS } from './import-row.ts';

export const getImportTemplate = defineTool({
  name: 'get_import_template',
  summary: 'Get a CSV template for import_posts, with a row for each account.',
  http: { method: 'GET', path: '/posts/import/template' },
  effect: 'read',
  access: { scope: 'posts:write' },
  file: { type: 'text/csv; charset=utf-8', name: 'posts.csv' },
  mcp: false,
  input: z.object({}),
  output: z.looseObject({ text: z.string() }),
  errors: [],
  async run(_, { authority }, { posts }: Module<'posts'>) {
    return { text: await posts.importTemplate(authority, COLUMNS) };
  },
});
