import * as z from 'zod';
import type { Attachment, PlatformConversation, PlatformMessage } from '../records.ts';
import { Id, listOf } from './api.ts';
import { personOf, Somebody, Time } from './fields.ts';
import { count, text } from '../shared/fields.ts';

const MOST_MESSAGES = 25;

/** The fields read of a conversation: its participants and newest messages. */
export const THREAD_FIELDS = Object.freeze({
  messenger:
    `id,updated_time,unread_count,participants,messages.limit(${MOST_MESSAGES})` +
    '{id,created_time,from,to,message,attachments,sticker,shares}',
  // Of older messages Instagram shows nothing.
  instagram: 'id,updated_time,participants,messages.limit(20){id,created_time,from,to,message,attachments,reply_to}',
});

const File = z.object({
  mime_type: z.string().catch(''),
  name: text,
  file_url: text,
  image_data: z.object({ url: text }).optional().catch(undefined),
  video_data: z.object({ url: text }).optional().catch(undefined),
});

const Message = z.object({
  id: Id,
  created_time: Time,
  from: Somebody,
  message: z.string().catch(''),
  attachments: z
    .object({ data: z.array(File) })
    .optional()
    .catch(undefined),
  sticker: text,
  reply_to: z.object({ mid: text }).optional().catch(undefined),
  shares: z
    .object({ data: z.array(z.object({ link: text })) })
    .optional()
    .catch(undefined),
});

const Thread = z.object({
  id: Id,
  unread_count: count,
  participants: z.object({ data: z.array(Somebody) }).catch({ data: [] }),
  messages: z.object({ data: z.array(Message) }).catch({ data: [] }),
});

export const Threads = listOf(Thread);
type Thread = z.output<typeof Thread>;
type Message = z.output<typeof Message>;

/** Maps a conversation of an owner; its id is the owner-scoped id of the person, as in every push. */
export function conversationOf(thread: Thread, owner: string, hasPages: boolean): PlatformConversation | undefined {
  const person = thread.participants.data.find((somebody) => somebody !== undefined && somebody.id !== owner);
  if (person === undefined) return undefined;
  return {
    platform_id: person.id,
    ...(hasPages && { page_id: owner }),
    participant: personOf(person),
    unread: thread.unread_count,
    metadata: { thread_id: thread.id },
  };
}

/** Maps a message; any sender other than the owner is the person. */
export function messageOf(message: Message, owner: string): PlatformMessage {
  return {
    platform_id: message.id,
    direction: message.from?.id === owner ? 'outgoing' : 'incoming',
    text: message.message,
    attachments: attachmentsOf(message),
    created_at: message.created_time,
    reply_to: message.reply_to?.mid,
  };
}

function attachmentsOf({ attachments, sticker, shares }: Message): readonly Attachment[] {
  const all = [
    ...(attachments?.data ?? []).map(({ mime_type, image_data, video_data, file_url }) => ({
      type: image_data ? 'image' : video_data ? 'video' : kindOf(mime_type),
      url: image_data?.url ?? video_data?.url ?? file_url,
    })),
    { type: 'image', url: sticker },
    ...(shares?.data ?? []).map(({ link }) => ({ type: 'link', url: link })),
  ];
  return all.flatMap(({ type, url }) => (url === undefined ? [] : [{ type, url }]));
}

function kindOf(contentType: string): string {
  const [kind = ''] = contentType.split('/');
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'file';
}
