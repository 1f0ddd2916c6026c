import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const revokeKey = defineTool({
  name: 'revoke_key',
  summary: 'Revoke an API key for good; a key may revoke itself.',
  http: { method: 'DELETE', path: '/keys/{key_id}' },
  effect: 'delete',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  input: z.object({ key_id: id('key') }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ key_id }, { authority }, { keys }: Module<'keys'>) {
    return keys.revoke(authority, key_id);
  },
});
