import * as z from 'zod';
import type { InboundEvent } from '../../inbound.ts';
import type { PlatformConversation, PlatformMessage } from '../../inbox-types.ts';
import { Id, listOf } from '../api.ts';
import { Attached, contentIn, emojiOf, Reaction } from './content.ts';
import { Flag, personOf, Somebody, Time } from '../fields.ts';
import { count, readable, text } from '../../shared/fields.ts';

const MOST_MESSAGES = 25;

/** The fields to request of a conversation: its participants and newest messages. */
export const THREAD_FIELDS = Object.freeze({
  messenger:
    `id,updated_time,unread_count,participants,messages.limit(${MOST_MESSAGES})` +
    '{id,created_time,from,to,message,attachments,sticker,shares}',
  // Instagram does not return the content of older messages.
  instagram: 'id,updated_time,participants,messages.limit(20){id,created_time,from,to,message,attachments,reply_to}',
});

/** All fields that a message can have; if the platform refuses one, the fields above are requested. */
export const HISTORY_FIELDS = Object.freeze({
  messenger:
    `id,updated_time,unread_count,participants,messages.limit(${MOST_MESSAGES})` +
    '{id,created_time,from,to,message,attachments,sticker,shares,reactions}',
  instagram:
    'id,updated_time,participants,messages.limit(20)' +
    '{id,created_time,from,to,message,attachments,reply_to,shares,story,reactions,is_unsupported}',
});

const File = z.object({
  mime_type: z.string().catch(''),
  name: text,
  file_url: text,
  generic_template: z.object({ title: text, subtitle: text }).optional().catch(undefined),
  image_data: z.object({ url: text }).optional().catch(undefined),
  video_data: z.object({ url: text }).optional().catch(undefined),
});

const Share = z.object({
  link: text,
  name: text,
  template: z.object({ payload: z.unknown() }).optional().catch(undefined),
});
const Story = z.object({ id: text, link: text }).optional().catch(undefined);

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
  reply_to: z.object({ mid: text, id: text }).optional().catch(undefined),
  shares: z
    .object({ data: z.array(Share) })
    .optional()
    .catch(undefined),
  story: z.object({ mention: Story, reply_to: Story }).optional().catch(undefined),
  is_unsupported: Flag,
  reactions: z
    .object({ data: z.array(Reaction.extend({ users: z.array(z.object({ id: Id })).catch([]) })) })
    .optional()
    .catch(undefined),
});

const Thread = z.object({
  id: Id,
  unread_count: count,
  participants: z.object({ data: z.array(Somebody) }).catch({ data: [] }),
  messages: z
    .object({ data: z.array(z.unknown()) })
    .catch({ data: [] })
    .transform(({ data }) => readable(Message, data)),
});

export const Threads = listOf(Thread);
type Thread = z.output<typeof Thread>;
type Message = z.output<typeof Message>;

/** Converts a conversation; its id is the owner-scoped id of the person, as in every push. */
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

/** Converts a message; a sender other than the owner is the person. */
export function messageOf(message: Message, owner: string): PlatformMessage {
  const { mention, reply_to: answered } = message.story ?? {};
  const { metadata, ...content } = contentIn({
    text: message.message,
    attached: attachedTo(message, mention),
    story: answered && { id: answered.id, url: answered.link },
    isUnsupported: message.is_unsupported,
  });
  return {
    platform_id: message.id,
    direction: message.from?.id === owner ? 'outgoing' : 'incoming',
    ...content,
    created_at: message.created_time,
    reply_to: message.reply_to?.mid ?? message.reply_to?.id,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** People's reactions to a message; lists have no time for them, so that of the message is used. */
export function reactionsTo(message: Message, conversation: string, owner: string): readonly InboundEvent[] {
  return (message.reactions?.data ?? []).flatMap(({ users, ...reaction }) =>
    users.map(({ id }) => ({
      kind: 'reaction',
      conversation,
      message: message.id,
      direction: id === owner ? 'outgoing' : 'incoming',
      emojis: [emojiOf(reaction)].filter(Boolean),
      at: message.created_time,
    })),
  );
}

/** The attachments of a message in the form that pushes use. */
function attachedTo({ attachments, sticker, shares }: Message, mention: z.output<typeof Story>): readonly Attached[] {
  const files = attachments?.data ?? [];
  const of = (type: string, url: string | undefined, title?: string): Attached => ({ type, url, title });
  return [
    ...files.map(({ mime_type, image_data, video_data, file_url, generic_template }) => {
      if (generic_template !== undefined) return of('template', undefined, generic_template.title);
      const other = video_data ? 'video' : kindOf(mime_type);
      const type = image_data ? 'image' : other;
      return of(type, image_data?.url ?? video_data?.url ?? file_url);
    }),
    ...(sticker === undefined ? [] : [of('sticker', sticker)]),
    ...(shares?.data ?? []).map(({ link, name, template }) =>
      template === undefined ? of('link', link, name) : Attached.parse({ type: 'template', ...template }),
    ),
    ...(mention === undefined
      ? []
      : [Attached.parse({ type: 'story_mention', url: mention.link, payload: { story_media_id: mention.id } })]),
  ];
}

function kindOf(contentType: string): string {
  const [kind = ''] = contentType.split('/');
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'file';
}
