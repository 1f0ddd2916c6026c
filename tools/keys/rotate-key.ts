import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { FreshKey } from './key.ts';

export const rotateKey = defineTool({
  name: 'rotate_key',
  summary: 'Give an API key a new secret; the old one stops working at once.',
  http: { method: 'POST', path: '/keys/{key_id}/rotate' },
  effect: 'update',
  act: 'admin',
  destructive: true,
  access: { admin: true },
  input: z.object({ key_id: id('key') }),
  output: FreshKey,
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ key_id }, { authority, caller }, { keys }: Module<'keys'>) {
    return keys.rotate(authority, caller.userId, key_id);
  },
  resume: recordedAnswer,
});
