import type { AccountRow } from '#db/access/accounts.ts';
import type { ConversationRow } from '#db/inbox/conversations.ts';
import { isoTime } from '#kernel/clock.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { MessageParts } from '#platforms/messages.ts';
import type { Platform } from '#platforms/platform.ts';

/** The tool call that answers an item, except for the text. */
export type Answer = Readonly<{ tool: string; arguments: Readonly<Record<string, string>> }>;

type Thread = Pick<ConversationRow, 'id' | 'account_id' | 'participant_id' | 'last_incoming_at'>;

/** Why an account cannot send at the moment; undefined if it can. */
export function blockOf(status: AccountRow['status']): ErrorCode | undefined {
  return status === 'active' ? undefined : 'account.reconnection_required';
}

/** Why a message would be refused at the moment, as far as known: docs/contract/inbox.md#windows. */
export function messageBlockOf(
  thread: Thread,
  platform: Platform | undefined,
  status: AccountRow['status'],
  now: number,
): ErrorCode | undefined {
  const window = platform?.messages?.parts.window;
  const isClosed = window !== undefined && silenceOf(thread, now) > window.ms;
  return blockOf(status) ?? (isClosed ? (window.code ?? `platform.${platform!.slug}.window_closed`) : undefined);
}

/** The call that still reaches a person after the messaging window has closed, if there is one. */
export function lateAnswer(thread: Thread, { tags = {}, window }: MessageParts, now: number): Answer | undefined {
  const silence = silenceOf(thread, now);
  const [tag] = Object.entries(tags).find(([, ms]) => silence <= ms) ?? [];
  if (tag !== undefined) return { tool: 'send_dm', arguments: { conversation_id: thread.id, message_tag: tag } };
  if (window?.later === undefined) return undefined;
  return { tool: window.later, arguments: { account_id: thread.account_id, to: thread.participant_id } };
}

/** When the messaging window closes, and what still reaches the person afterwards; null if there is no window. */
export function windowOf({ last_incoming_at: at }: Thread, { tags = {}, window }: MessageParts) {
  if (window === undefined) return null;
  return {
    open_until: at === null ? null : isoTime(at + window.ms),
    tags: at === null ? [] : Object.entries(tags).map(([name, ms]) => ({ name, until: isoTime(at + ms) })),
    later: window.later ?? null,
  };
}

const silenceOf = ({ last_incoming_at: at }: Thread, now: number): number => now - (at ?? -Infinity);
