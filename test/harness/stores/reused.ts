import { CompiledQuery } from 'kysely';
import type { Backend } from '#db/store/backend.ts';
import { openBackend, openStore, type Store, type StoreOptions } from '#db/store/open.ts';
import { migratedImage, tablesOf } from './images.ts';
import { freshSchema } from './postgres.ts';

/** An open database with the released migrations; `version` is its schema's, where the database counts that. */
export type OpenDatabase = Readonly<{ place: StoreOptions; backend: Backend; version: unknown }>;
export type ReusedKind = 'memory' | 'postgres';

const UNDEFINED_TABLE = '42P01';

/** Open databases of this worker that no test uses: to empty one costs a tenth of opening another. */
const idle: Readonly<Record<ReusedKind, OpenDatabase[]>> = { memory: [], postgres: [] };

/** A database that a test before has left whole, emptied; else a new one. */
export async function takeDatabase(kind: ReusedKind): Promise<OpenDatabase> {
  for (let known = idle[kind].pop(); known; known = idle[kind].pop()) {
    if (await isEmptied(known)) return known;
    await known.backend.close();
  }
  const place = kind === 'memory' ? { image: await migratedImage() } : { ...(await freshSchema()), poolSize: 4 };
  const backend = await openBackend(place);
  // A test that relies on an order which a query does not ask for fails here always, not on PostgreSQL sometimes.
  if (kind === 'memory') await backend.read(CompiledQuery.raw('pragma reverse_unordered_selects = on'));
  return { place, backend, version: await schemaVersion(backend) };
}

/** Keeps a database for the next test. */
export function giveDatabase(kind: ReusedKind, database: OpenDatabase): void {
  idle[kind].push(database);
}

/** A store on a database that stays open when the store is closed. */
export function openStoreOn({ backend }: OpenDatabase, onClosed = () => {}): Promise<Store> {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  const track = async <R>(work: () => Promise<R>): Promise<R> => {
    if (isClosed) throw new Error('the store is closed');
    const answer = work();
    underWay.add(answer);
    try {
      return await answer;
    } finally {
      underWay.delete(answer);
    }
  };
  return openStore({
    backend: {
      ...backend,
      read: (query) => track(() => backend.read(query)),
      prepare(text) {
        const rows = backend.prepare(text);
        return (parameters) => track(() => rows(parameters));
      },
      transaction: (body, options) => track(() => backend.transaction(body, options)),
      async close() {
        isClosed = true;
        await Promise.allSettled(underWay);
        onClosed();
      },
    },
  });
}

/** A store in memory, with a database of its own until it is closed. */
export async function openMemoryStore(): Promise<Store> {
  const database = await takeDatabase('memory');
  return openStoreOn(database, () => giveDatabase('memory', database));
}

/** Counts the changes of the schema on SQLite, where a test may have made some. */
async function schemaVersion(backend: Backend): Promise<unknown> {
  if (backend.dialect === 'postgres') return undefined;
  const { rows } = await backend.read(CompiledQuery.raw('pragma schema_version'));
  return Object.values(rows[0] as object)[0];
}

/** Empties the tables; false when a test has changed them. */
async function isEmptied({ backend, version }: OpenDatabase): Promise<boolean> {
  if ((await schemaVersion(backend)) !== version) return false;
  const deletes = (await tablesOf()).map((table) => `delete from ${table}`);
  try {
    await backend.transaction(async (execute) => {
      // Foreign keys are not asked, or asked last, so the order does not matter.
      if (backend.dialect === 'postgres') {
        await execute(CompiledQuery.raw(['set local session_replication_role = replica', ...deletes].join(';')));
      } else {
        for (const text of ['pragma defer_foreign_keys = on', ...deletes]) await execute(CompiledQuery.raw(text));
      }
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}
