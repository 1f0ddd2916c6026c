import { randomInt } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { OutboundError } from '../../kernel/net/request.ts';
import type { Outbound } from '../../kernel/net/request.ts';
import type { Store } from '../store.ts';
import type { Nodes } from '../facebook/docs.ts';
import { seconds } from '../graph/ids.ts';
import { openPushLog } from './push-log.ts';
import type { Push, PushRow } from './push-log.ts';
import type { Settings } from './settings.ts';
import { bundle, escaped, hmac, signedRequest } from '../graph/push-body.ts';
import type { Updates } from '../facebook/updates.ts';

export type Pushes = Readonly<{
  /** Where updates go. */
  callback(): string;
  /** Asks the callback to prove that it is ours to use; whether it did. */
  verify(): Promise<boolean>;
  /** Tells the app that a person has removed it, or wants their data deleted. */
  announce(kind: 'deauthorize' | 'data_deletion', userId: string): void;
  /** Sends what is due, in the background. */
  kick(): void;
  /** Sends everything that waits, due or not, held or not. */
  flush(): Promise<void>;
  /** Sends one delivery again, whatever became of it. */
  again(id: number): void;
  /** When nothing is being sent any more. */
  settle(): Promise<void>;
  list(most: number): readonly Push[];
  reset(): void;
  close(): void;
}>;

const MOST_UPDATES = 1000;
const DEADLINE_MS = 10_000;
const KEPT_ANSWER = 4096;
const HOUR = 3_600_000;
const LAST_TRY = 36 * HOUR;
/** The first repeat is at once; the later ones grow apart. */
const WAITS = [0, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, HOUR, 2 * HOUR, 4 * HOUR];

type PushWorld = Readonly<{
  clock: Clock;
  nodes: Nodes;
  settings: Settings;
  updates: Updates;
  outbound: Pick<Outbound, 'send'>;
  appSecret: string;
  product: () => string;
  complain(error: unknown, what: string): void;
}>;

/** The callback of the app, and its proof. */
function makeCallback(world: PushWorld, isClosed: () => boolean, log: ReturnType<typeof openPushLog>) {
  const { settings, outbound, clock } = world;

  const base = () => `${world.product().replace(/\/+$/, '')}/push/facebook`;

  const callback = () => settings.get('callback_url') || base();

  async function send(url: string, request: { method: string; headers?: Record<string, string>; body?: string }) {
    try {
      // The callback is the app's own setting, as an address in a developer's dashboard is.
      const answer = await outbound.send({
        ...request,
        url,
        purpose: 'platform',
        given: false,
        deadlineMs: DEADLINE_MS,
        maxBytes: KEPT_ANSWER,
      });
      return { status: answer.status, text: new TextDecoder().decode(answer.body) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { status: undefined, text: error.message };
    }
  }

  async function verify(): Promise<boolean> {
    const url = callback();
    const challenge = String(randomInt(1_000_000_000, 2_000_000_000));
    const asks = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.challenge': challenge,
      'hub.verify_token': settings.get('verify_token'),
    });
    const { status, text } = await send(`${url}${url.includes('?') ? '&' : '?'}${asks.toString()}`, { method: 'GET' });
    if (isClosed()) return false;
    const proved = status === 200 && text === challenge;
    const now = clock.now();
    const id = log.add({ kind: 'handshake', url, body: '', at: now });
    const done_at = proved ? now : null;
    log.note(id, {
      status: status ?? null,
      answer: text,
      done_at,
      next_at: now,
      first_failed_at: null,
      given_up: !proved,
    });
    settings.set({ verified_url: proved ? url : '' });
    return proved;
  }

  return Object.freeze({ base, callback, send, verify });
}

/** Sends updates that are due, and keeps what came of it. */
function makeAttempts(
  store: Store,
  world: PushWorld,
  { callback, send, verify }: ReturnType<typeof makeCallback>,
  isClosed: () => boolean,
  log: ReturnType<typeof openPushLog>,
) {
  const { settings, appSecret, clock, nodes } = world;

  async function attempt(row: PushRow): Promise<void> {
    const isForm = row.kind !== 'updates';
    if (!isForm && settings.get('verified_url') !== callback() && !(await verify())) {
      record(row, { status: undefined, text: 'the callback is not verified' });
      return;
    }
    const wrong = settings.get('push_wrong_signature') ? 'x' : '';
    const headers: Record<string, string> = isForm
      ? { 'content-type': 'application/x-www-form-urlencoded' }
      : {
          'content-type': 'application/json',
          'x-hub-signature': `sha1=${hmac(appSecret, 'sha1', row.body + wrong).digest('hex')}`,
          'x-hub-signature-256': `sha256=${hmac(appSecret, 'sha256', row.body + wrong).digest('hex')}`,
        };
    headers['user-agent'] = 'facebookexternalua';
    record(row, await send(isForm ? row.url : callback(), { method: 'POST', headers, body: row.body }));
  }

  function record(row: PushRow, { status, text }: { status: number | undefined; text: string }): void {
    if (isClosed()) return;
    const now = clock.now();
    const taken = status !== undefined && status >= 200 && status <= 299;
    const firstFailed = row.first_failed_at ?? now;
    const wait = WAITS[Math.min(row.attempts, WAITS.length - 1)] ?? 0;
    const over = !taken && (row.kind !== 'updates' || now + wait - row.at > LAST_TRY);
    store.write(() => {
      const [done_at, first_failed_at] = taken ? [now, null] : [null, firstFailed];
      log.note(row.id, {
        status: status ?? null,
        answer: text,
        done_at,
        next_at: now + wait,
        first_failed_at,
        given_up: over,
      });
      // An app that has not taken a conversation's updates for an hour loses its subscription.
      if (!taken && now - firstFailed >= HOUR)
        for (const page of JSON.parse(row.pages) as string[]) nodes.change('page', page, { subscription: undefined });
    });
  }

  return attempt;
}

/** The sender of updates and callbacks: kept on disk, repeated until answered, stopped when nobody answers. */
export function openPushes(store: Store, world: PushWorld): Pushes {
  const { clock, settings, updates, appSecret } = world;
  const log = openPushLog(store);
  let running: Promise<void> | undefined;
  let wanted = false;
  let all = false;
  let closed = false;
  const isClosed = (): boolean => closed;
  let cancelTimer = () => {};

  const target = makeCallback(world, isClosed, log);
  const { base, callback, verify } = target;
  const attempt = makeAttempts(store, world, target, isClosed, log);

  function gather(): void {
    if (updates.waiting() === 0) return;
    store.write(() => {
      const taken = updates.take(MOST_UPDATES);
      if (taken.length === 0) return;
      const ordered = settings.get('push_reverse') ? taken.toReversed() : taken;
      const body = bundle(ordered);
      const pages = [...new Set(ordered.filter(({ kind }) => kind === 'messaging').map(({ page_id }) => page_id))];
      const text = escaped(settings.get('push_wrap') ? [body] : body);
      for (let copy = 0; copy < (settings.get('push_duplicate') ? 2 : 1); copy += 1)
        log.add({ kind: 'updates', url: callback(), body: text, pages, at: clock.now() });
      log.prune();
    });
  }

  async function round(everything: boolean): Promise<void> {
    for (;;) {
      if (closed || (settings.get('push_paused') && !everything)) return;
      gather();
      const rows = log.due(everything ? Number.MAX_SAFE_INTEGER : clock.now());
      for (const row of rows) {
        if (closed) return;
        await attempt(row);
      }
      if (everything || rows.length === 0) return;
    }
  }

  async function run(): Promise<void> {
    try {
      while ((wanted || all) && !closed) {
        const everything = all;
        wanted = false;
        all = false;
        await round(everything);
      }
    } catch (error) {
      world.complain(error, 'facebook push');
    } finally {
      running = undefined;
      arm(0);
    }
  }
  function kick(): void {
    wanted = true;
    if (!closed) running ??= run();
  }
  /** Wakes up for the next repeat, `least` from now at the earliest. */
  function arm(least: number): void {
    cancelTimer();
    if (closed || settings.get('push_paused')) return;
    const at = log.earliest();
    if (at !== undefined) cancelTimer = clock.after(Math.max(least, at - clock.now()), kick);
    else if (updates.waiting() > 0) cancelTimer = clock.after(least, kick);
  }
  // What an earlier process left unsent; the app may be starting just now, too.
  arm(1000);

  return Object.freeze({
    callback,
    verify,
    announce(kind: 'deauthorize' | 'data_deletion', userId: string) {
      const payload = { user_id: userId, algorithm: 'HMAC-SHA256', issued_at: seconds(clock.now()) };
      const body = new URLSearchParams({ signed_request: signedRequest(appSecret, payload) }).toString();
      const path = kind === 'deauthorize' ? 'deauthorize' : 'data-deletion';
      log.add({ kind, url: `${base()}/${path}`, body, at: clock.now() });
    },
    kick,
    flush() {
      all = true;
      if (!closed) running ??= run();
      return this.settle();
    },
    again: (id: number) => log.reopen(id, clock.now()),
    async settle() {
      while (running !== undefined) await running;
    },
    list: log.list,
    reset: log.reset,
    close() {
      closed = true;
      cancelTimer();
    },
  });
}
