import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Connection, connectionId, leashFields } from './connection.ts';

export const setLeash = defineTool({
  name: 'set_leash',
  summary: 'Set what a connection may do: only read, prepare drafts, ask a person, answer freely, or everything.',
  http: { method: 'PUT', path: '/connections/{connection_id}/leash' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { dashboard: 'accounts:read' },
  input: z.object({
    connection_id: connectionId,
    ...leashFields,
    password: z.string().max(1024).optional().describe('Your password, needed to allow more than before.'),
    decides: z.boolean().optional().describe('For a key: it may approve and deny requests of other connections.'),
  }),
  output: Connection,
  errors: ['resource.not_found', 'resource.conflict', 'validation.brand_invalid', 'http.429'],
  async run(
    { connection_id, password = '', ...leash },
    { caller },
    { connections, signin }: Module<'connections' | 'signin'>,
  ) {
    const widens = await connections.widens(caller, connection_id, leash);
    const refusal = widens ? await signin.confirmPassword(caller, password) : undefined;
    if (refusal) throw refusal;
    return connections.setLeash(caller, connection_id, leash);
  },
});
