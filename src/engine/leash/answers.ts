import { claimedFor, claimItem, releaseItem } from '#db/leash/answered.ts';
import { countAct } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import type { Caller } from '#call/caller.ts';
import type { Act } from '#kernel/acts.ts';
import { dayOf, type Clock } from '#kernel/clock.ts';
import { ApiError, isPassing } from '#kernel/errors.ts';
import { capOf } from '#kernel/limits/leash.ts';
import { digestOf, REPLAY_MS } from './held.ts';

/** The right of a connection to answer one item of the inbox, once. */
export type Claim = Readonly<{
  connection: string;
  item: string;
  digest: string;
  at: number;
  /** The item waits for no answer any more: what was begun can be settled, and nothing more. */
  isOver: boolean;
}>;

type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: object }>;

type AnswersDeps = Readonly<{
  store: Store;
  clock: Clock;
  /** Runs a call unless it ran before under its key; then settles it, or answers as before. */
  once<T extends Answer>(
    keyed: Readonly<{
      caller: Caller;
      operation: string;
      key: string;
      hash: string;
      repeatable: boolean;
      requestId: string;
    }>,
    run: (recorded: object | undefined) => Promise<T>,
  ): Promise<Answer & { replayed: boolean }>;
}>;

/** Thrown for an answer of which nothing had begun before somebody else gave one. */
class TooLate extends Error {
  override name = 'TooLate';
}

/** A call that may be an answer to somebody, and the item that it answers, if that waits for one. */
type Answering = Readonly<{ tool: string; act: Act; input: object; item: string | undefined }>;

/** Answers that a connection gives without asking: each item that waits for one gets one. */
export function makeAnswers({ store, clock, once }: AnswersDeps) {
  const release = ({ connection, item, digest, at }: Claim): Promise<void> =>
    store.write((tx) => releaseItem(tx.db, { connection_id: connection, item, digest, at }));

  return Object.freeze({
    /** Claims the item that a call answers, and counts the call; or says why a person has to agree. */
    async claim({ leash, workspace }: Caller, { tool, act, input, item }: Answering): Promise<Claim | string> {
      const { connection, policy } = leash!;
      const now = clock.now();
      const most = capOf(policy, act);
      const digest = digestOf(tool, input);
      return store.write(async ({ db }) => {
        if (item === undefined) {
          const before = await claimedFor(db, { connection, digest, since: now - REPLAY_MS });
          return before ? { connection, digest, ...before, isOver: true } : `acts.${act}`;
        }
        const of = { connection_id: connection, workspace_id: workspace.id };
        const claimed = await claimItem(db, { ...of, item, digest, at: now });
        if (claimed === undefined) return `acts.${act}`;
        const { at, isNew } = claimed;
        if (isNew && most !== undefined && !(await countAct(db, { ...of, day: dayOf(now), act }, most))) {
          await releaseItem(db, { ...of, item, digest, at });
          return `caps.${act}`;
        }
        return { connection, item, digest, at, isOver: false };
      });
    },

    /**
     * Gives an answer once: a repeat settles it or is told what it came to, and a certain refusal gives the claim back.
     * Undefined where it is too late: nothing of it has begun, and the item waits for no answer any more.
     */
    async answer<T extends Answer>(
      claim: Claim,
      call: Readonly<{ caller: Caller; operation: string; requestId: string }>,
      run: (recorded: object | undefined) => Promise<T>,
    ): Promise<Answer | undefined> {
      // The spaces keep it apart from every key that a client can send.
      const keyed = { ...call, key: `answer ${claim.item} ${claim.at}`, hash: claim.digest, repeatable: false };
      try {
        const { replayed, ...answer } = await once(keyed, async (recorded) => {
          if (claim.isOver && recorded === undefined) throw new TooLate();
          return run(recorded).catch(async (error: unknown) => {
            if (isCertain(error)) await release(claim);
            throw error;
          });
        });
        return replayed ? { ...answer, body: { ...answer.body, replayed } } : answer;
      } catch (error) {
        if (error instanceof TooLate) return undefined;
        throw error;
      }
    },
  });
}

/** Whether an error says for certain that nothing was sent, and that the same would not be. */
function isCertain(error: unknown): boolean {
  return error instanceof ApiError && !isPassing(error.status) && error.detail.meta?.['message_ids'] === undefined;
}

export type Answers = ReturnType<typeof makeAnswers>;
