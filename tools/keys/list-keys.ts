import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Key } from './key.ts';

export const listKeys = defineTool({
  name: 'list_keys',
  summary: 'List the API keys, revoked ones included; secrets are never shown.',
  http: { method: 'GET', path: '/keys' },
  effect: 'read',
  access: { admin: true },
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Key), ...pageShape }),
  errors: [],
  async run(page, { authority }, { keys, lists }: Module<'keys' | 'lists'>) {
    return lists.whole(page, { name: 'keys', given: {}, read: () => keys.list(authority) });
  },
});
