import {
  extendLease,
  freeKey,
  keepAnswer,
  makeOrHold,
  replaceHeld,
  sweepIdempotency,
  type Leased,
} from '../../../db/idempotency.ts';
import { sealedPlace } from '../../../db/sealed.ts';
import type { Store } from '../../../db/store.ts';
import type { Db } from '../../../db/tx.ts';
import type { Caller } from '../../call/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { randomHex } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { sha256 } from '../../kernel/sign.ts';
import { makeCrew } from '../jobs/crew.ts';
import { keepable, keptAnswer, refuseEarly, refuseOther, type Answered, type Kept } from './answers.ts';

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000;
/** How long a call has its key for itself without saying that it is alive, and how often it says so. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const SWEEP_STEP = 500;

type Deps = Readonly<{ store: Store; clock: Clock; log: Log; sealer: Sealer }>;

/** A request with a key, by a caller who may make it. */
export type Keyed = Readonly<{
  caller: Caller;
  /** The name of the operation. */
  operation: string;
  key: string;
  /** The same for the same request. */
  hash: string;
  /** The answer shows a secret, and is not kept. */
  secret: boolean;
  /** Of this request, which may be a repeat. */
  requestId: string;
}>;

/**
 * Requests with an Idempotency-Key run once: a repeat within a day gets the answer of the first (rulings 1.20). That a
 * call runs is written down before it begins, so other processes know; one that dies loses its key with its lease.
 */
export function makeIdempotency({ store, clock, log, sealer }: Deps) {
  const running = makeCrew(Infinity);

  /** Takes the key for a call, or answers what is kept under it. */
  function take({ caller, hash }: Keyed, { id, token }: Leased): Promise<Kept | undefined> {
    const now = clock.now();
    const row = {
      id,
      workspace_id: caller.workspace.id,
      sealed: sealer.seal(JSON.stringify({ hash } satisfies Kept), sealedPlace('idempotency', id)),
      lease_token: token,
      lease_until: now + LEASE_MS,
      expires_at: now + KEPT_MS,
    };
    return store.write(async (tx) => {
      const held = await makeOrHold(tx.db, row);
      if (held.lease_token === token) return undefined;
      const leased = held.lease_until !== null && held.lease_until > now;
      if (leased || held.expires_at > now) {
        const kept = JSON.parse(sealer.open(held.sealed, sealedPlace('idempotency', id))) as Kept;
        if (kept.hash !== hash) refuseOther();
        if (leased) refuseEarly();
        if (held.lease_until === null) return kept;
      }
      await replaceHeld(tx.db, row);
      return undefined;
    });
  }

  /** The work goes on or is done by now: that this cannot be written down must not turn it into a failure. */
  async function write(work: (db: Db) => Promise<void>, otherwise: string): Promise<void> {
    try {
      await store.write((tx) => work(tx.db));
    } catch (error) {
      log.warn({ error }, otherwise);
    }
  }

  function keepAlive(leased: Leased): () => void {
    const extend = (db: Db) => extendLease(db, leased, clock.now() + LEASE_MS);
    let cancel = () => {};
    const arm = () => {
      cancel = clock.after(RENEW_MS, () => {
        arm();
        void write(extend, 'the lease of an idempotency key was not renewed');
      });
    };
    arm();
    return () => cancel();
  }

  async function perform<T extends Answered>({ caller, hash, secret }: Keyed, leased: Leased, run: () => Promise<T>) {
    const release = keepAlive(leased);
    let end = (db: Db) => freeKey(db, leased);
    try {
      const answer = await run();
      const kept = keepable(answer, hash, caller, secret);
      if (kept !== undefined) {
        const sealed = sealer.seal(JSON.stringify(kept), sealedPlace('idempotency', leased.id));
        end = (db) => keepAnswer(db, leased, sealed);
      }
      return answer;
    } finally {
      release();
      await write(end, 'what became of a request with an idempotency key was not kept');
    }
  }

  return Object.freeze({
    /** Runs a request unless it ran before under its key; then answers as it was answered. */
    async once<T extends Answered>(keyed: Keyed, run: () => Promise<T>): Promise<Answered & { replayed: boolean }> {
      const { caller, operation, key, requestId } = keyed;
      // Someone who is yet to become a user has no workspace to keep anything in, and may provision twice anyway.
      if (caller.newcomer !== undefined) return { ...(await run()), replayed: false };
      // A dashboard token lives for minutes; its person is the same with the next.
      const holder = caller.kind === 'dashboard' ? caller.userId : caller.id;
      const id = sha256(JSON.stringify([caller.kind, holder, operation, key]));
      const leased = { id, token: randomHex(16) };
      const kept = await take(keyed, leased);
      if (kept !== undefined) return { ...keptAnswer(kept, caller, requestId), replayed: true };
      const answer = perform(keyed, leased, run);
      const over = () => {};
      running.track(answer.then(over, over));
      return { ...(await answer), replayed: false };
    },

    /** Takes away a step of what has expired; answers how many keys went. */
    sweep: () => store.write((tx) => sweepIdempotency(tx.db, clock.now(), SWEEP_STEP)),

    /** Resolves when no call with a key is running. */
    idle: running.idle,
  });
}

export type Idempotency = ReturnType<typeof makeIdempotency>;
