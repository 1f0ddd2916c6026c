import type { PartState } from '#db/schema/database.ts';
import { holdAccount } from '#db/access/accounts.ts';
import { holdLeasedSend, holdSend, loadSend, patchLeasedSend, patchSend } from '#db/inbox/sends.ts';
import type { Tx } from '#db/store/tx.ts';
import type { SendTask } from '#call/sends.ts';
import { sleep } from '#kernel/clock.ts';
import type { SendState } from '#platforms/sending.ts';
import { retryWrite } from '../../jobs/retry-write.ts';
import { keepLease, LeaseLost } from '../../jobs/lease.ts';
import {
  unknownResultError,
  isMade,
  isTaken,
  correlationIdOf,
  storedError,
  takenIds,
  withIds,
  type Lookup,
} from '../record/send-state.ts';
import { makeSendCall } from './call.ts';
import { makePrepare } from './prepare.ts';
import { makePartStates, type PartStates, type SendFailure, type SendRunDeps, type Work } from './work.ts';

/** Waits before a part with an unknown outcome is sent again, if sending it twice is harmless. */
const REPEATS = Object.freeze([0, 2_000]);
/** Waits before its outcome is looked up, if it must not be sent twice. */
const LOOKS = Object.freeze([0, 2_000, 6_000]);
/** The same after the sending process died. These are shorter, because the caller has already waited. */
const LOOKS_AFTER_DEATH = Object.freeze([0, 2_000]);
/** How long the caller waits if the store became unavailable after the platform had responded. */
const KEEP_MS = 20_000;
/** A lookup sooner than this cannot prove that nothing was sent: the deadline of a call and a minute. */
const ABSENT_AFTER_MS = 90_000;

function makeKeeping(deps: SendRunDeps) {
  const { clock, store, crash } = deps;

  async function keep(work: Work, index: number, made: unknown): Promise<undefined> {
    await retryWrite(clock, () => store.write((tx) => keepIn(tx, work, index, made)), KEEP_MS);
    crash('send.committed');
  }

  /** Stores an item found by a lookup; false if another send has already claimed it. */
  async function keepFound(work: Work, index: number, made: unknown): Promise<boolean> {
    return store.write(async (tx) => {
      await holdAccount(tx.db, tx.dialect, work.task.account.id);
      const row = await loadSend(tx.db, work.id);
      const state = row && row.parts[index];
      // A webhook with the correlation id has settled it in the meantime.
      if (state === undefined || isMade(state)) return true;
      if (await isTaken(tx.db, lookupOf(work, index, state.sent_at!), made)) return false;
      await keepIn(tx, work, index, made);
      return true;
    });
  }

  /** Stores a part's result with its rows and events; after the last part, also ends the send. */
  async function keepIn(tx: Tx, { task, id, lease }: Work, index: number, made: unknown): Promise<void> {
    await task.keep?.(tx, made, { index, correlationId: correlationIdOf(id, index) });
    const row = await holdSend(tx.db, tx.dialect, id);
    if (row?.lease_token !== lease.token) throw new LeaseLost();
    const parts = [...row.parts];
    if (!isMade(parts[index] ?? {})) parts[index] = { ...parts[index], made };
    const over = parts.every(isMade) ? DONE : {};
    await patchSend(tx.db, id, { parts, ...over, updated_at: clock.now() });
  }

  /** Ends a send whose last part may have been settled by a webhook. */
  async function finish({ id, lease }: Work): Promise<void> {
    const row = await loadSend(store.db, id);
    if (row?.lease_token !== lease.token) return;
    await store.write((tx) => patchLeasedSend(tx.db, id, lease.token, { ...DONE, updated_at: clock.now() }));
  }

  /** Ends a send after a failure; refunds its credit if it is certain that nothing was sent. */
  async function halt({ task, id, lease }: Work, { status, error }: SendFailure): Promise<void> {
    await store.write(async (tx) => {
      const row = await holdSend(tx.db, tx.dialect, id);
      if (row?.lease_token !== lease.token) throw new LeaseLost();
      // A webhook has just settled the last open part.
      if (row.parts.every(isMade)) return patchSend(tx.db, id, { ...DONE, updated_at: clock.now() });
      const out = row.parts.flatMap(({ made }) => (made === undefined ? [] : [made as unknown]));
      const reported = out.length > 0 && task.idOf ? withIds(error, out.map(task.idOf)) : error;
      const back = status === 'refused' && out.length === 0 ? row.charged : null;
      await patchSend(tx.db, id, {
        ...OVER,
        status,
        error: storedError(reported),
        ...(back !== null && { charged: null }),
        updated_at: clock.now(),
      });
      if (back !== null) await tx.refund('interactions', row.workspace_id, back, 1);
      if (status === 'refused') await task.refused?.(tx, reported);
    });
  }

  return Object.freeze({ keep, keepFound, finish, halt });
}

function doubt({ task, id }: Work, { said }: PartState): SendFailure {
  const isSettled = task.parts.every(({ idempotent, settle }) => idempotent || settle !== undefined);
  return { status: 'unknown', error: unknownResultError(task.account.platform, id, { isSettled, said }) };
}

function makeParts(deps: SendRunDeps, states: PartStates) {
  const { store, clock } = deps;
  const callFor = makeSendCall(deps);
  const { prepare, again } = makePrepare({ ...deps, ...states, callFor });

  function send(work: Work, index: number, part: PartState) {
    const state = sendStateOf(work.id, index, part);
    return callFor(work, (call) => work.task.parts[index]!.send(call, state));
  }

  /** Looks up a part; undefined if the lookup fails, or finds nothing too soon to be certain. */
  async function settle(work: Work, index: number, part: PartState) {
    const find = work.task.parts[index]!.settle;
    if (find === undefined) return undefined;
    const state = sendStateOf(work.id, index, part);
    const taken = await takenIds(store.db, lookupOf(work, index, state.sentAt));
    const answer = await callFor(work, (call) => find(call, { ...state, taken }));
    const early = clock.now() - state.sentAt < ABSENT_AFTER_MS;
    const empty = 'value' in answer && (answer.value === 'unknown' || (answer.value === 'absent' && early));
    return empty ? undefined : answer;
  }

  return Object.freeze({ prepare, again, send, settle });
}

/** Runs leased sends to their end. The state of each part is stored before it is sent, and before the next one. */
export function makeSendRun(deps: SendRunDeps) {
  const { store, clock, log, crash } = deps;
  const states = makePartStates(deps);
  const { stateOf, change } = states;
  const { prepare, again, send, settle } = makeParts(deps, states);
  const { keep, keepFound, finish, halt } = makeKeeping(deps);

  /** Runs a send whose lease `token` holds, until it ends or the lease is lost. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what is made is stored as JSON and never looked into here
  return async function runSend(task: SendTask<any>, id: string, held: Readonly<{ token: string; until: number }>) {
    const lease = keepLease(
      { store, clock, log },
      {
        ...held,
        isHeld: (tx, until) => holdLeasedSend(tx, { id, token: held.token, until }),
        extend: (db, until) => patchLeasedSend(db, id, held.token, { lease_until: until }),
        about: { send_id: id },
      },
    );
    const work: Work = { task, id, lease };
    try {
      for (const index of task.parts.keys()) {
        const halted = await bring(work, index);
        if (halted !== undefined) return await halt(work, halted);
        task.made?.(index + 1);
      }
      await finish(work);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      lease.release();
    }
  };

  async function bring(work: Work, index: number): Promise<SendFailure | undefined> {
    const part = await stateOf(work, index);
    if (isMade(part)) return undefined;
    if (part.sent_at !== undefined) {
      const found = await findOut(work, index, LOOKS_AFTER_DEATH);
      if (found !== 'absent') return found;
    }
    return (await prepare(work, index)) ?? (await attempt(work, index));
  }

  async function attempt(work: Work, index: number): Promise<SendFailure | undefined> {
    for (let left = 1; ; left -= 1) {
      const state = await change(work, index, (known) => ({ ...known, sent_at: clock.now(), said: undefined }));
      crash('send.sent');
      const answer = await send(work, index, state);
      crash('send.answered');
      if ('value' in answer) return keep(work, index, answer.value);
      if (answer.kind === 'unknown') {
        const { meta: said } = answer.error.detail;
        const known = said === undefined ? state : await change(work, index, (part) => ({ ...part, said }));
        const found = await findOut(work, index);
        return found === 'absent' ? doubt(work, known) : found;
      }
      if (answer.kind === 'not_sent' && left > 0) continue;
      if (answer.kind === 'pending') {
        const failed = await again(work, index, answer.error);
        if (failed) return failed;
        continue;
      }
      const { made } = await change(work, index, unsent);
      return made === undefined ? { status: 'refused', error: answer.error } : undefined;
    }
  }

  /** Finds out the result of a lost response, by sending again if that is harmless, else by looking it up. */
  async function findOut(work: Work, index: number, looks = LOOKS): Promise<SendFailure | 'absent' | undefined> {
    const part = work.task.parts[index]!;
    for (const ms of part.idempotent ? REPEATS : looks) {
      if (ms > 0) await sleep(clock, ms);
      const state = await stateOf(work, index);
      if (isMade(state)) return undefined;
      const answer = part.idempotent ? await send(work, index, state) : await settle(work, index, state);
      if (answer === undefined || 'kind' in answer) continue;
      if (part.idempotent) return keep(work, index, answer.value);
      if (answer.value !== 'absent') {
        if (await keepFound(work, index, answer.value)) return undefined;
        continue;
      }
      const { made } = await change(work, index, unsent);
      return made === undefined ? 'absent' : undefined;
    }
    const state = await stateOf(work, index);
    return isMade(state) ? undefined : doubt(work, state);
  }
}

/** Marks a part that certainly did not take effect as not sent. */
const unsent = (part: PartState): PartState => ({ ...part, sent_at: undefined });

function lookupOf({ task, id }: Work, index: number, sentAt: number): Lookup {
  return { accountId: task.account.id, id, index, sentAt };
}

function sendStateOf(id: string, index: number, { prepared, sent_at }: PartState): SendState {
  return { prepared: prepared?.plan, correlationId: correlationIdOf(id, index), sentAt: sent_at! };
}

const OVER = Object.freeze({ lease_token: null, lease_until: 0 });
const DONE = Object.freeze({ ...OVER, status: 'done', error: null } as const);
