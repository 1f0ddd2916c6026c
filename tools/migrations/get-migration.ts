import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Migration, provider } from './migration.ts';

export const getMigration = defineTool({
  name: 'get_migration',
  summary: 'Show a migration from another provider: what it needs here, and its progress.',
  http: { method: 'GET', path: '/migrations/{provider}' },
  effect: 'read',
  openWorld: true,
  access: { dashboard: true },
  input: z.object({
    provider,
    refresh: z.boolean().default(false).describe('Read the accounts now instead of once in 5 minutes.'),
  }),
  output: Migration,
  errors: [],
  async run({ provider: name, refresh }, { authority }, { migrations }: Module<'migrations'>) {
    return migrations.read(authority, name, { now: refresh });
  },
});
