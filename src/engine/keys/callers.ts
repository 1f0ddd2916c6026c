import { isGoneKey, presentedKey, touchKeys } from '#db/access/keys.ts';
import { rememberUntilChanged } from '#db/access/remembered.ts';
import type { Store } from '#db/store/store.ts';
import { connectedAs, type Caller } from '#call/caller.ts';
import { authorityOver, workspaceOf, type Workspace } from '#kernel/authority.ts';
import { every, type Clock } from '#kernel/clock.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Scope } from '#kernel/scopes.ts';
import { sha256 } from '#kernel/sign.ts';
import { KEY_PREFIX } from './index.ts';

/** How many keys are cached, and how often their use is recorded. */
const REMEMBERED = 1000;
const FLUSH_MS = 60_000;

/** A placeholder for people who have no workspace yet. */
const NOWHERE: Workspace = Object.freeze({ id: '', plan: 'free', createdAt: 0, blockedAt: undefined, timezone: 'UTC' });

type CallersDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  /** Verifies tokens other than API keys: OAuth access tokens and dashboard tokens. */
  verifyToken?(token: string): Promise<Caller>;
  /** The person named in a dashboard token, who need not have a user here. */
  readDashboardToken?(token: string): Promise<Readonly<{ userId: string }> & NonNullable<Caller['newcomer']>>;
}>;

/** Identifies callers by the Authorization header. Other processes notice a revoked key within a second. */
export function makeCallers({ store, clock, log, verifyToken, readDashboardToken }: CallersDeps) {
  const known = rememberUntilChanged<Caller>(store, REMEMBERED);
  const used = new Map<string, number>();
  let stopFlush = () => {};

  const find = store.prepared(presentedKey);

  function identifyKey(token: string): Caller | Promise<Caller> {
    // Keyed by the token itself, as hashing costs 2 % of a call. Map hashes are seeded, so timing reveals nothing.
    const caller = known.of(token, async () => {
      const hash = sha256(token);
      const row = await find({ hash });
      if (!row) fail((await isGoneKey(store.db, hash)) ? 'auth.user_not_found' : 'auth.invalid_key');
      if (row.ended_at !== null) fail('auth.invalid_key');
      const authority = authorityOver(row.workspace_id, {
        scopes: row.scopes as readonly Scope[],
        brands: row.brand_ids,
      });
      return Object.freeze({
        kind: 'key',
        id: row.id,
        name: row.name,
        userId: row.user_id,
        workspace: workspaceOf(row),
        ...connectedAs(row.id, authority, row),
      });
    });
    return caller instanceof Promise ? caller.then(noteUse) : noteUse(caller);
  }

  function noteUse(caller: Caller): Caller {
    used.set(caller.id, clock.now());
    return caller;
  }

  async function flush(): Promise<void> {
    if (used.size === 0) return;
    const batch = new Map(used);
    used.clear();
    try {
      await store.write((tx) => touchKeys(tx, batch));
    } catch (error) {
      log.warn({ error }, 'key use not written; it is written with the next');
      for (const [id, at] of batch) if (!used.has(id)) used.set(id, at);
    }
  }

  async function newcomerOf(token: string): Promise<Caller> {
    if (!readDashboardToken) fail('auth.not_provisioned');
    const { userId, ...person } = await readDashboardToken(token);
    const newcomer = Object.freeze(person);
    return Object.freeze({
      kind: 'dashboard',
      id: userId,
      name: newcomer.name,
      userId,
      workspace: NOWHERE,
      authority: authorityOver(NOWHERE.id, { dashboard: true }),
      newcomer,
    });
  }

  return Object.freeze({
    forget: known.forget,
    /** The caller of a request; throws the auth.* error for what is wrong with the header. */
    async identify(authorization: string | undefined, { newcomers = false } = {}): Promise<Caller> {
      if (authorization === undefined || authorization === '') fail('auth.missing_header');
      // Unauthenticated input: the pattern must not backtrack.
      const token = /^bearer +(\S.*)$/i.exec(authorization)?.[1]?.trimEnd();
      if (token === undefined) fail('auth.empty_token');
      if (/\s/.test(token)) fail('auth.invalid_token');
      if (token.startsWith(KEY_PREFIX)) return identifyKey(token);
      if (!verifyToken) fail('auth.invalid_token');
      if (!newcomers) return verifyToken(token);
      try {
        return await verifyToken(token);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'auth.not_provisioned') return newcomerOf(token);
        throw error;
      }
    },
    start(): void {
      stopFlush = every(clock, FLUSH_MS, () => void flush());
    },
    async stop(): Promise<void> {
      stopFlush();
      await flush();
    },
  });
}
