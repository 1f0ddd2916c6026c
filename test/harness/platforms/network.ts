import type { AccountCall } from '#platforms/call.ts';
import { PlatformError } from '#platforms/errors.ts';

/** What a call meets: an error, with or without the effect it was made for, a wait that a test ends, an answer. */
export type Verdict = Readonly<{
  error?: Error;
  effect?: boolean;
  hold?: Promise<void>;
  /** Called when a call waits at `hold`. */
  onMet?: () => void;
  /** What a look-up says; an id is found whatever it is told. */
  settled?: 'absent' | 'unknown' | Readonly<{ id: string }>;
}>;

type Gate = Verdict & { met: Promise<void>; open(): void };

export const refusedAs = (reason: PlatformError['reason'], message: string): Verdict => ({
  error: new PlatformError('refused', reason, message),
});
export const revoked = refusedAs('auth', 'Connect again.');
export const unsent: Verdict = { error: new PlatformError('not_sent', 'api_error', 'No connection.') };
/** The answer did not come, and nothing happened. */
export const silent: Verdict = { error: new PlatformError('unknown', 'api_error', 'No answer.') };
/** The platform is still at work. */
export const pending = (retryAfter?: number): Verdict => ({
  error: new PlatformError('pending', 'api_error', 'Still at work.', { retryAfter }),
});
/** The answer did not come, but the effect took place. */
export const lost: Verdict = { ...silent, effect: true };
export const throttledFor = (retryAfter: number): Verdict => ({
  error: new PlatformError('throttled', 'rate_limit', 'Slow down.', { status: 429, retryAfter }),
});

/** A verdict so many times. */
export const times = (count: number, verdict: Verdict): readonly Verdict[] =>
  Array.from({ length: count }, () => verdict);

/** The scripted network behind fake platforms: what was called, and what the next calls of an account meet. */
export function makeNetwork() {
  const verdicts = new Map<string, Verdict[]>();
  const gates: (() => void)[] = [];
  /** Every call, as `account operation`. */
  const calls: string[] = [];

  const network = {
    calls,
    /** What the next calls of an operation meet; the account is named as its session names it. */
    script(account: string | Readonly<{ id: string }>, operation: string, ...next: readonly Verdict[]): void {
      const key = `${typeof account === 'string' ? account : account.id} ${operation}`;
      verdicts.set(key, [...(verdicts.get(key) ?? []), ...next]);
    },
    /** A verdict that waits until `open` is called; `met` resolves when a call waits there. */
    gate(): Gate {
      const { promise: hold, resolve: open } = Promise.withResolvers<void>();
      const { promise: met, resolve: onMet } = Promise.withResolvers<void>();
      gates.push(open);
      return { hold, open, met, onMet };
    },
    /** Lets the next call of an operation wait until `open` is called, and meet a verdict then. */
    hold(account: string | Readonly<{ id: string }>, operation: string, verdict: Verdict = {}): Gate {
      const gate = network.gate();
      network.script(account, operation, { ...verdict, ...gate });
      return gate;
    },
    release(): void {
      for (const open of gates) open();
    },
    async meet(call: AccountCall, operation: string): Promise<Verdict> {
      const key = `${accountOf(call)} ${operation}`;
      calls.push(key);
      const verdict = verdicts.get(key)?.shift() ?? {};
      verdict.onMet?.();
      await verdict.hold;
      return verdict;
    },
    /** Does something, unless what the call meets keeps it from happening or from being reported. */
    async act<T>(call: AccountCall, operation: string, effect: () => T): Promise<T> {
      const verdict = await network.meet(call, operation);
      if (verdict.error && !verdict.effect) throw verdict.error;
      const done = effect();
      if (verdict.error) throw verdict.error;
      return done;
    },
  };
  return network;
}

/** The name of the account of a call on its network. */
export const accountOf = (call: AccountCall): string => call.session['account'] as string;
