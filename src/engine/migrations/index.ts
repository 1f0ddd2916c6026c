import { deleteMigration, findMigration, insertMigration } from '#db/providers/migrations.ts';
import { sealJson } from '#db/schema/sealed.ts';
import type { LogEntry } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { authorisationOf } from './authorisation.ts';
import type { MigrationsDeps } from './deps.ts';
import { makeForward } from './forward.ts';
import { hintOf, makeHashes } from './keys.ts';
import type { Provider } from './provider.ts';
import { makeRecords } from './present-migration.ts';
import { makeRefresh } from './refresh.ts';

/** The accounts read from a provider are used up to this age. */
const FRESH_MS = 5 * 60_000;

/** Migrations from other providers: accounts are assessed, and client requests forwarded. */
export function makeMigrations(deps: MigrationsDeps) {
  const { store, clock, sealer, providers } = deps;
  const hashesOf = makeHashes(sealer);
  const refresh = makeRefresh(deps);
  const presentMigration = makeRecords(deps);

  function providerOf(name: string): Provider {
    const known = [...providers.keys()].join(', ');
    return (
      providers.get(name) ??
      fail('validation.field_invalid', {
        message: `provider must be one of: ${known}.`,
        meta: { field: 'provider' },
      })
    );
  }

  return Object.freeze({
    /** The providers from which accounts can be moved. */
    providers: [...providers.values()].map(({ name, title }) => ({ name, title })),

    /** Returns a migration; reads the provider first if the data are outdated, or with `now`. */
    async read(authority: Authority, name: string, { now = false } = {}) {
      const provider = providerOf(name);
      const row = await findMigration(store.db, authority, provider.name);
      const isFresh = row === undefined || (!now && row.read_at > clock.now() - FRESH_MS);
      return presentMigration(authority, provider, isFresh ? row : await refresh(provider, row));
    },

    /** Starts a migration with a provider's key; a second start with the same key changes nothing. */
    async start(authority: Authority, name: string, { key, version }: Readonly<{ key: string; version: string }>) {
      const provider = providerOf(name);
      const current = authorisationOf(provider).version;
      if (version !== current) {
        fail('validation.field_invalid', {
          message: `authorisation_version must be ${current}, the version of the text that get_migration shows.`,
          meta: { field: 'authorisation_version' },
        });
      }
      const now = clock.now();
      const id = newId('mig', now);
      const hashes = hashesOf(provider.name, key);
      const row = await store.write(async (tx) => {
        const made = await insertMigration(tx.db, {
          id,
          workspace_id: authority.workspace,
          provider: provider.name,
          network: deps.networkOf(provider),
          sealed: sealJson(sealer, key, 'migrations', id),
          key_hash: hashes[0]!,
          key_hint: hintOf(key),
          authorisation_version: version,
          found: null,
          assessed_at: null,
          failure: null,
          created_at: now,
        });
        if (made) await tx.log(entryOf(authority, id, 'started', provider));
        const started = await findMigration(tx.db, authority, provider.name);
        if (started === undefined || !hashes.includes(started.key_hash)) refuseOtherKey(provider);
        await tx.key?.record({});
        return started;
      });
      return presentMigration(authority, provider, row.read_at === 0 ? await refresh(provider, row) : row);
    },

    async stop(authority: Authority, name: string) {
      const provider = providerOf(name);
      const id = await store.write(async (tx) => {
        const deleted = await deleteMigration(tx.db, authority, provider.name);
        if (deleted !== undefined) await tx.log(entryOf(authority, deleted, 'stopped', provider));
        return deleted;
      });
      if (id === undefined) {
        fail('resource.not_found', {
          message: `No migration from ${provider.title} is started.`,
          next: 'Start one with start_migration.',
          meta: { resource: 'migration', id: provider.name },
        });
      }
      return { success: true, ok: true, id };
    },

    forward: makeForward(deps),
  });
}

function refuseOtherKey({ name, title }: Provider): never {
  fail('resource.conflict', {
    message: `The migration from ${title} was started with another key.`,
    next: 'End it first with stop_migration.',
    meta: { resource: 'migration', id: name },
  });
}

function entryOf({ workspace }: Authority, id: string, done: 'started' | 'stopped', { title }: Provider): LogEntry {
  return {
    workspaceId: workspace,
    category: 'api',
    action: `migration_${done}`,
    status: 'success',
    resourceId: id,
    summary: `Migration from ${title} ${done}`,
  };
}

export type Migrations = ReturnType<typeof makeMigrations>;
