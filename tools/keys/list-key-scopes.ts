import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';

export const listKeyScopes = defineTool({
  name: 'list_key_scopes',
  summary: 'List the scopes that an API key may be limited to.',
  http: { method: 'GET', path: '/keys/scopes' },
  effect: 'read',
  access: { open: true },
  input: z.object({ ...wholeList }),
  output: z.looseObject({
    count: z.int(),
    data: z.array(z.looseObject({ name: z.string(), description: z.string(), group: z.string() })),
    ...pageShape,
  }),
  errors: [],
  async run(page, _call, { keys, lists }: Module<'keys' | 'lists'>) {
    return lists.fixed(page, { name: 'key_scopes', all: keys.scopes });
  },
});
