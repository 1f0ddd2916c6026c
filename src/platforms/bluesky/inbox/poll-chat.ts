import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { InboundEvent } from '../../inbound.ts';
import type { PlatformConversation } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import {
  type ConvoView,
  type LogEntry,
  MOST_PER_PAGE,
  conversationOf,
  listConvos,
  listMessages,
  messageOf,
  reactionsIn,
  readConvo,
  readLog,
  readMessage,
} from './chat.ts';
import { JUST_NOW_MS } from './poll-notifications.ts';
import { sessionOf } from '../accounts/session.ts';
import type { PartBatch } from '../../shared/inbox/polling.ts';
import { claimsOf } from '../../shared/session.ts';

const MOST_PAGES = 5;
const LATEST = 10;
const MOST_JUST_NOW = 25;
const LOOK_AGAIN_MS = DAY;

/** The position in the chat log, or the time until which polling is off because the login may not read messages. */
export const ChatPosition = z.union([
  z.object({ at: z.string(), skipping: z.literal(true).optional() }),
  z.object({ off_until: z.number(), scope: z.string().optional() }),
]);

type ChatPosition = z.output<typeof ChatPosition>;
type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;
type InLog = Extract<ChatPosition, { at: string }>;
type ChatUpdates = PartBatch<ChatPosition> & Readonly<{ at: ChatPosition }>;

/** Reads messages since the last poll; the first poll sets the baseline. */
export async function pollChat(call: AccountCall, position: ChatPosition | undefined): Promise<ChatUpdates> {
  // After a reconnect the login may have more rights, which shows in its token.
  const { scope } = claimsOf(sessionOf(call.session).accessJwt);
  const isOff = position !== undefined && 'off_until' in position;
  if (isOff && call.now() < position.off_until && position.scope === scope)
    return { events: [], at: position, more: false };
  try {
    return await (position === undefined || isOff ? begin(call) : readOn(call, position));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'dm_scope_missing') throw error;
    const off = { off_until: call.now() + LOOK_AGAIN_MS, ...(scope !== undefined && { scope }) };
    return { events: [], at: off, more: false };
  }
}

/** Starts at the revision of the latest conversation or, if that is rejected, at the end of the log. */
async function begin(call: AccountCall): Promise<ChatUpdates> {
  const { convos } = await listConvos(call, { limit: LATEST });
  const last: InboundEvent[] = [];
  for (const convo of convos) last.push(...(await latestOf(call, convo)));
  const since = await readOn(call, { at: convos[0]?.rev ?? '' });
  const at = since.more ? { ...since.at, skipping: true as const } : since.at;
  return { ...since, events: [...last, ...since.events], at, began: true };
}

/** The last message of a conversation, or all recent messages if the last one is recent. */
async function latestOf(call: AccountCall, convo: ConvoView): Promise<readonly InboundEvent[]> {
  const conversation = conversationOf(call, convo);
  const last = readMessage(convo.lastMessage);
  if (!conversation || !last) return [];
  const event = (view: typeof last): MessageEvent => ({
    kind: 'message',
    conversation,
    message: messageOf(call, view),
  });
  const isYoung = ({ message }: MessageEvent) => message.created_at >= call.now() - JUST_NOW_MS;
  if (!isYoung(event(last))) return [event(last)];
  const { messages } = await listMessages(call, convo.id, { limit: MOST_JUST_NOW });
  return messages.map(event).filter(isYoung);
}

/** Reads the log to its end or up to the page limit of a poll. */
async function readOn(call: AccountCall, from: InLog): Promise<ChatUpdates & Readonly<{ at: InLog }>> {
  const entries: LogEntry[] = [];
  let { at } = from;
  let isEnd = false;
  for (let left = MOST_PAGES; left > 0 && !isEnd; left--) {
    const page = await readLog(call, at);
    entries.push(...page.entries);
    isEnd = page.isEnd || page.at === at;
    at = page.at;
  }
  if (from.skipping) return { events: [], at: isEnd ? { at } : { at, skipping: true }, more: !isEnd };
  return { events: await eventsOf(call, entries), at: { at }, more: !isEnd };
}

/** Converts log entries to events; read entries are ignored, as only the account itself can cause them. */
async function eventsOf(call: AccountCall, entries: readonly LogEntry[]): Promise<readonly InboundEvent[]> {
  const made = entries.filter(({ $type }) => isKind($type, 'logCreateMessage'));
  const conversations = await conversationsOf(call, new Set(made.flatMap(({ convoId }) => convoId ?? [])));
  return entries.flatMap((entry): readonly InboundEvent[] => {
    if (isKind(entry.$type, 'logDeleteMessage')) {
      const { id } = Id.safeParse(entry.message).data ?? {};
      return id === undefined ? [] : [{ kind: 'message_gone', platform_id: id }];
    }
    if (isKind(entry.$type, 'logAddReaction') || isKind(entry.$type, 'logRemoveReaction'))
      return reactionsIn(call, entry);
    const conversation = conversations.get(entry.convoId ?? '');
    const message = isKind(entry.$type, 'logCreateMessage') ? readMessage(entry.message) : undefined;
    return conversation && message ? [{ kind: 'message', conversation, message: messageOf(call, message) }] : [];
  });
}

const Id = z.object({ id: z.string() });

function isKind(type: string, kind: string): boolean {
  return type === `chat.bsky.convo.defs#${kind}`;
}

/** Looks up conversations, as log entries do not name members: the latest in one request, others one by one. */
async function conversationsOf(
  call: AccountCall,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, PlatformConversation>> {
  const found = new Map<string, PlatformConversation>();
  if (ids.size === 0) return found;
  const { convos } = await listConvos(call, { limit: MOST_PER_PAGE });
  const listed = new Map(convos.map((convo) => [convo.id, convo]));
  for (const id of ids) {
    const convo = listed.get(id) ?? (await readConvo(call, id));
    const conversation = convo && conversationOf(call, convo);
    if (conversation) found.set(id, conversation);
  }
  return found;
}
