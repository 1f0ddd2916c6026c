import { z } from 'zod';
import { defineTool } from '../../src/call/tool.ts';
import type { Room } from '../rooms.ts';

export const listKeyScopes = defineTool({
  name: 'list_key_scopes',
  summary: 'List the scopes that an API key may be limited to.',
  http: { method: 'GET', path: '/keys/scopes' },
  effect: 'read',
  access: { open: true },
  input: z.object({}),
  output: z.looseObject({
    count: z.int(),
    data: z.array(z.looseObject({ name: z.string(), description: z.string(), group: z.string() })),
  }),
  errors: [],
  async run(_input, _call, { keys }: Room<'keys'>) {
    const data = keys.scopes();
    return { count: data.length, data };
  },
});
