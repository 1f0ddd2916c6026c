import {
  freeKey,
  keepAnswer,
  loadKey,
  makeOrHold,
  recordWork,
  replaceHeld,
  setLease,
  sweepIdempotency,
  takeOver,
  type Leased,
} from '#db/access/idempotency.ts';
import { underKey, type RequestKey } from '#db/access/request-key.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import type { Answered, CrashPoint, Keyed, KeyOf, Once, Run } from '#call/ports.ts';
import { every, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import { sha256 } from '#kernel/sign.ts';
import { makeWorkerPool } from '../jobs/worker-pool.ts';
import { isKeepable, refuseEarly, refuseNarrowed, refuseOther, replayOf, type Kept } from './answers.ts';

const KEPT_MS = 24 * 3_600_000;
/** The lease of a key; a running call renews it. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
const SWEEP_STEP = 500;

type IdempotencyDeps = Readonly<{ store: Store; clock: Clock; log: Log; sealer: Sealer; crash: CrashPoint }>;

/** Takes the lease of a request's key, or finds what is stored for the key. */
function makeTake(deps: IdempotencyDeps, seal: (id: string, kept: Kept) => string) {
  const { clock, store, sealer } = deps;

  /** Takes the key; returns what is stored for it, to be settled or replayed. */
  function take({ caller, hash, repeatable }: Keyed, leased: Leased): Promise<Kept | undefined> {
    const { id, token } = leased;
    const now = clock.now();
    const row = {
      id,
      workspace_id: caller.workspace.id,
      sealed: seal(id, { hash, brands: caller.authority.brands ?? [] }),
      lease_token: token,
      lease_until: now + LEASE_MS,
      expires_at: now + KEPT_MS,
    };
    return store.write(async (tx) => {
      const held = await makeOrHold(tx.db, row);
      if (held.lease_token === token) return undefined;
      const runs = held.lease_until !== null && held.lease_until > now;
      if (runs || held.expires_at > now) {
        const kept = openJson(sealer, held.sealed, 'idempotency', id) as Kept;
        if (kept.hash !== hash) refuseOther();
        if (kept.answer ?? kept.recorded) {
          refuseNarrowed(kept, caller);
          if (kept.answer === undefined) await takeOver(tx.db, leased, row.lease_until);
          return kept;
        }
        if (runs && !repeatable) refuseEarly();
      }
      await replaceHeld(tx.db, row);
      return undefined;
    });
  }

  return take;
}

function idOf({ caller, operation, key }: KeyOf): string {
  // Dashboard tokens are replaced every few minutes, so the key belongs to the person.
  const holder = caller.kind === 'dashboard' ? caller.userId : caller.id;
  return sha256(JSON.stringify([caller.kind, holder, operation, key]));
}

/** Makes sure that a request with an Idempotency-Key takes effect once: docs/repeating.md. */
export function makeIdempotency(deps: IdempotencyDeps) {
  const { store, clock, log, sealer, crash } = deps;

  const running = makeWorkerPool(Infinity);
  const seal = (id: string, kept: Kept) => sealJson(sealer, kept, 'idempotency', id);

  const take = makeTake(deps, seal);

  /** A failed write must not turn work that continues or is done into a failure, so it is only logged. */
  async function write(work: (db: Db) => Promise<void>, otherwise: string): Promise<void> {
    try {
      await store.write((tx) => work(tx.db));
    } catch (error) {
      log.warn({ error }, otherwise);
    }
  }

  function keepAlive(leased: Leased): () => void {
    const extend = (db: Db) => setLease(db, leased, clock.now() + LEASE_MS);
    return every(clock, RENEW_MS, () => void write(extend, 'the lease of an idempotency key was not renewed'));
  }

  /** Runs a call that holds its key, and stores the response. */
  async function perform<T extends Answered>(
    { caller, hash }: Keyed,
    leased: Leased,
    before: Kept | undefined,
    run: Run<T>,
  ) {
    const base = { hash, brands: caller.authority.brands ?? [] };
    let isRecorded = before !== undefined;
    const key: RequestKey = {
      async record(db, recorded) {
        isRecorded = true;
        if (!(await recordWork(db, leased, seal(leased.id, { ...base, recorded })))) refuseEarly();
      },
    };
    const release = keepAlive(leased);
    // What the work has recorded is left for the next repeat to settle; if nothing is recorded, nothing was done.
    let end = (db: Db) => (isRecorded ? setLease(db, leased, 0) : freeKey(db, leased));
    try {
      const answer = await underKey(key, () => run(before?.recorded));
      crash('request.performed');
      const { status, headers, body } = answer;
      // After a refusal, work that has begun stays open, since a repeat may succeed later.
      const stands = isKeepable(answer) && (before === undefined || answer.status < 400);
      if (stands) {
        const sealed = seal(leased.id, { ...base, answer: { status, headers, body } });
        end = (db) => keepAnswer(db, leased, sealed);
      }
      return { ...answer, replayed: stands && before !== undefined };
    } finally {
      release();
      await write(end, 'the outcome of a request with an idempotency key was not stored');
    }
  }

  const once: Once = async (keyed, run) => {
    // A new person has no workspace to store the key in; provisioning twice is harmless.
    if (keyed.caller.newcomer !== undefined) return { ...(await run(undefined)), replayed: false };
    const leased = { id: idOf(keyed), token: store.process.newToken() };
    const kept = await take(keyed, leased);
    if (kept?.answer !== undefined) return { ...replayOf(kept.answer, keyed.requestId), replayed: true };
    const answer = perform(keyed, leased, kept, run);
    const over = () => {};
    running.track(answer.then(over, over));
    return answer;
  };

  return Object.freeze({
    once,

    /** Whether a response to the request is stored; if not, it may be running, open, or may never have begun. */
    async isAnswered(of: KeyOf): Promise<boolean> {
      const row = await loadKey(store.db, idOf(of));
      return row !== undefined && (openJson(sealer, row.sealed, 'idempotency', row.id) as Kept).answer !== undefined;
    },

    sweep: () => store.write((tx) => sweepIdempotency(tx.db, clock.now(), SWEEP_STEP)),

    /** Resolves when no call with a key is running. */
    idle: running.idle,
  });
}

export type Idempotency = ReturnType<typeof makeIdempotency>;
