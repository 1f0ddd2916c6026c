import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { PendingConnection } from './account.ts';

export const getPendingConnection = defineTool({
  name: 'get_pending_connection',
  summary: 'List the profiles of a login, of which one must be chosen within 30 minutes.',
  http: { method: 'GET', path: '/accounts/pending/{connection_id}' },
  effect: 'read',
  access: { scope: 'accounts:manage' },
  input: z.object({ connection_id: z.string().min(1).max(128).describe('Pending connection.') }),
  output: PendingConnection,
  errors: ['resource.not_found'],
  run: (input, { authority }, { accounts }: Module<'accounts'>) => accounts.choice(authority, input.connection_id),
});
