import { migrationById, patchMigration, type MigrationRow } from '#db/providers/migrations.ts';
import { openJson } from '#db/schema/sealed.ts';
import type { MigrationsDeps } from './deps.ts';
import type { Provider } from './provider.ts';
import { readSource } from './read.ts';

/** Reads a provider's accounts again; concurrent callers share the read. */
export function makeRefresh({ store, clock, sealer, outbound, baseOf }: MigrationsDeps) {
  const running = new Map<string, Promise<MigrationRow | undefined>>();

  async function read(provider: Provider, { id, read_at }: MigrationRow): Promise<MigrationRow | undefined> {
    const latest = await migrationById(store.db, id);
    // Another request or server has read the accounts since.
    if (latest?.read_at !== read_at) return latest;
    const { sealed, network } = latest;
    const base = baseOf(provider, network);
    const key = openJson(sealer, sealed, 'migrations', id) as string;
    const found = base === undefined ? UNREACHABLE : await readSource(outbound, provider, { base, key });
    const now = clock.now();
    const patch = typeof found === 'string' ? { failure: found } : { found, failure: null, assessed_at: now };
    return store.write(({ db }) => patchMigration(db, id, { ...patch, read_at: now }));
  }

  return function refresh(provider: Provider, row: MigrationRow): Promise<MigrationRow | undefined> {
    const joined = running.get(row.id) ?? read(provider, row).finally(() => running.delete(row.id));
    running.set(row.id, joined);
    return joined;
  };
}

const UNREACHABLE = 'migration.source_unavailable';
