import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { provider } from './migration.ts';

export const stopMigration = defineTool({
  name: 'stop_migration',
  summary: 'Stop a migration: its base URL ends at once, and the key of the provider is erased.',
  http: { method: 'DELETE', path: '/migrations/{provider}' },
  effect: 'delete',
  act: 'admin',
  access: { dashboard: true },
  input: z.object({ provider }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ provider: name }, { authority }, { migrations }: Module<'migrations'>) {
    return migrations.stop(authority, name);
  },
});
