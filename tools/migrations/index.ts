import { toolset } from '#call/tool.ts';
import { getMigration } from './get-migration.ts';
import { startMigration } from './start-migration.ts';
import { stopMigration } from './stop-migration.ts';

export const migrations = toolset('migrations', 'Migrations', 'Moving here from another provider.', [
  getMigration,
  startMigration,
  stopMigration,
]);
