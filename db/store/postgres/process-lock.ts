import pg from 'pg';
import { StoreUnavailable } from '#kernel/errors.ts';
import { isUnavailable } from '../availability.ts';
import type { ProcessLock } from '../backend.ts';
import { LOCK_NAME } from '../processes.ts';
import { CONNECT_MS, logLoss, settle, type PostgresAddress } from './session.ts';

/** The key of the advisory lock: the process id, 48 bits in hexadecimal. */
const keyOf = (id: string) => `('x0000' || ${id})::bit(64)::bigint`;

function unavailable(error: unknown): never {
  throw isUnavailable(error) ? new StoreUnavailable(error) : error;
}

/** An advisory lock on its own connection, which ends when the process does. */
export function makeProcessLock({ url, schema, log }: PostgresAddress, id: string): ProcessLock {
  let held: pg.Client | undefined;
  let losses = 0;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    logLoss(client, log);
    client.once('end', () => {
      if (held !== client) return;
      held = undefined;
      losses += 1;
    });
    await client.connect();
    await settle(client, 'reading', schema);
    // An application_name in the URL would come before one in the options.
    await client.query("select set_config('application_name', $1, false)", [LOCK_NAME]);
    return client;
  }

  return Object.freeze({
    async hold() {
      if (held !== undefined) return false;
      const client = await connect().catch(unavailable);
      try {
        // Nobody else has the lock, except briefly a process that checks whether this one is alive.
        await client.query(`select pg_advisory_lock(${keyOf('$1::text')})`, [id]);
      } catch (error) {
        await client.end().catch(() => {});
        throw error;
      }
      held = client;
      return true;
    },
    losses: () => losses,
    async dead(ids) {
      if (held === undefined) return [];
      const text = `select id from unnest($1::text[]) as process (id) where pg_try_advisory_xact_lock(${keyOf('id')})`;
      const { rows } = await held.query<{ id: string }>(text, [ids]).catch(unavailable);
      return rows.map((row) => row.id);
    },
    async release() {
      const client = held;
      held = undefined;
      await client?.end();
    },
  });
}
