import type { AccountRow } from '#db/access/accounts.ts';
import type { SendKind } from '#db/schema/database.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { MessageContent } from '#platforms/inbox-types.ts';
import type { PrepareCall, SendCall, SendState, Sending, SettleState } from '#platforms/sending.ts';
import type { Progress } from './context.ts';

/** Who sends: their authority, the workspace that pays, the signal that ends when they leave, and their progress callback. */
export type SendContext = Readonly<{
  authority: Authority;
  workspace: Workspace;
  signal: AbortSignal;
  progress: Progress;
}>;

/** One effect of a send, with everything it takes. */
export type SendPart<Made> = Readonly<{
  idempotent: boolean;
  prepare: ((call: PrepareCall) => Promise<unknown>) | undefined;
  maxWaitMs: number | undefined;
  send(call: SendCall, state: SendState): Promise<Made>;
  settle: ((call: SendCall, state: SettleState) => Promise<Made | 'absent' | 'unknown'>) | undefined;
}>;

/** What a connector is to send for an ask. */
export function partOf<Request, Made>(sending: Sending<Request, Made>, request: Request): SendPart<Made> {
  return {
    idempotent: sending.idempotent === true,
    prepare: sending.prepare && ((call) => sending.prepare!(call, request)),
    maxWaitMs: sending.maxWaitMs,
    send: (call, state) => sending.send(call, request, state),
    settle: sending.settle && ((call, state) => sending.settle!(call, request, state)),
  };
}

/** What a send is to bring about, and what becomes of our own books. */
export type SendTask<Made> = Readonly<{
  account: AccountRow;
  parts: readonly SendPart<Made>[];
  /** What each part says, where parts are messages: stored when one turns out to be sent whose answer was lost. */
  messages?: readonly MessageContent[];
  /** Stores what a part made, with the part's correlation id. */
  keep?(tx: Tx, made: Made, part: Readonly<{ index: number; correlationId: string }>): Promise<void>;
  /** Reports how many parts are made. */
  made?(count: number): void;
  /** The platform's id of a made part, reported if a later part fails. */
  idOf?(made: Made): string;
  /** Reports that the send was refused. */
  refused?(tx: Tx, error: ApiError): Promise<void>;
  /** How a refusal of the platform is shown, where it means something of ours. */
  presentError?(error: ApiError): ApiError;
}>;

/** Something people will see, or a platform does once, as it was asked for. */
export type SendCommand<Made> = SendTask<Made> &
  Readonly<{
    kind: SendKind;
    workspace: Workspace;
    /** Where it goes and what it says, without secrets: equal commands have equal values. */
    request: Readonly<{ place: unknown; content: unknown }>;
    metered: boolean;
    /** The send that an earlier request with the same key began for this. */
    begun?: SendBegun | undefined;
  }>;

/** What a request records of a send under its key. */
export type SendBegun = Readonly<{ send: string }>;

/** A send that was brought to its end, and the account it was for. */
export type Sent<Made> = Readonly<{ account: AccountRow; place: unknown; made: readonly Made[] }>;

/** Effects on a platform that are stored before they are tried, so that none happens twice. */
export type Sends = Readonly<{
  /** Carries out a command once and returns the results of its parts; `gone` ends when the client leaves. */
  send<Made>(command: SendCommand<Made>, signal: AbortSignal): Promise<Sent<Made>>;
  /**
   * Answers what came of the send that an earlier request with the same key began, and else does `work`, which sends.
   * That nothing could be sent there now says nothing about what is out: then its doubt is answered.
   */
  settle<Made>(begun: SendBegun | undefined, signal: AbortSignal, work: () => Promise<Sent<Made>>): Promise<Sent<Made>>;
}>;
