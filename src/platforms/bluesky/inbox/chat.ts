import * as z from 'zod';
import type { InboundEvent } from '../../inbound.ts';
import type { PlatformConversation, PlatformMessage } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { authed, type XrpcRequest } from '../api.ts';
import { sessionOf } from '../accounts/session.ts';
import { Facets, writtenText } from '../posts/text.ts';
import { mediaOf, personOf, Profile } from './views.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { readable, instant, count } from '../../shared/fields.ts';

export const MOST_PER_PAGE = 100;

const Kind = z.object({ $type: z.string() });
const Convo = z.object({
  id: z.string(),
  rev: z.string(),
  members: z.array(Profile),
  unreadCount: count,
  lastMessage: z.unknown().optional(),
  kind: Kind.optional().catch(undefined),
});
const Convos = z.object({ convos: z.array(z.unknown()).max(MOST_PER_PAGE), cursor: z.string().max(2000).optional() });

const Reaction = z.object({ value: z.string().min(1), sender: z.object({ did: z.string() }), createdAt: instant });

/** A message with text; deleted messages and system messages do not match. */
const Message = z.object({
  id: z.string(),
  text: z.string(),
  facets: Facets,
  sender: z.object({ did: z.string() }),
  sentAt: instant,
  embed: z.unknown().optional(),
  replyTo: z.object({ id: z.string() }).optional().catch(undefined),
  reactions: z.array(z.unknown()).catch([]).default([]),
});
const Messages = z.object({
  messages: z.array(z.unknown()).max(MOST_PER_PAGE),
  cursor: z.string().max(2000).optional(),
});

const LogEntry = z.object({
  $type: z.string(),
  rev: z.string(),
  convoId: z.string().optional(),
  message: z.unknown().optional(),
  reaction: z.unknown().optional(),
});
const Log = z.object({ logs: z.array(z.unknown()).max(10_000), cursor: z.string().max(2000).optional() });

export type ConvoView = z.output<typeof Convo>;
export type MessageView = z.output<typeof Message>;
export type LogEntry = z.output<typeof LogEntry>;

export function chat<T extends z.ZodType>(call: AccountCall, request: XrpcRequest, schema: T): Promise<z.output<T>> {
  return authed(call, { ...request, method: `chat.bsky.convo.${request.method}`, chat: true }, schema);
}

type ChatPageRequest = Readonly<{ limit: number; cursor?: string | undefined }>;

/** Conversations including requests, the latest first. */
export async function listConvos(call: AccountCall, page: ChatPageRequest) {
  const { convos, cursor } = await chat(call, { method: 'listConvos', query: page }, Convos);
  return { convos: readable(Convo, convos), cursor: cursor || undefined };
}

/** One conversation, or undefined if the account has left it. */
export async function readConvo(call: AccountCall, convoId: string): Promise<ConvoView | undefined> {
  const read = chat(call, { method: 'getConvo', query: { convoId } }, z.object({ convo: Convo }));
  return (await unlessRefused(read, 'not_found'))?.convo;
}

/** Messages of a conversation, the latest first; empty if the account has left it. */
export async function listMessages(call: AccountCall, convoId: string, page: ChatPageRequest) {
  const { messages, cursor } = await chat(call, { method: 'getMessages', query: { convoId, ...page } }, Messages);
  return { messages: readable(Message, messages), cursor: cursor || undefined };
}

/** Log entries of all conversations after a position, or from the beginning. */
export async function readLog(call: AccountCall, from: string) {
  const query = { cursor: from === '' ? undefined : from };
  const { logs, cursor } = await chat(call, { method: 'getLog', query }, Log);
  const entries = readable(LogEntry, logs);
  const last = entries.reduce((rev, entry) => (entry.rev > rev ? entry.rev : rev), from);
  return { entries, at: cursor || last, isEnd: logs.length === 0 };
}

/** Converts a conversation; undefined for groups, which are not supported. */
export function conversationOf(
  call: AccountCall,
  { id, members, kind, unreadCount }: ConvoView,
): PlatformConversation | undefined {
  const [other, ...more] = members.filter(({ did }) => did !== sessionOf(call.session).did);
  if (!other || more.length > 0 || kind?.$type.endsWith('#groupConvo')) return undefined;
  return { platform_id: id, participant: personOf(call.hosts, other), unread: unreadCount };
}

export function messageOf(
  call: AccountCall,
  { id, text, facets, sender, sentAt, embed, replyTo }: MessageView,
): PlatformMessage {
  const outgoing = sender.did === sessionOf(call.session).did;
  return {
    platform_id: id,
    direction: outgoing ? 'outgoing' : 'incoming',
    text: writtenText(text, facets),
    attachments: mediaOf(call.hosts, embed),
    created_at: Date.parse(sentAt),
    reply_to: replyTo?.id,
    status: outgoing ? 'sent' : undefined,
  };
}

/** The current reactions to a message; `others` are people who may have withdrawn theirs. */
export function reactionsTo(
  call: AccountCall,
  conversation: string,
  { id: message, reactions }: MessageView,
  others: readonly string[] = [],
): readonly InboundEvent[] {
  const given = readable(Reaction, reactions);
  const people = new Set([...given.map(({ sender }) => sender.did), ...others]);
  return [...people].map((did) => {
    const own = given.filter(({ sender }) => sender.did === did);
    const isOurs = did === sessionOf(call.session).did;
    return {
      kind: 'reaction',
      conversation,
      message,
      ...(isOurs ? { direction: 'outgoing' } : { direction: 'incoming', by: { id: did, name: '' } }),
      emojis: own.map(({ value }) => value),
      // For a withdrawn reaction, the network reports no time.
      at: own.length === 0 ? undefined : Math.max(...own.map(({ createdAt }) => Date.parse(createdAt))),
    };
  });
}

export function reactionsIn(call: AccountCall, { convoId, message, reaction }: LogEntry): readonly InboundEvent[] {
  const [view, given] = [readMessage(message), Reaction.safeParse(reaction).data];
  if (convoId === undefined || view === undefined || given === undefined) return [];
  return reactionsTo(call, convoId, view, [given.sender.did]);
}

export function readMessage(message: unknown): MessageView | undefined {
  return Message.safeParse(message).data;
}
