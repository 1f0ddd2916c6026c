import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Migration, provider } from './migration.ts';

export const startMigration = defineTool({
  name: 'start_migration',
  summary: 'Start a migration from another provider with its API key.',
  http: { method: 'POST', path: '/migrations/{provider}', status: 201 },
  effect: 'create',
  act: 'admin',
  openWorld: true,
  access: { dashboard: true },
  input: z.object({
    provider,
    api_key: z
      .string()
      .trim()
      .min(1)
      .max(1024)
      .regex(/^[\x21-\x7e]+$/, 'must be a key as the provider shows it')
      .describe('An API key of the provider.'),
    authorisation_version: z.string().min(1).max(64).describe('Version of the text that was accepted.'),
  }),
  output: Migration,
  errors: ['resource.conflict'],
  async run(
    { provider: name, api_key: key, authorisation_version: version },
    { authority },
    { migrations }: Module<'migrations'>,
  ) {
    return migrations.start(authority, name, { key, version });
  },
  async resume(_recorded: object, { provider: name }, { authority }, { migrations }) {
    return migrations.read(authority, name);
  },
});
