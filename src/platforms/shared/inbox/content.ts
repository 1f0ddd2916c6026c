/** Messages other than texts and files: a description for people as text, the data for programs as metadata. */
import type { MessageContent, PlatformComment } from '../../inbox-types.ts';

export type Content = MessageContent & Readonly<{ metadata: Readonly<Record<string, unknown>> }>;

/** Content that has a name of its own on the platform; metadata holds its data under that name. */
export const namedContent = (text: string, metadata: Content['metadata']): Content => ({
  text,
  attachments: [],
  metadata,
});

function sharing(what: string, names: readonly (string | undefined)[], metadata: Content['metadata']): Content {
  const listed = names.filter(Boolean).join(', ');
  return namedContent(`Shared ${what}${listed && `: ${listed}`}`, metadata);
}

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
  return sharing('a location', name || address ? [name, address] : [coordinates], { location });
}

/** Contact cards: "Shared a contact: Ann, Ben". */
export function contactsContent<T>(contacts: readonly T[], nameOf: (contact: T) => string): Content {
  return sharing(contacts.length > 1 ? 'contacts' : 'a contact', contacts.map(nameOf), { contacts });
}

/** A poll: "Sent a poll: Tea or coffee?". */
export function pollContent(poll: Readonly<{ question: string; options: readonly string[] }>): Content {
  return namedContent(`Sent a poll${poll.question && `: ${poll.question}`}`, { poll });
}

/** A story that a message shares, mentions or replies to, if the message itself has no text. */
export function storyContent(story: Readonly<Record<string, unknown>>, what = 'Shared a story'): Content {
  return namedContent(what, { story });
}

/** A forwarded post, reel or link: "Shared a post: Autumn". */
export function sharedContent(
  what: string,
  shared: Readonly<{ type: string; id?: string | undefined; title?: string | undefined; url?: string | undefined }>,
): Content {
  return sharing(what, [shared.title], { shared });
}

/** Products of a shop: "Shared a product: Rye bread". */
export function productsContent<T>(products: readonly T[], nameOf: (product: T) => string): Content {
  return sharing(products.length > 1 ? 'products' : 'a product', products.map(nameOf), { products });
}

/** Content that Rostra cannot read; `type` is the platform's name for it. */
export function unsupportedContent(type: string, more: Readonly<Record<string, unknown>> = {}): Content {
  const known = type === 'unknown' ? '' : ` (${type.replaceAll('_', ' ').slice(0, 50)})`;
  return namedContent(`Sent something that cannot be shown here${known}`, { unsupported: { type, ...more } });
}

/** Metadata members that describe a message without text or files. */
const NAMED = ['location', 'contacts', 'poll', 'story', 'order', 'unsupported'] as const;

const isNamed = (metadata: MessageContent['metadata']) => NAMED.some((name) => metadata?.[name] !== undefined);

/** Marks a message as unsupported if it has no text, no files and no descriptive metadata. */
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
