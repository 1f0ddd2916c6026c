import { claimedFor, claimItem, isClaimed, releaseItem } from '#db/leash/answered.ts';
import { isItemAsked } from '#db/leash/actions.ts';
import { countAct, holdConnection } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import type { Caller } from '#call/caller.ts';
import type { Answered, KeyOf, Once, Run } from '#call/ports.ts';
import type { SendBegun } from '#call/sends.ts';
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
  /** Of an earlier call: what was begun can be settled, and nothing more. */
  isOver: boolean;
}>;

type AnswersDeps = Readonly<{
  store: Store;
  clock: Clock;
  once: Once;
  /** Whether a call under a key has its answer. */
  isAnswered(of: KeyOf): Promise<boolean>;
  /** Whether anything of what a call recorded may have happened. */
  mayHaveHappened(recorded: SendBegun): Promise<boolean>;
}>;

/** Thrown for an answer of which nothing had begun before somebody else gave one, or another call took it over. */
class TooLate extends Error {
  override name = 'TooLate';
}

/** A call that may be an answer to somebody. */
type Asked = Readonly<{ tool: string; input: object }>;
/** The same, with the item that the call answers if that item awaits an answer. */
type Answering = Asked & Readonly<{ act: Act; item: string | undefined }>;

/** Answers that a connection gives without asking: each item that waits for one gets one. */
export function makeAnswers({ store, clock, once, isAnswered, mayHaveHappened }: AnswersDeps) {
  /** The latest claim of a call like this one; `isOpen` while nobody knows what came of it. */
  async function before(caller: Caller, { tool, input }: Asked): Promise<(Claim & { isOpen: boolean }) | undefined> {
    const same = { connection: caller.leash!.connection, digest: digestOf(tool, input) };
    const claimed = await claimedFor(store.db, { ...same, since: clock.now() - REPLAY_MS });
    if (claimed === undefined) return undefined;
    const isOpen = !(await isAnswered({ caller, operation: tool, key: keyOf(claimed) }));
    return { ...same, ...claimed, isOver: true, isOpen };
  }

  return Object.freeze({
    /** The claim of an earlier call like this one, of which nobody knows what came. */
    async begun(caller: Caller, asked: Asked): Promise<Claim | undefined> {
      const earlier = await before(caller, asked);
      return earlier?.isOpen === true ? earlier : undefined;
    },

    /**
     * Claims the item that a call answers, and counts the call; or says why a person has to agree. Where nobody knows
     * what came of an earlier call like this one, that is settled first, whatever was written since.
     */
    async claim(caller: Caller, { tool, act, input, item }: Answering): Promise<Claim | string> {
      const earlier = await before(caller, { tool, input });
      if (earlier !== undefined && earlier.item !== item && (earlier.isOpen || item === undefined)) return earlier;
      if (item === undefined) return `acts.${act}`;
      const { connection, policy } = caller.leash!;
      const digest = digestOf(tool, input);
      const of = { connection_id: connection, workspace_id: caller.workspace.id };
      const now = clock.now();
      const most = capOf(policy, act);
      return store.write(async ({ db, dialect }) => {
        // Of two calls alike, of which one was written to meanwhile, the second has to see the claim of the first.
        await holdConnection(db, dialect, connection);
        const latest = await claimedFor(db, { connection, digest, since: now - REPLAY_MS });
        const isMeanwhile = latest !== undefined && keyOf(latest) !== (earlier && keyOf(earlier));
        if (isMeanwhile && latest.item !== item) return { connection, digest, ...latest, isOver: true };
        // Another answer to it may be given any moment.
        if (latest?.item !== item && (await isItemAsked(db, connection, item))) return `acts.${act}`;
        const row = { ...of, item, digest, at: Math.max(now, (latest?.at ?? 0) + 1) };
        const claimed = await claimItem(db, row);
        if (claimed === undefined) return `acts.${act}`;
        const { at, isNew } = claimed;
        if (isNew && most !== undefined && !(await countAct(db, { ...of, day: dayOf(now), act }, most))) {
          await releaseItem(db, { ...row, at });
          return `caps.${act}`;
        }
        return { connection, item, digest, at, isOver: false };
      });
    },

    /**
     * Gives an answer once: a repeat settles it or is told what it came to, and a certain refusal gives the claim back.
     * Undefined where nothing of it has begun and nothing may: the claim is given back, for the call to be judged anew.
     */
    async answer<T extends Answered>(
      claim: Claim,
      call: Readonly<{ caller: Caller; operation: string; requestId: string }>,
      run: Run<T>,
    ): Promise<Answered | undefined> {
      const release = () => store.write((tx) => releaseItem(tx.db, rowOf(claim)));
      const keyed = { ...call, key: keyOf(claim), hash: claim.digest, repeatable: false };
      try {
        const { replayed, ...answer } = await once(keyed, async (recorded) => {
          // Only who has the key may begin or give up, so no two calls do both.
          const hasBegun = recorded !== undefined && (await mayHaveHappened(recorded as SendBegun));
          if (!hasBegun && (claim.isOver || !(await isClaimed(store.db, rowOf(claim))))) {
            await release();
            throw new TooLate();
          }
          return run(recorded).catch(async (error: unknown) => {
            if (isCertain(error)) await release();
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

/** The key under which an answer is given; the spaces keep it apart from every key that a client can send. */
function keyOf({ item, at }: Pick<Claim, 'item' | 'at'>): string {
  return `answer ${item} ${at}`;
}

function rowOf({ connection, item, digest, at }: Claim) {
  return { connection_id: connection, item, digest, at };
}

/** Whether an error says for certain that nothing was sent, and that the same would not be. */
function isCertain(error: unknown): boolean {
  return error instanceof ApiError && !isPassing(error.status) && error.detail.meta?.['message_ids'] === undefined;
}

export type Answers = ReturnType<typeof makeAnswers>;
