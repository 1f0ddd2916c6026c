import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { aliasOf, cursor, limit, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Export, exportStatus } from './export.ts';

export const listExports = defineTool({
  name: 'list_exports',
  summary: 'List exports, newest first.',
  http: { method: 'GET', path: '/exports' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({ status: exportStatus, limit: limit(50), cursor }),
  output: z.looseObject({
    exports: z.array(Export),
    data: aliasOf('exports', z.array(Export)),
    ...pageShape,
  }),
  errors: [],
  async run({ status, limit: most, cursor: after }, { authority }, { exports }: Module<'exports'>) {
    return exports.list(authority, { status }, { limit: most, cursor: after });
  },
});
