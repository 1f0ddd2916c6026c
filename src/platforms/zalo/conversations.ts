import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { Inbox, InboundBatch, InboundEvent } from '../inbound.ts';
import { unlessRefused } from '../shared/errors.ts';
import type { MessageContent, Person, PlatformConversation, PlatformMessage } from '../inbox-types.ts';
import { locationContent, unsupportedContent } from '../shared/inbox/content.ts';
import { LongId, readable, text, UnixTime, word } from '../shared/fields.ts';
import { pushedJson } from '../shared/rest.ts';
import { callApi, inData } from './api.ts';

export const MOST_PER_PAGE = 10;

const OURS = 0;

const Listed = z.object({
  src: z.coerce.number(),
  message_id: LongId,
  time: UnixTime,
  type: word,
  message: word,
  url: text,
  thumb: text,
  description: text,
  links: z.array(z.object({ url: text })).catch([]),
  location: z.unknown().optional(),
  from_id: LongId,
  from_display_name: word,
  from_avatar: text,
  to_id: LongId,
  to_display_name: word,
  to_avatar: text,
});
export type Listed = z.output<typeof Listed>;

const List = z.array(z.unknown()).nullish();

/** Reads a list; `listed` also counts the entries that could not be parsed. */
async function read(call: AccountCall, path: string, given: object) {
  const found = (await callApi(call, { method: 'GET', path, query: inData(given) }, List)) ?? [];
  const items = readable(Listed, found);
  return { items, listed: found.length };
}

export const messagesWith = (call: AccountCall, user_id: string) =>
  read(call, '/v2.0/oa/conversation', { user_id, offset: 0, count: MOST_PER_PAGE });

const isOurs = ({ src }: Listed): boolean => src === OURS;

function personIn(one: Listed): Person {
  return isOurs(one)
    ? { id: one.to_id, name: one.to_display_name, avatar_url: one.to_avatar }
    : { id: one.from_id, name: one.from_display_name, avatar_url: one.from_avatar };
}

/** Our kinds of files and Zalo's names for them in lists and pushes; any other name is a plain file. */
const KINDS: readonly (readonly [kind: string, names: RegExp])[] = [
  ['image', /^(?:photo|image|gif|sticker)$/],
  ['audio', /^(?:voice|audio)$/],
  ['video', /^video$/],
  ['link', /^links?$/],
];

/** The attachment for a file; empty if the file has no URL. */
export function fileOf(type: string, url: string | undefined): PlatformMessage['attachments'] {
  const [kind] = KINDS.find(([, names]) => names.test(type)) ?? ['file'];
  return url ? [{ type: kind, url }] : [];
}

const Coordinates = z.object({ latitude: z.coerce.number(), longitude: z.coerce.number() });

/** Reads a location, which lists contain as a text. */
export function placeIn(coordinates: unknown): MessageContent | undefined {
  const view = typeof coordinates === 'string' ? pushedJson(Buffer.from(coordinates)) : coordinates;
  const { data } = Coordinates.safeParse(view);
  return data && locationContent(data);
}

function contentOf({ type, message, description, url, thumb, location, links }: Listed): MessageContent {
  const place = type === 'location' ? placeIn(location) : undefined;
  const text = message || description || (place?.text ?? '');
  const attachments = type === 'text' ? [] : fileOf(type, links[0]?.url ?? url ?? thumb);
  if (text === '' && attachments.length === 0) return unsupportedContent(type);
  return { text, attachments, ...(place && { metadata: place.metadata }) };
}

export function messageOf(one: Listed): PlatformMessage {
  return {
    platform_id: one.message_id,
    direction: isOurs(one) ? 'outgoing' : 'incoming',
    ...contentOf(one),
    created_at: one.time,
    ...(isOurs(one) && { status: 'sent' as const }),
  };
}

/** A visitor of a web chat who has no Zalo login. */
const Anonymous = z.object({ anonymous_id: z.string(), conversation_id: z.string() });

export const anonymousWith = (id: string, conversation_id: string): PlatformConversation => ({
  platform_id: id,
  participant: { id, name: 'Anonymous' },
  metadata: { anonymous_id: id, conversation_id },
});

/** The path for sending to a conversation, and the recipient in the form that it requires. */
export function recipientOf({ platform_id: user_id, metadata }: PlatformConversation) {
  const { data: recipient } = Anonymous.safeParse(metadata);
  return recipient ? { path: '/v2.0/oa/message', recipient } : { path: '/v3.0/oa/message/cs', recipient: { user_id } };
}

const Detail = z.object({ display_name: word, user_alias: text, avatar: text });

export async function readPerson(call: AccountCall, user_id: string): Promise<Omit<Person, 'id'>> {
  const request = { method: 'GET', path: '/v3.0/oa/user/detail', query: inData({ user_id }) } as const;
  const { display_name, user_alias, avatar } = await callApi(call, request, Detail);
  return { name: display_name || user_alias || '', avatar_url: avatar };
}

/** How many of the latest conversations the backfill reads. */
const MOST_CONVERSATIONS = 100;

const Position = z.object({ offset: z.int().nonnegative() }).catch({ offset: 0 });

/** Backfills the latest conversations with their newest messages. */
async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
  const { offset } = Position.parse(cursor);
  const { items: chats, listed } = await read(call, '/v2.0/oa/listrecentchat', { offset, count: MOST_PER_PAGE });
  const people = new Map(chats.map((one) => [personIn(one).id, one]));
  const events: InboundEvent[] = [];
  for (const one of people.values()) events.push(...(await messagesOf(call, one)));
  const next = offset + MOST_PER_PAGE;
  return { events, cursor: { offset: next }, more: listed === MOST_PER_PAGE && next < MOST_CONVERSATIONS };
}

async function messagesOf(call: AccountCall, newest: Listed): Promise<readonly InboundEvent[]> {
  const participant = personIn(newest);
  const conversation = { platform_id: participant.id, participant };
  const { items } = (await unlessRefused(messagesWith(call, participant.id))) ?? { items: [newest] };
  return items.map((one) => ({ kind: 'message', conversation, message: messageOf(one) }));
}

/** New messages are pushed; earlier ones are read once, by the backfill. */
export const inbox: Inbox = { history };
