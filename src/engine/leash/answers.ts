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

/** A connection's right to answer one item of the inbox once. */
export type Claim = Readonly<{
  connection: string;
  item: string;
  digest: string;
  at: number;
  /** Whether the claim is from an earlier call; then it can only settle what that call began. */
  isOver: boolean;
}>;

type AnswersDeps = Readonly<{
  store: Store;
  clock: Clock;
  once: Once;
  /** Whether the result of the call with this key is stored. */
  isAnswered(of: KeyOf): Promise<boolean>;
  /** Whether any part of what a call recorded may have taken effect. */
  mayHaveHappened(recorded: SendBegun): Promise<boolean>;
}>;

/** Thrown if nothing was sent yet and somebody else has answered, or another call has taken over the claim. */
class TooLate extends Error {
  override name = 'TooLate';
}

/** A call that may answer an item. */
type Asked = Readonly<{ tool: string; input: object }>;
/** The call, with the item that it answers if that item is still unanswered. */
type Answering = Asked & Readonly<{ act: Act; item: string | undefined }>;

/** Answers that a connection gives without approval: one for each unanswered item. */
export function makeAnswers({ store, clock, once, isAnswered, mayHaveHappened }: AnswersDeps) {
  /** The latest claim of an equal call; `isOpen` if the result of that call is not known. */
  async function before(caller: Caller, { tool, input }: Asked): Promise<(Claim & { isOpen: boolean }) | undefined> {
    const same = { connection: caller.leash!.connection, digest: digestOf(tool, input) };
    const claimed = await claimedFor(store.db, { ...same, since: clock.now() - REPLAY_MS });
    if (claimed === undefined) return undefined;
    const isOpen = !(await isAnswered({ caller, operation: tool, key: keyOf(claimed) }));
    return { ...same, ...claimed, isOver: true, isOpen };
  }

  return Object.freeze({
    /** The claim of an earlier equal call whose result is not known. */
    async begun(caller: Caller, asked: Asked): Promise<Claim | undefined> {
      const earlier = await before(caller, asked);
      return earlier?.isOpen === true ? earlier : undefined;
    },

    /**
     * Claims the item that a call answers and counts the call, or returns why a person has to approve it. If the result
     * of an earlier equal call is not known, returns that claim first, even if the item has changed.
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
        // Locks the connection: of two equal calls, the second must see the claim of the first.
        await holdConnection(db, dialect, connection);
        const latest = await claimedFor(db, { connection, digest, since: now - REPLAY_MS });
        const isMeanwhile = latest !== undefined && keyOf(latest) !== (earlier && keyOf(earlier));
        if (isMeanwhile && latest.item !== item) return { connection, digest, ...latest, isOver: true };
        // A call that waits for approval may answer the item at any moment.
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
     * Sends an answer once. A repeat settles it or returns its result; a certain refusal releases the claim. Returns
     * undefined, and releases the claim, if nothing was sent and the call must be judged again.
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
          // Only the holder of the key may start or give up, so two calls never do both.
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

/** The idempotency key of an answer; it contains spaces, so it never equals a client's key. */
function keyOf({ item, at }: Pick<Claim, 'item' | 'at'>): string {
  return `answer ${item} ${at}`;
}

function rowOf({ connection, item, digest, at }: Claim) {
  return { connection_id: connection, item, digest, at };
}

/** Whether an error proves that nothing was sent, and that a retry would fail too. */
function isCertain(error: unknown): boolean {
  return error instanceof ApiError && !isPassing(error.status) && error.detail.meta?.['message_ids'] === undefined;
}

export type Answers = ReturnType<typeof makeAnswers>;
