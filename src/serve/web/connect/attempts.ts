import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { makeConcurrency } from '#kernel/limits/concurrency.ts';
import { safeEqual } from '#kernel/sign.ts';

/** Failed logins after which a connection ends. */
const TRIES = 10;
/** The most concurrent logins, in total and per workspace, because one may wait for a slow platform. */
const AT_ONCE = 16;
const AT_ONCE_EACH = 3;

/** The result of a submitted form: a redirect, or the form again with a refusal. */
export type LoginResult = Readonly<{ location: string } | { refusal: ApiError; counts: boolean }>;

export type Flow = Readonly<{ id: string; workspaceId: string; expiresAt: number }>;

type Started = Readonly<{ row: Readonly<{ id: string; workspace_id: string; expires_at: number }> }>;

/** What the attempts of a started connection are counted by. */
export const flowOf = ({ row }: Started): Flow => ({
  id: row.id,
  workspaceId: row.workspace_id,
  expiresAt: row.expires_at,
});

type Entry = {
  readonly expiresAt: number;
  tries: number;
  running?: Readonly<{ print: string; result: Promise<LoginResult> }> | undefined;
  location?: string;
};

/** The running logins and the ended connections of this process. */
export function makeAttempts(clock: Clock) {
  const entries = new Map<string, Entry>();
  const concurrency = makeConcurrency();

  function entryOf({ id, expiresAt }: Flow): Entry {
    const now = clock.now();
    for (const [old, entry] of entries) {
      if (entry.expiresAt <= now && entry.running === undefined) entries.delete(old);
    }
    const entry = entries.get(id) ?? { expiresAt, tries: 0 };
    entries.set(id, entry);
    return entry;
  }

  async function run(entry: Entry, login: (last: boolean) => Promise<LoginResult>): Promise<LoginResult> {
    try {
      const result = await login(entry.tries + 1 >= TRIES);
      if ('location' in result) entry.location = result.location;
      else if (result.counts) entry.tries += 1;
      return result;
    } finally {
      entry.running = undefined;
    }
  }

  return Object.freeze({
    /** Runs one login at a time per connection. A form submitted twice is one login, whose result both requests get. */
    async attempt(flow: Flow, print: string, login: (last: boolean) => Promise<LoginResult>): Promise<LoginResult> {
      const entry = entryOf(flow);
      if (entry.location !== undefined) return { location: entry.location };
      if (entry.running) return safeEqual(print, entry.running.print) ? entry.running.result : BUSY;
      const entered = concurrency.enter([
        { key: 'all', max: AT_ONCE },
        { key: `workspace ${flow.workspaceId}`, max: AT_ONCE_EACH },
      ]);
      if (!('leave' in entered)) return BUSY;
      const result = Promise.resolve()
        .then(() => run(entry, login))
        .finally(entered.leave);
      entry.running = { print, result };
      return result;
    },

    /** The redirect of a connection that ended in this process. Waits for a login that is running. */
    async endOf(id: string): Promise<string | undefined> {
      const entry = entries.get(id);
      await entry?.running?.result.catch(() => undefined);
      return entry?.location;
    },

    /** Records the redirect of a connection that ended without a login. */
    end(flow: Flow, location: string): void {
      entryOf(flow).location = location;
    },
  });
}

const BUSY: LoginResult = Object.freeze({
  refusal: new ApiError('http.429', {
    message: 'Another login is being checked; try again in a moment.',
    retryAfter: 5,
  }),
  counts: false,
});
