import type { AccountRow } from '#db/access/accounts.ts';
import type { ConversationRow } from '#db/inbox/conversations.ts';
import { isoTime } from '#kernel/clock.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { MessageParts } from '#platforms/messages.ts';
import type { Platform } from '#platforms/platform.ts';

/** The call that answers an item, without the text. */
export type Answer = Readonly<{ tool: string; arguments: Readonly<Record<string, string>> }>;

type Thread = Pick<ConversationRow, 'id' | 'account_id' | 'participant_id' | 'last_incoming_at'>;

/** Why an account cannot send now. */
export function blockOf(status: AccountRow['status']): ErrorCode | undefined {
  return status === 'active' ? undefined : 'account.reconnection_required';
}

/** Why a message would be refused now, as far as known: docs/contract/inbox.md#windows. */
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

/** How to reach a person after the window has closed, if possible. */
export function lateAnswer(thread: Thread, { tags = {}, window }: MessageParts, now: number): Answer | undefined {
  const silence = silenceOf(thread, now);
  const [tag] = Object.entries(tags).find(([, ms]) => silence <= ms) ?? [];
  if (tag !== undefined) return { tool: 'send_dm', arguments: { conversation_id: thread.id, message_tag: tag } };
  if (window?.later === undefined) return undefined;
  return { tool: window.later, arguments: { account_id: thread.account_id, to: thread.participant_id } };
}

/** Until when a person may be written to, and what still reaches them afterwards; null where they may be at any time. */
export function windowOf({ last_incoming_at: at }: Thread, { tags = {}, window }: MessageParts) {
  if (window === undefined) return null;
  return {
    open_until: at === null ? null : isoTime(at + window.ms),
    tags: at === null ? [] : Object.entries(tags).map(([name, ms]) => ({ name, until: isoTime(at + ms) })),
    later: window.later ?? null,
  };
}

const silenceOf = ({ last_incoming_at: at }: Thread, now: number): number => now - (at ?? -Infinity);
