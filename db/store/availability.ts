import Database from 'better-sqlite3';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';

/** Full, unreadable, unwritable or damaged files, and another process that keeps the file locked. */
const SQLITE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|PROTOCOL|CORRUPT|NOTADB)/;
const SQLITE_DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** One line: no request can mend it, and it does not pass. */
const DAMAGED = 'the database file is damaged; stop the server and restore a copy of it (docs/running.md, "Restoring")';
/** Connection exceptions, lack of resources (53100 is a full disk), a server that stops or starts, I/O errors. */
const POSTGRES = /^(?:08|53|58)...$|^57P0[1-5]$/;
/** Of sockets: ECONNREFUSED, ENOENT, ETIMEDOUT and the like. */
const SOCKET = /^E(?!RR_)[A-Z_]+$/;
/** What the PostgreSQL library throws without a code. */
const LOST =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Errors after the last of which the store is believed to be back: a store that is nearly full fails now and then. */
const CALM_MS = 5000;

/** Whether a driver's error means that the store is away or full, as against a fault of the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreUnavailable) return true;
  const { code } = error as { code?: unknown };
  if (error instanceof Database.SqliteError) return SQLITE.test(error.code);
  if (typeof code === 'string') return POSTGRES.test(code) || SOCKET.test(code);
  return LOST.test(error.message);
}

/** What becomes of the driver's errors; an outage is logged when it begins and when it is over. */
export type Watch = Readonly<{
  /** Throws the error, as StoreUnavailable where that is what it means. */
  failed(this: void, error: unknown): never;
  /** A transaction was committed. */
  worked(): void;
  /** What is wrong with a damaged database, and what to do. */
  damage(this: void): string | undefined;
}>;

/** `test` writes to the store: transactions that change nothing succeed on a full disk too. */
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
