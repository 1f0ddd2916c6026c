import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Connection } from './connection.ts';

export const listConnections = defineTool({
  name: 'list_connections',
  summary: 'List the apps and API keys that can act in the workspace, with what each may do and did today.',
  http: { method: 'GET', path: '/connections' },
  effect: 'read',
  access: { dashboard: 'accounts:read' },
  pastDue: 'exempt',
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Connection), ...pageShape }),
  errors: [],
  async run(page, { caller }, { connections, lists }: Module<'connections' | 'lists'>) {
    return lists.whole(page, { name: 'connections', given: {}, read: () => connections.list(caller) });
  },
});
