import type { AccountRow } from '#db/access/accounts.ts';
import type { SendKind } from '#db/schema/database.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { MessageContent } from '#platforms/inbox-types.ts';
import type { PrepareCall, SendCall, SendState, Sending, SettleState } from '#platforms/sending.ts';
import type { Progress } from './context.ts';

export type SendContext = Readonly<{
  authority: Authority;
  workspace: Workspace;
  signal: AbortSignal;
  progress: Progress;
}>;

export type SendPart<Made> = Readonly<{
  idempotent: boolean;
  prepare: ((call: PrepareCall) => Promise<unknown>) | undefined;
  maxWaitMs: number | undefined;
  send(call: SendCall, state: SendState): Promise<Made>;
  settle: ((call: SendCall, state: SettleState) => Promise<Made | 'absent' | 'unknown'>) | undefined;
}>;

export function partOf<Request, Made>(sending: Sending<Request, Made>, request: Request): SendPart<Made> {
  return {
    idempotent: sending.idempotent === true,
    prepare: sending.prepare && ((call) => sending.prepare!(call, request)),
    maxWaitMs: sending.maxWaitMs,
    send: (call, state) => sending.send(call, request, state),
    settle: sending.settle && ((call, state) => sending.settle!(call, request, state)),
  };
}

/** What a send does on the platform, and what it changes in our records. */
export type SendTask<Made> = Readonly<{
  account: AccountRow;
  parts: readonly SendPart<Made>[];
  /**
   * The content of each part, if parts are messages. Stored when a part whose response was lost turns out to be sent.
   */
  messages?: readonly MessageContent[];
  /** Stores the result of a part, with its correlation id. */
  keep?(tx: Tx, made: Made, part: Readonly<{ index: number; correlationId: string }>): Promise<void>;
  made?(count: number): void;
  /** The platform's id of a part that was created; reported if a later part fails. */
  idOf?(made: Made): string;
  refused?(tx: Tx, error: ApiError): Promise<void>;
  /** Translates a platform's refusal into an error of ours where it means one. */
  presentError?(error: ApiError): ApiError;
}>;

/** A visible or one-time effect on a platform, as the caller requested it. */
export type SendCommand<Made> = SendTask<Made> &
  Readonly<{
    kind: SendKind;
    workspace: Workspace;
    /** Target and content without secrets: equal commands have equal values. */
    request: Readonly<{ place: unknown; content: unknown }>;
    metered: boolean;
    /** The send that an earlier request with the same key began. */
    begun?: SendBegun | undefined;
  }>;

/** What is recorded about a send under the key of its request. */
export type SendBegun = Readonly<{ send: string }>;

export type Sent<Made> = Readonly<{ account: AccountRow; place: unknown; made: readonly Made[] }>;

/** Effects on a platform, stored before they are tried so that none happens twice. */
export type Sends = Readonly<{
  /** Carries out a command once and returns the results of its parts; the signal aborts when the client disconnects. */
  send<Made>(command: SendCommand<Made>, signal: AbortSignal): Promise<Sent<Made>>;
  /** Returns the outcome of an earlier send under the same key, or else runs `work`, which sends. */
  settle<Made>(begun: SendBegun | undefined, signal: AbortSignal, work: () => Promise<Sent<Made>>): Promise<Sent<Made>>;
}>;
