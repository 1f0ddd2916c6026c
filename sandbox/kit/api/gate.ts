/** Wraps every call of a simulator: logs it, applies faults and ordered responses, and sends errors. */
import type { Context } from 'koa';
import { isoTime } from '#kernel/clock.ts';
import type { FaultKind } from '../../faults.ts';
import type { JournalEntry } from '../../journal.ts';
import type { TwinOptions } from '../options.ts';
import type { Order, Orders } from './orders.ts';
import { TwinError } from './errors.ts';

/** Thrown to break the connection instead of responding, whether or not the call had an effect. */
class AnswerLost extends Error {}

export type FaultWords<T> = Readonly<{
  throttled(ctx: Context, entry: JournalEntry): TwinError;
  expired(): TwinError;
  /** A temporary failure that leaves open whether the call had an effect. */
  trouble(): TwinError;
  ordered?(order: Order<T>): TwinError;
}>;

/** A call on its way through the gate; its journal entry is filled in step by step. */
export type Passage = Readonly<{
  entry: JournalEntry;
  /** Applies faults before the effect. An expired token is only simulated if the call `hasToken`. */
  before(hasToken?: boolean): Promise<void>;
  /** Applies delays and ordered responses; after an `effect` also lost responses and errors. */
  after(effect: boolean): Promise<void>;
}>;

export type Gate = (
  ctx: Context,
  call: Readonly<{ verb: string; method: string }>,
  run: (passage: Passage) => unknown,
) => Promise<void>;

type GateOptions<T> = Pick<TwinOptions, 'clock' | 'faults' | 'journal' | 'wait' | 'complain'> &
  Readonly<{ network: string; orders?: Orders<T>; words: FaultWords<T> }>;

const LONGEST_METHOD = 200;

/** Koa must not send a response: the caller has to see the connection break. */
function hangUp(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

function refuse(ctx: Context, entry: JournalEntry, error: TwinError): void {
  entry.error = error.code;
  ctx.status = error.status;
  ctx.type = 'application/json';
  ctx.set(error.headers());
  ctx.body = JSON.stringify(error.body());
}

/** A simulator's gate. It sends a TwinError as it is; any other error is reported and sent as a temporary failure. */
export function makeGate<T>({ network, clock, journal, faults, orders, wait, complain, words }: GateOptions<T>): Gate {
  function passageOf(ctx: Context, entry: JournalEntry): Passage {
    const note = (name: string) => {
      entry.fault = entry.fault === undefined ? name : `${entry.fault}, ${name}`;
    };
    function fault(kind: FaultKind) {
      const taken = faults.take({ network, person: entry.person, method: entry.method, kind });
      if (taken !== undefined) note(kind);
      return taken;
    }
    async function delay(kind: 'late' | 'slow'): Promise<void> {
      const taken = fault(kind);
      if (taken !== undefined && !(await wait(taken.delay_ms))) throw new AnswerLost();
    }
    function ordered(when: 'before' | 'after'): void {
      const order = orders?.take(entry.method, when);
      if (order === undefined) return;
      note(`ordered ${when}`);
      throw words.ordered?.(order) ?? words.trouble();
    }
    return Object.freeze({
      entry,
      async before(hasToken = true) {
        if (fault('throttled') !== undefined) throw words.throttled(ctx, entry);
        if (hasToken && fault('expired') !== undefined) throw words.expired();
        ordered('before');
        await delay('late');
      },
      async after(effect: boolean) {
        await delay('slow');
        ordered('after');
        if (!effect) return;
        if (fault('lost') !== undefined) throw new AnswerLost();
        if (fault('error_after') !== undefined) throw words.trouble();
      },
    });
  }

  return async function passGate(ctx, { verb, method }, run) {
    const at = isoTime(clock.now());
    const entry = journal.open({ at, network, verb, method: method.slice(0, LONGEST_METHOD) });
    try {
      await run(passageOf(ctx, entry));
    } catch (error) {
      if (error instanceof AnswerLost) {
        hangUp(ctx);
        return;
      }
      // The caller disconnected before the request was complete, so nobody is waiting for a response.
      if (ctx.req.destroyed && !ctx.req.complete) return;
      if (!(error instanceof TwinError)) complain(error, `${network} ${entry.method}`);
      refuse(ctx, entry, error instanceof TwinError ? error : words.trouble());
    }
    entry.status = ctx.status;
  };
}
