import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { provider } from './migration.ts';

export const stopMigration = defineTool({
  name: 'stop_migration',
  summary: "Stop a migration: its base URL stops working at once, and the provider's key is deleted.",
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
