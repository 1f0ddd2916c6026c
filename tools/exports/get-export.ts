import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Export, exportId } from './export.ts';

export const getExport = defineTool({
  name: 'get_export',
  summary: 'Show the progress of an export, and the addresses of its spreadsheet and report, valid for 15 minutes.',
  http: { method: 'GET', path: '/exports/{export_id}' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({ export_id: exportId }),
  output: Export,
  errors: ['resource.not_found', 'resource.gone'],
  async run({ export_id }, { authority }, { exports }: Module<'exports'>) {
    return exports.read(authority, export_id);
  },
});
