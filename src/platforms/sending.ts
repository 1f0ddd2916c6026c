import type { Counting } from '#kernel/text/length.ts';
import type { AccountCall, Keeping } from './call.ts';
import type { LinkRequest, OpenedMedia } from './media.ts';

/** A call that may send bytes of media. */
export type SendCall = AccountCall &
  Readonly<{
    open(ref: string): Promise<OpenedMedia>;
    /** An address at which the platform fetches an item, where its parts say that it does (`pulls`). */
    link(ref: string, request: Omit<LinkRequest, 'rehost'>): Promise<string>;
  }>;

/** The call of `prepare`; what it keeps is not sealed. `lost`: how often what it had prepared could not be sent. */
export type PrepareCall = SendCall & Keeping & Readonly<{ lost?: number }>;

/** The state of a send: the prepared payload, our correlation id, and the time it was first sent. */
export type SendState = Readonly<{ prepared: unknown; correlationId: string; sentAt: number }>;

/** The state for a lookup, with the ids created by other sends of the account, which are excluded. */
export type SettleState = SendState & Readonly<{ taken: ReadonlySet<string> }>;

/**
 * One visible effect. The result of `prepare` is committed before anything is sent. After a lost answer nothing is sent
 * again unless the send is `idempotent` or `settle` returns `absent`. One that is `pending` has made nothing, and is
 * prepared anew.
 */
export type Sending<Request, Made> = Readonly<{
  prepare?(call: PrepareCall, request: Request): Promise<unknown>;
  /** How long `prepare` may be pending in all, in milliseconds; 10 minutes by default. */
  maxWaitMs?: number;
  send(call: SendCall, request: Request, state: SendState): Promise<Made>;
  /** A repeated send with the same prepared payload has no further effect and returns the same result. */
  idempotent?: true;
  settle?(call: SendCall, request: Request, state: SettleState): Promise<Made | 'absent' | 'unknown'>;
}>;

export type TextRule = Readonly<{ max: number; counting: Counting; max_bytes?: number }>;
