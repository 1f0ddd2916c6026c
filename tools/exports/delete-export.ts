import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { exportId } from './export.ts';

export const deleteExport = defineTool({
  name: 'delete_export',
  summary: 'Delete an export with its files; one that still runs ends.',
  http: { method: 'DELETE', path: '/exports/{export_id}' },
  effect: 'delete',
  act: 'admin',
  removes: 'export',
  access: { dashboard: 'posts:write' },
  input: z.object({ export_id: exportId }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ export_id }, { authority }, { exports }: Module<'exports'>) {
    return exports.remove(authority, export_id);
  },
});
