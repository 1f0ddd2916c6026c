/** Messages that are neither text nor a file: in words for people, in metadata for programs. */
import type { MessageContent, PlatformComment } from '../../inbox-types.ts';

export type Content = MessageContent & Readonly<{ metadata: Readonly<Record<string, unknown>> }>;

/** Content with its own name on the platform: a short text, with the data under that name. */
export const namedContent = (text: string, metadata: Content['metadata']): Content => ({
  text,
  attachments: [],
  metadata,
});

export type Location = Readonly<{
  latitude?: number | undefined;
  longitude?: number | undefined;
  name?: string | undefined;
  address?: string | undefined;
}>;

/** A location: "Shared a location: Café, Street 1". */
export function locationContent(location: Location): Content {
  const { latitude, longitude, name, address } = location;
  const coordinates = latitude !== undefined && longitude !== undefined ? `${latitude}, ${longitude}` : '';
  const place = [name, address].filter(Boolean).join(', ') || coordinates;
  return namedContent(`Shared a location${place && `: ${place}`}`, { location });
}

/** Contact cards: "Shared a contact: Ann, Ben". */
export function contactsContent<T>(contacts: readonly T[], nameOf: (contact: T) => string): Content {
  const names = contacts.map(nameOf).filter(Boolean).join(', ');
  const what = contacts.length > 1 ? 'contacts' : 'a contact';
  return namedContent(`Shared ${what}${names && `: ${names}`}`, { contacts });
}

/** A poll: "Sent a poll: Tea or coffee?". */
export function pollContent(poll: Readonly<{ question: string; options: readonly string[] }>): Content {
  return namedContent(`Sent a poll${poll.question && `: ${poll.question}`}`, { poll });
}

/** A story that a message shares, mentions or answers, if the message itself has no text. */
export function storyContent(story: Readonly<Record<string, unknown>>, what = 'Shared a story'): Content {
  return namedContent(what, { story });
}

/** A post, reel or link that was passed on: "Shared a post: Autumn". */
export function sharedContent(
  what: string,
  shared: Readonly<{ type: string; id?: string | undefined; title?: string | undefined; url?: string | undefined }>,
): Content {
  return namedContent(`Shared ${what}${shared.title ? `: ${shared.title}` : ''}`, { shared });
}

/** Products of a shop: "Shared a product: Rye bread". */
export function productsContent<T>(products: readonly T[], nameOf: (product: T) => string): Content {
  const names = products.map(nameOf).filter(Boolean).join(', ');
  const what = products.length > 1 ? 'products' : 'a product';
  return namedContent(`Shared ${what}${names && `: ${names}`}`, { products });
}

/** What cannot be read here, by the platform's own type of it. */
export function unsupportedContent(type: string, more: Readonly<Record<string, unknown>> = {}): Content {
  const known = type === 'unknown' ? '' : ` (${type.replaceAll('_', ' ').slice(0, 50)})`;
  return namedContent(`Sent something that cannot be shown here${known}`, { unsupported: { type, ...more } });
}

/** Metadata members that name what a message without text and files is. */
const NAMED = ['location', 'contacts', 'poll', 'story', 'order', 'unsupported'] as const;

const isNamed = (metadata: MessageContent['metadata']) => NAMED.some((name) => metadata?.[name] !== undefined);

/** Marks a message as unsupported if it has no text, files or anything that names what it is. */
export function markedMessage<T extends MessageContent>(message: T): T {
  const { text, attachments, metadata } = message;
  return text.trim() === '' && attachments.length === 0 && !isNamed(metadata)
    ? { ...message, ...unread(message) }
    : message;
}

export function markedComment(comment: PlatformComment): PlatformComment {
  const { text, media, metadata } = comment;
  return text.trim() === '' && media.length === 0 && !isNamed(metadata) ? { ...comment, ...unread(comment) } : comment;
}

function unread({ metadata }: Pick<MessageContent, 'metadata'>) {
  const content = unsupportedContent('unknown');
  return { text: content.text, metadata: { ...metadata, ...content.metadata } };
}
