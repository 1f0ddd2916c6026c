import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';

export const getStorageUsage = defineTool({
  name: 'get_storage_usage',
  summary: 'Show how much media storage is used and how much the plan allows (-1 is unlimited).',
  http: { method: 'GET', path: '/media/storage' },
  effect: 'read',
  access: { scope: 'media:read' },
  meter: 'storage',
  input: z.object({}),
  output: z.looseObject({ used_bytes: z.int(), limit_bytes: z.int(), count: z.int() }),
  errors: [],
  async run(_input, { authority }, { media }: Module<'media'>) {
    return media.storage(authority);
  },
});
