import type { Counting } from '#kernel/text/length.ts';
import type { AccountCall, Keeping } from './call.ts';
import type { LinkRequest, OpenedMedia } from './media.ts';

export type SendCall = AccountCall &
  Readonly<{
    open(ref: string): Promise<OpenedMedia>;
    /** A URL from which the platform fetches an item, if its message parts have `pulls`. */
    link(ref: string, request: Omit<LinkRequest, 'rehost'>): Promise<string>;
  }>;

/** The call of `prepare`, whose state is not encrypted; `lost`: how often a prepared payload could not be sent. */
export type PrepareCall = SendCall & Keeping & Readonly<{ lost?: number }>;

/** The prepared payload, our correlation id, and the time of the first send. */
export type SendState = Readonly<{ prepared: unknown; correlationId: string; sentAt: number }>;

/** The state for a lookup; `taken` are the ids created by other sends of the account, which are excluded. */
export type SettleState = SendState & Readonly<{ taken: ReadonlySet<string> }>;

/** One visible effect, prepared before it is sent; sent again only if `idempotent` or found `absent`. */
export type Sending<Request, Made> = Readonly<{
  prepare?(call: PrepareCall, request: Request): Promise<unknown>;
  /** How long `prepare` may stay pending in total, in milliseconds; 10 minutes by default. */
  maxWaitMs?: number;
  send(call: SendCall, request: Request, state: SendState): Promise<Made>;
  /** Sending the same prepared payload again has no further effect and returns the same result. */
  idempotent?: true;
  settle?(call: SendCall, request: Request, state: SettleState): Promise<Made | 'absent' | 'unknown'>;
}>;

export type TextRule = Readonly<{ max: number; counting: Counting; max_bytes?: number }>;
