import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { connectionId } from './connection.ts';

export const endConnection = defineTool({
  name: 'end_connection',
  summary: 'End a connection at once: its tokens or key stop working, and its waiting requests are withdrawn.',
  http: { method: 'DELETE', path: '/connections/{connection_id}' },
  effect: 'delete',
  act: 'admin',
  access: { dashboard: 'accounts:read' },
  pastDue: 'exempt',
  input: z.object({ connection_id: connectionId }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ connection_id }, { caller }, { connections }: Module<'connections'>) {
    return connections.end(caller, connection_id);
  },
});
