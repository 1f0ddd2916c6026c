import * as z from 'zod';
import type { Attachment, PlatformConversation, PlatformMessage } from '../../records.ts';
import type { AccountCall, Hosts } from '../../call.ts';
import { authed, type Ask } from '../api.ts';
import { placeOf } from '../records.ts';
import { permalinkOf } from '../posts/publish.ts';
import { sessionOf } from '../accounts/session.ts';
import { personOf, Profile } from './views.ts';
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

/** A message with text; deleted and system messages have none. */
const Message = z.object({
  id: z.string(),
  text: z.string(),
  sender: z.object({ did: z.string() }),
  sentAt: instant,
  embed: z.unknown().optional(),
  replyTo: z.object({ id: z.string() }).optional().catch(undefined),
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
});
const Log = z.object({ logs: z.array(z.unknown()).max(10_000), cursor: z.string().max(2000).optional() });

const SharedPost = z.object({
  $type: z.literal('app.bsky.embed.record#view'),
  record: z.object({ uri: z.string(), author: Profile.optional().catch(undefined) }),
});

export type ConvoView = z.output<typeof Convo>;
export type MessageView = z.output<typeof Message>;
export type LogEntry = z.output<typeof LogEntry>;

/** A call to the chat service, proxied by the account's PDS. */
export function chat<T extends z.ZodType>(call: AccountCall, ask: Ask, schema: T): Promise<z.output<T>> {
  return authed(call, { ...ask, method: `chat.bsky.convo.${ask.method}`, chat: true }, schema);
}

type ChatPageRequest = Readonly<{ limit: number; cursor?: string | undefined }>;

/** Conversations, latest first, including requests. */
export async function listConvos(call: AccountCall, page: ChatPageRequest) {
  const { convos, cursor } = await chat(call, { method: 'listConvos', query: page }, Convos);
  return { convos: readable(Convo, convos), cursor: cursor || undefined };
}

/** One conversation, or undefined if the account has left it. */
export async function readConvo(call: AccountCall, convoId: string): Promise<ConvoView | undefined> {
  const read = chat(call, { method: 'getConvo', query: { convoId } }, z.object({ convo: Convo }));
  return (await unlessRefused(read, 'not_found'))?.convo;
}

/** Messages of a conversation, latest first; empty if the account has left it. */
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

/** Maps a conversation with one other person; undefined for groups, which are not supported. */
export function conversationOf(
  call: AccountCall,
  { id, members, kind, unreadCount }: ConvoView,
): PlatformConversation | undefined {
  const [other, ...more] = members.filter(({ did }) => did !== sessionOf(call.session).did);
  if (!other || more.length > 0 || kind?.$type.endsWith('#groupConvo')) return undefined;
  return { platform_id: id, participant: personOf(call.hosts, other), unread: unreadCount };
}

/** Maps a message to a platform message. */
export function messageOf(
  call: AccountCall,
  { id, text, sender, sentAt, embed, replyTo }: MessageView,
): PlatformMessage {
  const outgoing = sender.did === sessionOf(call.session).did;
  return {
    platform_id: id,
    direction: outgoing ? 'outgoing' : 'incoming',
    text,
    attachments: attachmentsOf(call.hosts, embed),
    created_at: Date.parse(sentAt),
    reply_to: replyTo?.id,
    status: outgoing ? 'sent' : undefined,
  };
}

/** Parses a message; undefined if it has no text. */
export function readMessage(message: unknown): MessageView | undefined {
  return Message.safeParse(message).data;
}

/** A post is the only attachment a message can have. */
function attachmentsOf(hosts: Hosts, embed: unknown): readonly Attachment[] {
  const { uri, author } = SharedPost.safeParse(embed).data?.record ?? {};
  const place = uri === undefined ? undefined : placeOf(uri);
  if (place === undefined) return [];
  return [
    { type: 'post', url: permalinkOf(hosts, (author && personOf(hosts, author).username) ?? place.repo, place.rkey) },
  ];
}
