import type { AccountCall } from './call.ts';
import type { OpenedMedia } from './media.ts';

/** A call that may send bytes of media. */
export type SendCall = AccountCall & Readonly<{ open(ref: string): Promise<OpenedMedia> }>;

/** The state of a send: what `prepare` answered, our correlation id, and when it was first sent. */
export type SendState = Readonly<{ prepared: unknown; correlationId: string; sentAt: number }>;

/** The same for a look-up, with the ids of what other sends of the account made: none of them is what is looked for. */
export type SettleState = SendState & Readonly<{ taken: ReadonlySet<string> }>;

/**
 * One effect that people see. `prepare`'s answer is committed before anything leaves. After an answer that was lost
 * nothing is sent again unless it is `idempotent` or `settle` says `absent`.
 */
export type Sending<Ask, Made> = Readonly<{
  prepare?(call: SendCall, ask: Ask): Promise<unknown>;
  send(call: SendCall, ask: Ask, state: SendState): Promise<Made>;
  /** The same send, with the same plan, does nothing the second time and answers the same. */
  idempotent?: true;
  settle?(call: SendCall, ask: Ask, state: SettleState): Promise<Made | 'absent' | 'unknown'>;
}>;

export type TextRule = Readonly<{ max: number; counting: 'chars' | 'utf16' | 'bytes' | 'graphemes' }>;
