import { holdAccount, loadAccount, noAccount, type AccountRow } from '#db/access/accounts.ts';
import { findEqualSend, insertSend, loadSend, patchSend, sweepSends, type SendRow } from '#db/inbox/sends.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { CrashPoint, MediaSource, Sessions } from '#call/ports.ts';
import type { SendBegun, SendCommand, Sends, Sent } from '#call/sends.ts';
import { sleep, type Clock } from '#kernel/clock.ts';
import { ApiError, isPassing } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import { sha256 } from '#kernel/sign.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import { unknownResultError, errorOf, isMade, mayHaveEffect, lastSent } from '../record/send-state.ts';
import { makeSendRun } from './run.ts';

/** How long an equal command counts as a repeat: docs/contract/inbox.md#repeated-sends. */
const SAME_REQUEST_MS = 120_000;
/** How often to check a send that another process is running. */
const LOOK_MS = 250;
/** How long the outcome of a send is kept for later requests. */
const KEEP_MS = 2 * 86_400_000;
const SWEEP_STEP = 500;

type SendingDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  media: Pick<MediaSource, 'open' | 'link'>;
  clock: Clock;
  log: Log;
  crash: CrashPoint;
}>;
type Held = Readonly<{ token: string; until: number }>;

/** Finds the send that a command repeats, or stores a new one; `held` is set if this process must run it. */
async function beginSend(clock: Clock, tx: Tx, command: SendCommand<unknown>): Promise<{ row: SendRow; held?: Held }> {
  const { account, workspace, kind, request, parts, messages, metered, begun } = command;
  // Locks the account, so that of two equal commands in different processes the second sees the first.
  if ((await holdAccount(tx.db, tx.dialect, account.id)) === undefined) noAccount(account.id);
  const now = clock.now();
  const hash = sha256(`${kind} ${JSON.stringify(request)}`);
  const held = { token: tx.process.newToken(), until: now + LEASE_MS };
  const lease = { lease_token: held.token, lease_until: held.until, updated_at: now };
  const known = await repeated();
  if (known !== undefined) {
    if (known.status === 'done' || (known.status === 'open' && known.lease_until > now)) return { row: known };
    const taken = { ...lease, status: 'open', error: null } as const;
    await patchSend(tx.db, known.id, taken);
    return { row: { ...known, ...taken }, held };
  }
  const row: SendRow = {
    id: newId('snd', now),
    workspace_id: workspace.id,
    account_id: account.id,
    kind,
    hash,
    status: 'open',
    ask: request,
    parts: parts.map((_, index) => ({ ...(messages && { message: messages[index] }) })),
    charged: metered ? await tx.charge('interactions', workspace, 1) : null,
    unheard: 1,
    error: null,
    ...lease,
    created_at: now,
  };
  await insertSend(tx.db, row);
  await tx.key?.record({ send: row.id } satisfies SendBegun);
  return { row, held };

  /** With an idempotency key, that key identifies the send; without one, a recent equal send counts as the same. */
  async function repeated(): Promise<SendRow | undefined> {
    if (begun !== undefined) {
      const row = await loadSend(tx.db, begun.send);
      return row !== undefined && mayGoOn(row) ? row : undefined;
    }
    const row = tx.key === undefined ? await findEqualSend(tx.db, account.id, hash) : undefined;
    return row !== undefined && isSameCommand(row, now) ? row : undefined;
  }
}

/** Stores each send before trying it. If its outcome is unknown, an equal command soon afterwards settles it. */
export function makeSending(deps: SendingDeps) {
  const { store, clock, log, crash } = deps;
  const runSend = makeSendRun(deps);
  const running = new Map<string, Promise<void>>();
  const noting = new Set<Promise<void>>();

  function start(command: SendCommand<unknown>, id: string, held: Held): void {
    const run = runSend(command, id, held).finally(() => running.delete(id));
    running.set(id, run);
    // The caller gets the error through `follow`; the log has it in case nobody is waiting.
    run.catch((error: unknown) => log.error({ send_id: id, error }, 'send not recorded'));
  }

  /** Waits for the end of a send, in whichever process it runs; undefined if it no longer runs anywhere. */
  async function follow(id: string, accountId: string): Promise<SendRow | undefined> {
    for (;;) {
      await running.get(id);
      const row = (await loadSend(store.db, id)) ?? noAccount(accountId);
      if (row.status !== 'open') return row;
      if (running.has(id)) continue;
      if (row.lease_until <= clock.now()) return undefined;
      await sleep(clock, LOOK_MS);
    }
  }

  /** Records that the caller got the result, and undoes that if the client disconnects first. */
  async function waitForEnd(id: string, signal: AbortSignal): Promise<void> {
    const note = (unheard: 0 | 1) => store.write((tx) => patchSend(tx.db, id, { unheard }));
    if (signal.aborted) return;
    await note(0);
    const stopWaiting = () => {
      const noted = note(1)
        .catch((error: unknown) => log.warn({ send_id: id, error }, 'undelivered answer not recorded'))
        .finally(() => noting.delete(noted));
      noting.add(noted);
    };
    if (signal.aborted) stopWaiting();
    else signal.addEventListener('abort', stopWaiting, { once: true });
  }

  /** The outcome of an earlier request's send; undefined if it is open, or if its failure may not recur. */
  async function ended<Made>({ send }: SendBegun, signal: AbortSignal): Promise<Sent<Made> | undefined> {
    const known = await loadSend(store.db, send);
    const row = known?.status === 'open' ? await follow(send, known.account_id) : known;
    if (row?.status === 'refused' && !isPassing(errorOf(row).status)) throw errorOf(row);
    const account = row?.status === 'done' ? await loadAccount(store.db, row.account_id) : undefined;
    if (row === undefined || account === undefined) return undefined;
    await waitForEnd(row.id, signal);
    return sentOf(account, row);
  }

  return Object.freeze({
    async send<Made>(given: SendCommand<Made>, signal: AbortSignal): Promise<Sent<Made>> {
      for (let command = given as SendCommand<unknown>; ;) {
        const { row, held } = await store.write((tx) => beginSend(clock, tx, command));
        command = { ...command, begun: { send: row.id } };
        if (held) {
          crash('send.begun');
          start(command, row.id, held);
        }
        const ended = row.status === 'done' ? row : await follow(row.id, command.account.id);
        if (ended === undefined) continue;
        if (ended.status !== 'done') throw errorOf(ended);
        await waitForEnd(ended.id, signal);
        return sentOf(command.account, ended);
      }
    },

    async settle<Made>(begun: SendBegun | undefined, signal: AbortSignal, work: () => Promise<Sent<Made>>) {
      if (begun === undefined) return work();
      const before = await ended<Made>(begun, signal);
      if (before !== undefined) return before;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ApiError) || isPassing(error.status)) throw error;
        // The send may have ended by now, possibly with this very refusal.
        const after = await ended<Made>(begun, signal);
        if (after === undefined) throw await unsettledError(store, begun, error);
        return after;
      }
    },

    /** Whether any part of a send has taken effect, or still may. */
    async mayHaveHappened({ send }: SendBegun): Promise<boolean> {
      const row = await loadSend(store.db, send);
      return row !== undefined && mayGoOn(row);
    },

    /** Deletes stored sends that are a few days old; returns how many. */
    sweep: () => store.write((tx) => sweepSends(tx.db, clock.now() - KEEP_MS, SWEEP_STEP)),

    async idle(): Promise<void> {
      while (running.size + noting.size > 0) await Promise.allSettled([...running.values(), ...noting]);
    },
  }) satisfies Sends;
}

/** The error for a repeat that `refusal` prevents from settling or continuing its send. */
async function unsettledError(store: Store, { send }: SendBegun, refusal: ApiError): Promise<ApiError> {
  const row = await loadSend(store.db, send);
  const account = row && (await loadAccount(store.db, row.account_id));
  if (account === undefined || !row?.parts.some(mayHaveEffect)) return refusal;
  const said = row.parts.findLast((part) => part.said !== undefined)?.said;
  const { code, message, detail } =
    row.error === null ? unknownResultError(account.platform, send, { said }) : errorOf(row);
  const reported = `${message} This cannot be settled now: ${refusal.message}`;
  return new ApiError(code, { ...detail, message: reported, cause: refusal });
}

export type SendingModule = ReturnType<typeof makeSending>;

function sentOf<Made>(account: AccountRow, row: SendRow): Sent<Made> {
  return { account, place: row.ask.place, made: row.parts.map(({ made }) => made as Made) };
}

/** Whether an equal request is probably a repeat; people may also write the same thing twice on purpose. */
function isSameCommand(row: SendRow, now: number): boolean {
  if (row.status === 'open') return row.lease_until + SAME_REQUEST_MS > now;
  const { parts } = row;
  // Counts from when it was sent, even if it was just checked: by then it took effect or never will.
  const since = (row.status === 'unknown' ? lastSent(parts) : undefined) ?? row.updated_at;
  if (since + SAME_REQUEST_MS <= now) return false;
  return row.status === 'done' ? row.unheard === 1 : mayGoOn(row);
}

/** Whether to continue a send that stopped half-way; one that was refused and sent nothing starts from scratch. */
function mayGoOn(row: SendRow): boolean {
  return row.status !== 'refused' || row.parts.some(isMade);
}
