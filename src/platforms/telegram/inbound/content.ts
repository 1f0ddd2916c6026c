/** Reads the content of Bot API messages; which member holds it depends on the kind of message. */
import * as z from 'zod';
import type { MessageContent, PlatformComment } from '../../inbox-types.ts';
import { text, word } from '../../shared/fields.ts';
import {
  contactsContent,
  type Content,
  locationContent,
  namedContent,
  pollContent,
  storyContent,
  unsupportedContent,
} from '../../shared/inbox/content.ts';
import { richLinks, richWords } from './rich.ts';
import { nameOf, type MessageFields } from './update.ts';

type Kind = (value: unknown) => Content | undefined;

const reads =
  <T extends z.ZodType>(shape: T, content: (value: z.output<T>) => Content): Kind =>
  (value) => {
    const { data, success } = shape.safeParse(value);
    return success ? content(data) : undefined;
  };

const File = z.object({ file_id: z.string() });
type File = z.output<typeof File>;

/** Files get a reference and not a URL, because URLs contain the bot's token. */
const named = (type: string, files: readonly (File | undefined)[]) =>
  files.flatMap((file) => (file === undefined ? [] : [{ type, ref: file.file_id }]));

const fileContent = (words: string, attachments: Content['attachments'], metadata = {}): Content => ({
  text: words,
  attachments,
  metadata,
});
const fileKind = (type: string, words: string, metadata = {}): Kind =>
  reads(File, (one) => fileContent(words, named(type, [one]), metadata));

/** A picture in several sizes, of which the last is the largest. */
const Sizes = z.array(File).transform((sizes) => sizes.at(-1));
const maybeSizes = Sizes.optional().catch(undefined);

const Coordinates = z.looseObject({ latitude: z.number(), longitude: z.number() });
const Card = z.looseObject({ phone_number: word, first_name: word, last_name: text });
const Paid = z.object({
  star_count: z.number().catch(0),
  paid_media: z.array(z.object({ photo: maybeSizes, video: File.optional().catch(undefined) })),
});
const titled = z.looseObject({ title: word });
const Gift = z.object({
  gift: z.object({ id: text, base_name: text, name: text, star_count: z.number().optional().catch(undefined) }),
  text,
});

function paidContent({ star_count, paid_media: items }: z.output<typeof Paid>): Content {
  const files = items.flatMap(({ photo, video }) => [...named('image', [photo]), ...named('video', [video])]);
  return fileContent('Sent paid media', files, { paid_media: { star_count, count: items.length } });
}

function giftContent({ gift, text: words }: z.output<typeof Gift>): Content {
  const { base_name: base, ...known } = gift;
  const title = [base, words].filter(Boolean).join(', ');
  return namedContent(`Sent a gift${title && `: ${title}`}`, { gift: { ...known, base_name: base, text: words } });
}

/** An amount in words for people; Telegram sends minor units, or a number of its stars. */
function amountIn({ currency, total_amount: amount }: Readonly<{ currency: string; total_amount: number }>): string {
  if (currency === 'XTR') return `${amount} stars`;
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
const Payment = z.looseObject({ currency: z.string().regex(/^[A-Z]{3}$/), total_amount: z.number() });

const after = (words: string, title: string): string => `${words}${title && `: ${title}`}`;
const titledKind = (name: string, words: string): Kind =>
  reads(titled, (one) => namedContent(after(words, one.title), { [name]: one }));

/** How to read each kind of content; if a message has several, the first in this list counts. */
export const KINDS: Readonly<Record<string, Kind>> = Object.freeze({
  animation: fileKind('video', 'Sent a video'),
  live_photo: reads(File.extend({ photo: maybeSizes }), ({ photo, ...video }) =>
    fileContent('Sent a picture', [...named('image', [photo]), ...named('video', [video])]),
  ),
  photo: reads(Sizes, (photo) => fileContent('Sent a picture', named('image', [photo]))),
  video: fileKind('video', 'Sent a video'),
  video_note: fileKind('video', 'Sent a video'),
  audio: fileKind('audio', 'Sent an audio file'),
  voice: fileKind('audio', 'Sent a voice message', { voice: true }),
  document: fileKind('file', 'Sent a file'),
  sticker: reads(File.extend({ emoji: text }), ({ emoji, ...file }) =>
    fileContent(after('Sent a sticker', emoji ?? ''), named('image', [file]), { sticker: { emoji } }),
  ),
  paid_media: reads(Paid, paidContent),
  rich_message: reads(z.object({ blocks: z.array(z.unknown()) }), ({ blocks }) => {
    const words = richWords(blocks);
    return words === '' ? unsupportedContent('rich_message') : namedContent(words, linked(richLinks(blocks)));
  }),
  venue: reads(z.looseObject({ location: Coordinates, title: word, address: text }), ({ location, title, address }) =>
    locationContent({ ...location, name: title, address }),
  ),
  location: reads(Coordinates, locationContent),
  contact: reads(Card, (card) => contactsContent([card], (one) => nameOf(one) || one.phone_number)),
  poll: reads(z.object({ question: word, options: z.array(z.object({ text: word })) }), ({ question, options }) =>
    pollContent({ question, options: options.map(({ text: option }) => option) }),
  ),
  dice: reads(z.object({ emoji: word, value: z.number() }), (dice) =>
    namedContent(`Rolled ${dice.emoji || 'a dice'}: ${dice.value}`, { dice }),
  ),
  story: reads(z.looseObject({}), (story) => storyContent(story)),
  game: titledKind('game', 'Shared a game'),
  checklist: titledKind('checklist', 'Sent a checklist'),
  invoice: titledKind('invoice', 'Sent an invoice'),
  successful_payment: reads(Payment, (payment) =>
    namedContent(`Paid ${amountIn(payment)}`, { successful_payment: payment }),
  ),
  users_shared: reads(z.looseObject({ users: z.array(Card.omit({ phone_number: true })) }), (shared) =>
    namedContent(after('Shared people', shared.users.map(nameOf).filter(Boolean).join(', ')), { users_shared: shared }),
  ),
  chat_shared: titledKind('chat_shared', 'Shared a chat'),
  web_app_data: reads(z.object({ data: word, button_text: word }), (sent) =>
    namedContent(after('Sent data of a web app', sent.button_text), { web_app_data: sent }),
  ),
  gift: reads(Gift, giftContent),
  unique_gift: reads(Gift, giftContent),
  giveaway: titledKind('giveaway', 'Shared a giveaway'),
  giveaway_winners: titledKind('giveaway_winners', 'Shared the winners of a giveaway'),
  passport_data: () => unsupportedContent('passport_data'),
});

/** Members that are not content: they describe a message or contain its text. */
export const ABOUT: ReadonlySet<string> = new Set(
  [
    'message_id message_thread_id date edit_date chat from sender_chat sender_tag sender_boost_count',
    'sender_business_bot business_connection_id guest_query_id guest_bot_caller_user guest_bot_caller_chat via_bot',
    'is_topic_message direct_messages_topic receiver_user ephemeral_message_id is_from_offline is_paid_post',
    'forward_origin is_automatic_forward reply_to_message external_reply quote reply_to_story',
    'reply_to_checklist_task_id reply_to_poll_option_id has_protected_content author_signature effect_id',
    'paid_star_count suggested_post_info reply_markup link_preview_options show_caption_above_media',
    'has_media_spoiler media_group_id text entities caption caption_entities',
  ].flatMap((line) => line.split(' ')),
);

/** The content of a message besides its text; undefined if there is none. */
function kindIn(message: MessageFields): Content | undefined {
  for (const [name, kind] of Object.entries(KINDS)) {
    const content = message[name] === undefined ? undefined : kind(message[name]);
    if (content !== undefined) return content;
  }
  if ((message.text ?? message.caption ?? '') !== '') return undefined;
  return unsupportedContent(Object.keys(message).find((name) => !ABOUT.has(name)) ?? 'unknown');
}

/** The links that are set behind words of a text. */
function linksIn({ text: message, entities, caption, caption_entities }: MessageFields) {
  const words = message ?? caption ?? '';
  const links = (message === undefined ? caption_entities : entities) ?? [];
  return links.flatMap(({ type, offset, length, url }) =>
    type === 'text_link' && url ? [{ text: words.slice(offset, offset + length), url }] : [],
  );
}

function metadataOf(message: MessageFields, { metadata }: Pick<MessageContent, 'metadata'> = {}) {
  const { reply_to_story: story } = message;
  return { ...(story && { story }), ...linked(linksIn(message)), ...metadata };
}

/** Metadata with the links of a message; without any, the links from before an edit are removed. */
function linked<T>(links: readonly T[]): Readonly<{ links: readonly T[] | undefined }> {
  return { links: links.length > 0 ? links : undefined };
}

export function contentOf(message: MessageFields): Pick<MessageContent, 'text' | 'attachments' | 'metadata'> {
  const kind = kindIn(message);
  const { attachments = [] } = kind ?? {};
  const content = message.text ?? message.caption ?? '';
  const words = attachments.length > 0 ? '' : (kind?.text ?? '');
  return { text: content || words, attachments, metadata: metadataOf(message, kind) };
}

/** The content of a comment; files are listed only by type, because they have no public URL. */
export function commentContentOf(message: MessageFields): Pick<PlatformComment, 'text' | 'media' | 'metadata'> {
  const kind = kindIn(message);
  const files = kind?.attachments.map(({ type }) => ({ type })) ?? [];
  const metadata = { ...metadataOf(message, kind), ...(files.length > 0 && { attachments: files }) };
  return { text: message.text || message.caption || (kind?.text ?? ''), media: [], metadata };
}
