import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Key, keyLimits, keyName } from './key.ts';

export const updateKey = defineTool({
  name: 'update_key',
  summary: 'Change the name, scopes or brands of an API key; the secret stays the same.',
  http: { method: 'PATCH', path: '/keys/{key_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  input: z.object({ key_id: id('key'), name: keyName.optional(), ...keyLimits }),
  output: Key,
  errors: ['resource.not_found', 'resource.conflict', 'validation.scope_invalid', 'validation.brand_invalid'],
  async run({ key_id, ...patch }, { authority, caller }, { keys }: Module<'keys'>) {
    return keys.update(authority, caller.userId, key_id, patch);
  },
});
