/** Delivers updates to the app: stores them, retries until they are accepted, and gives up in the end. */
import { OutboundError } from '#kernel/net/request.ts';
import { number, type Act, type Acts, type Values } from '../acts.ts';
import type { TwinOptions } from '../options.ts';
import { openPushLog, type PushLog, type PushRow, type Update } from './log.ts';
import type { Settings } from '../settings.ts';

/** Settings that disturb deliveries, for simulators that push. */
export const PUSH_SETTINGS = Object.freeze({
  push_paused: false,
  push_duplicate: false,
  push_reverse: false,
  push_wrong_signature: false,
});

export type PushRequest = Readonly<{
  method?: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}>;
export type PushAnswer = Readonly<{ status: number | undefined; text: string }>;

type Parcel = Readonly<{ url: string; body: string; accounts?: readonly string[] }>;

export type PushRules = Readonly<{
  /** Bundles updates, sorted oldest first, into deliveries. */
  bundle(updates: readonly Update[]): readonly Parcel[];
  /** The signed request of a delivery; `isWrong` makes the signature invalid. */
  request(push: Pick<PushRow, 'kind' | 'url' | 'body' | 'attempts'>, isWrong: boolean): PushRequest;
  /** How long the app may take to respond, in ms. */
  deadlineMs?: number;
  /** Verifies a callback before updates are sent. */
  isReady?(url: string): Promise<boolean>;
  /** Delays in ms after the first, second and later failures; the last one repeats. */
  waits: readonly number[];
  /** The age in ms at which an undelivered update is given up. */
  lastTry: number;
  /** Whether each delivery to a URL waits until the earlier ones are done. */
  isInOrder?: boolean;
  /** Called inside a transaction when a delivery was accepted. */
  taken?(push: Pick<PushRow, 'kind' | 'url' | 'body'>, accounts: readonly string[]): void;
  /** Called inside a transaction after a failure; `forMs` is the time since the first one. */
  failed?(accounts: readonly string[], forMs: number): void;
}>;

/** Deliveries of any other kind are attempted once. */
const UPDATES = 'updates';
const HANDSHAKE = 'handshake';

const MOST_UPDATES = 1000;
const DEADLINE_MS = 10_000;
const KEPT_ANSWER = 4096;

type PushOptions = Pick<TwinOptions, 'store' | 'clock' | 'outbound' | 'complain'> &
  Readonly<{ network: string; prefix: string; settings: Settings<typeof PUSH_SETTINGS> }>;

function makeSending({ clock, outbound, store, settings }: PushOptions, log: PushLog, isClosed: () => boolean) {
  async function send(request: PushRequest, deadlineMs = DEADLINE_MS): Promise<PushAnswer> {
    const { method = 'POST', url, headers, body } = request;
    try {
      // The callback is part of the app's own setup, as in a developer dashboard, and not given by a user.
      const answer = await outbound.send({
        method,
        url,
        ...(headers !== undefined && { headers }),
        ...(body !== undefined && { body }),
        purpose: 'platform',
        given: false,
        deadlineMs,
        maxBytes: KEPT_ANSWER,
      });
      return { status: answer.status, text: new TextDecoder().decode(answer.body) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { status: undefined, text: error.message };
    }
  }

  /** Sends a verification request to a callback and stores the outcome. */
  async function handshake(
    callback: string,
    request: PushRequest,
    isProof: (answer: PushAnswer) => boolean,
    deadlineMs?: number,
  ): Promise<boolean> {
    const answer = await send(request, deadlineMs);
    if (isClosed()) return false;
    const isProved = isProof(answer);
    const now = clock.now();
    const id = log.add({ kind: HANDSHAKE, url: callback, body: request.body ?? '', at: now });
    log.note(id, {
      status: answer.status ?? null,
      answer: answer.text,
      done_at: isProved ? now : null,
      next_at: now,
      first_failed_at: null,
      given_up: !isProved,
    });
    return isProved;
  }

  /** Stores the outcome of an attempt and returns whether the delivery was accepted. */
  function record(row: PushRow, { status, text }: PushAnswer, { waits, lastTry, failed, taken }: PushRules): boolean {
    if (isClosed()) return false;
    const now = clock.now();
    const isTaken = status !== undefined && status >= 200 && status <= 299;
    const firstFailed = row.first_failed_at ?? now;
    const wait = waits[Math.min(row.attempts, waits.length - 1)] ?? 0;
    store.write(() => {
      log.note(row.id, {
        status: status ?? null,
        answer: text,
        done_at: isTaken ? now : null,
        next_at: now + wait,
        first_failed_at: isTaken ? null : firstFailed,
        given_up: !isTaken && (row.kind !== UPDATES || now + wait - row.at > lastTry),
      });
      const accounts = JSON.parse(row.pages) as string[];
      if (isTaken) taken?.(row, accounts);
      else failed?.(accounts, now - firstFailed);
    });
    return isTaken;
  }

  async function attempt(row: PushRow, rules: PushRules): Promise<boolean> {
    if (row.kind === UPDATES && (await rules.isReady?.(row.url)) === false)
      return record(row, { status: undefined, text: 'the callback is not verified' }, rules);
    return record(row, await send(rules.request(row, settings.get('push_wrong_signature')), rules.deadlineMs), rules);
  }

  return Object.freeze({ send, handshake, attempt });
}

function makeRounds(
  { store, clock, settings }: PushOptions,
  log: PushLog,
  attempt: ReturnType<typeof makeSending>['attempt'],
  isClosed: () => boolean,
) {
  const { updates } = log;

  function gather({ bundle }: PushRules): void {
    if (updates.count() === 0) return;
    store.write(() => {
      const taken = updates.take(MOST_UPDATES);
      const parcels = bundle(settings.get('push_reverse') ? taken.toReversed() : taken);
      for (const parcel of parcels)
        for (let copy = 0; copy < (settings.get('push_duplicate') ? 2 : 1); copy += 1)
          log.add({ ...parcel, kind: UPDATES, at: clock.now() });
      log.prune();
    });
  }

  async function round(everything: boolean, by: PushRules): Promise<void> {
    for (;;) {
      if (isClosed() || (settings.get('push_paused') && !everything)) return;
      gather(by);
      const blocked = new Set<string>();
      let tried = 0;
      for (const row of log.open()) {
        if (isClosed()) return;
        const isDue = everything || row.next_at <= clock.now();
        if (!isDue || blocked.has(row.url)) {
          if (by.isInOrder === true) blocked.add(row.url);
          continue;
        }
        tried += 1;
        if (!(await attempt(row, by)) && by.isInOrder === true) blocked.add(row.url);
      }
      if (everything || tried === 0) return;
    }
  }

  return round;
}

export type Pushes = ReturnType<typeof openPushes>;

/** Opens a simulator's deliveries; none is sent before `start` provides the rules. */
export function openPushes(options: PushOptions) {
  const { clock, settings, complain, network } = options;
  const log = openPushLog(options.store, options.prefix);
  const { updates } = log;
  let rules: PushRules | undefined;
  let running: Promise<void> | undefined;
  let wanted = false;
  let all = false;
  let closed = false;
  let cancelTimer = () => {};
  const isClosed = () => closed;
  const { send, handshake, attempt } = makeSending(options, log, isClosed);
  const round = makeRounds(options, log, attempt, isClosed);

  async function run(by: PushRules): Promise<void> {
    try {
      while ((wanted || all) && !closed) {
        const everything = all;
        wanted = false;
        all = false;
        await round(everything, by);
      }
    } catch (error) {
      complain(error, `${network} push`);
    } finally {
      running = undefined;
      arm(0);
    }
  }
  function go(): void {
    if (!closed && rules !== undefined) running ??= run(rules);
  }
  function kick(): void {
    wanted = true;
    go();
  }
  function arm(least: number): void {
    cancelTimer();
    if (closed || settings.get('push_paused')) return;
    const at = log.earliest();
    if (at !== undefined) cancelTimer = clock.after(Math.max(least, at - clock.now()), kick);
    else if (updates.count() > 0) cancelTimer = clock.after(least, kick);
  }

  async function settle(): Promise<void> {
    while (running !== undefined) await running;
  }

  return Object.freeze({
    start(by: PushRules) {
      rules = by;
      // Deliveries of an earlier process wait a second, because the app may be starting too.
      arm(1000);
    },
    add: (update: Omit<Update, 'at'>) => updates.add({ ...update, at: clock.now() }),
    /** Queues something other than an update; it is attempted once. */
    announce: (kind: string, url: string, body: string) => void log.add({ kind, url, body, at: clock.now() }),
    send,
    handshake,
    /** Starts sending in the background what is due. */
    kick,
    flush() {
      all = true;
      go();
      return settle();
    },
    drop: log.drop,
    /** Sends a delivery again, whatever its outcome was. */
    again: (id: number) => log.reopen(id, clock.now()),
    /** Resolves when no delivery is being sent. */
    settle,
    list: log.list,
    reset: log.reset,
    close() {
      closed = true;
      cancelTimer();
    },
  });
}

export function pushActs({ flush, again }: Pick<Pushes, 'flush' | 'again'>): Acts {
  const resend: Act = {
    group: 'twin',
    title: 'Send a delivery again',
    fields: { push: number('Delivery number') },
    run: (values: Values) => again(Number(values['push'])),
  };
  return { flush: { group: 'twin', title: 'Send all waiting updates now', fields: {}, run: () => flush() }, resend };
}
