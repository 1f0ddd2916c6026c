import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { FreshKey, keyLimits, keyName } from './key.ts';

export const createKey = defineTool({
  name: 'create_key',
  summary: 'Create an API key, optionally limited to scopes and brands; its secret is shown once.',
  http: { method: 'POST', path: '/keys', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { admin: true },
  input: z.object({ name: keyName, ...keyLimits }),
  output: FreshKey,
  errors: ['validation.scope_invalid', 'validation.brand_invalid'],
  async run({ name, ...limits }, { authority, caller }, { keys }: Module<'keys'>) {
    return keys.create(authority, caller.userId, name, limits);
  },
  resume: recordedAnswer,
});
