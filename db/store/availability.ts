import Database from 'better-sqlite3';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';

/** A file that is full, unreadable, read-only, damaged or locked by another process. */
const SQLITE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|PROTOCOL|CORRUPT|NOTADB)/;
/** The codes of a damaged file. */
export const SQLITE_DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** One line for the log. Damage does not go away, and no request can repair it. */
const DAMAGED = 'the database file is damaged; stop the server and restore a copy of it (docs/running.md, "Restoring")';
/** PostgreSQL: connection lost, out of resources (53100: disk full), server starting or stopping, I/O error. */
const POSTGRES = /^(?:08|53|58)...$|^57P0[1-5]$/;
/** PostgreSQL: a lock that another process keeps. Everything else goes on. */
const LOCKED = '55P03';
/** Socket errors: ECONNREFUSED, ENOENT, ETIMEDOUT and the like. */
const SOCKET = /^E(?!RR_)[A-Z_]+$/;
/** Errors of the driver that have no code. */
const LOST =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** How long no error may occur before the store counts as available again; a nearly full one fails only at times. */
const CALM_MS = 5000;

/** Whether an error means that the store is unavailable, rather than that a statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreUnavailable) return true;
  const { code } = error as { code?: unknown };
  if (error instanceof Database.SqliteError) return SQLITE.test(error.code);
  if (typeof code === 'string') return code === LOCKED || POSTGRES.test(code) || SOCKET.test(code);
  return LOST.test(error.message);
}

/** Watches driver errors and logs when an outage begins and ends. */
export type Watch = Readonly<{
  /** Throws the error, as StoreUnavailable if it means an outage. */
  failed(this: void, error: unknown): never;
  worked(): void;
  /** What is wrong with a damaged database, and what to do. */
  damage(this: void): string | undefined;
}>;

/** `test` has to write, because on a full disk a transaction without changes still succeeds. */
export function makeWatch(test: () => Promise<unknown>, log: Pick<Log, 'info' | 'warn'> | undefined): Watch {
  let away = false;
  let testing = false;
  let lastFailure = 0;
  let damaged = false;

  const calm = () => performance.now() - lastFailure >= CALM_MS;

  async function testBack(): Promise<void> {
    testing = true;
    try {
      await test();
      away = !calm();
      if (!away) log?.info({}, 'the store is available again');
    } catch {
      lastFailure = performance.now();
    } finally {
      testing = false;
    }
  }

  return Object.freeze({
    failed(error: unknown): never {
      if (!isUnavailable(error)) throw error;
      if ((error as { code?: unknown }).code === LOCKED) {
        log?.warn({ error }, 'a row is locked by another process; the request that needs it is answered with 503');
        throw new StoreUnavailable(error);
      }
      lastFailure = performance.now();
      if (error instanceof Database.SqliteError && SQLITE_DAMAGE.test(error.code)) {
        if (!damaged) log?.warn({ error }, DAMAGED);
        damaged = true;
      } else if (!away) log?.warn({ error }, 'the store is unavailable; requests are answered with 503');
      away = true;
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
    },
    worked() {
      if (away && !damaged && !testing && calm()) void testBack();
    },
    damage: () => (damaged ? DAMAGED : undefined),
  });
}
