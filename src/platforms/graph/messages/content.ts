/** Reads the content of Messenger and Instagram messages in the form that pushes and lists share. */
import * as z from 'zod';
import { maybePushedId } from '../fields.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { MessageAttachment } from '../../inbox-types.ts';
import { text } from '../../shared/fields.ts';
import {
  type Content,
  locationContent,
  productsContent,
  sharedContent,
  storyContent,
  unsupportedContent,
} from '../../shared/inbox/content.ts';

const number = z.number().optional().catch(undefined);
const Elements = z
  .array(z.looseObject({ title: text }))
  .optional()
  .catch(undefined);
const Cards = z.object({ elements: Elements }).optional().catch(undefined);

const Payload = z.object({
  url: text,
  title: text,
  text,
  elements: Elements,
  generic: Cards,
  product: Cards,
  coordinates: z.object({ lat: number, long: number }).optional().catch(undefined),
  sticker_id: maybePushedId,
  ig_post_media_id: maybePushedId,
  reel_video_id: maybePushedId,
  story_media_id: maybePushedId,
  story_media_url: text,
  booking_id: maybePushedId,
  status: text,
  start_time: number,
  end_time: number,
  timezone: text,
});

export const Attached = z.object({
  type: z.string().catch('file'),
  title: text,
  url: text,
  payload: Payload.optional().catch(undefined),
});
export type Attached = z.output<typeof Attached>;

const Story = z.object({ id: maybePushedId, url: text });

/** What a message replies to: another message or a story. */
export const Answered = z
  .object({ mid: maybePushedId, story: Story.optional().catch(undefined) })
  .optional()
  .catch(undefined);

/** An attachment whose URL and title were taken from wherever the platform put them. */
type Piece = Readonly<{
  type: string;
  url: string | undefined;
  title: string | undefined;
  payload: Readonly<z.output<typeof Payload>>;
}>;
type Reading = (piece: Piece) => Content;

const plain = (words: string, attachment?: MessageAttachment): Content => ({
  text: words,
  attachments: attachment === undefined ? [] : [attachment],
  metadata: {},
});

const withFile = (content: Content, { type, url }: Piece): Content => ({
  ...content,
  attachments: url === undefined ? [] : [{ type, url }],
});

/** Shows an attachment by its URL alone; without a URL it is unsupported. */
const file: Reading = ({ type, url }) => (url === undefined ? unsupportedContent(type) : plain('', { type, url }));

/** Reads something forwarded; `idOf` returns the id that the API uses for it. */
function shared(what: string, idOf: (payload: Piece['payload']) => string | undefined = () => undefined): Reading {
  return (piece) => {
    const { type, url, title, payload } = piece;
    const id = idOf(payload);
    if (url === undefined && title === undefined && id === undefined) return unsupportedContent(type);
    return withFile(sharedContent(what, { type, id, title, url }), piece);
  };
}

const post = shared('a post', ({ ig_post_media_id: id }) => id);
const reel = shared('a reel', ({ reel_video_id: id }) => id);

const story: Reading = (piece) => {
  const { story_media_id: id, story_media_url: url = piece.url } = piece.payload;
  if (id === undefined && url === undefined) return unsupportedContent(piece.type);
  return withFile(storyContent({ id, url }), { ...piece, url });
};

/** The text of a template message; forwarded products arrive as templates too. */
const template: Reading = (piece) => {
  const { product, generic, elements, text: words } = piece.payload;
  if (product?.elements?.length) return productsContent(product.elements, ({ title }) => title ?? '');
  const [card] = generic?.elements ?? elements ?? [];
  const text = words ?? card?.title ?? piece.title;
  return text === undefined ? file(piece) : withFile(plain(text), piece);
};

const READINGS = new Map<string, Reading>([
  ['fallback', shared('a link')],
  ['link', shared('a link')],
  ['share', post],
  ['ig_post', post],
  ['post', post],
  ['media', post],
  ['reel', reel],
  ['ig_reel', reel],
  ['story', story],
  ['ig_story', story],
  [
    'story_mention',
    (piece) => {
      const mention = { id: piece.payload.story_media_id, url: piece.url };
      return withFile(storyContent(mention, 'Mentioned you in a story'), piece);
    },
  ],
  ['sticker', (piece) => file({ ...piece, type: piece.url === undefined ? piece.type : 'image' })],
  ['like_heart', () => plain('❤️')],
  ['template', template],
  [
    'location',
    ({ title: name, payload }) =>
      locationContent({ latitude: payload.coordinates?.lat, longitude: payload.coordinates?.long, name }),
  ],
  [
    'appointment_booking',
    ({ payload: { booking_id: id, status, start_time, end_time, timezone } }) => ({
      ...plain(['Appointment', status].filter(Boolean).join(' ')),
      metadata: { appointment: { id, status, start_time, end_time, timezone } },
    }),
  ],
]);

const NO_PAYLOAD = Payload.parse({});

function readAttached({ type, title, url, payload = NO_PAYLOAD }: Attached): Content {
  const piece = { type, url: (payload.url ?? url) || undefined, title: (payload.title ?? title) || undefined, payload };
  const content = (READINGS.get(type) ?? file)(piece);
  const { sticker_id: id } = payload;
  return id === undefined ? content : { ...content, metadata: { ...content.metadata, sticker: { id } } };
}

/** While Meta introduces new types for posts and stickers, it also attaches them under the older type. */
function withoutCopies(attached: readonly Attached[]): readonly Attached[] {
  const has = (wanted: string) => attached.some(({ type }) => type === wanted);
  return attached.filter(({ type, payload }) => {
    if (type === 'share') return !has('ig_post');
    return type !== 'image' || payload?.sticker_id === undefined || !has('sticker');
  });
}

type MessageText = Readonly<{
  text: string;
  attached: readonly Attached[];
  story: Readonly<z.output<typeof Story>> | undefined;
  isUnsupported: boolean;
}>;

/** The message's own text, or a short description if it has none. */
export function contentIn({ text: words, attached, story: answered, isUnsupported }: MessageText): Content {
  const parts = withoutCopies(attached).map(readAttached);
  if (isUnsupported && parts.every(({ metadata }) => metadata['unsupported'] === undefined))
    parts.push(unsupportedContent('unknown'));
  const attachments = parts.flatMap((part) => part.attachments);
  const described = [...new Set(parts.map((part) => part.text))].filter(Boolean).join('\n');
  const reply = answered === undefined || attachments.length > 0 ? '' : 'Replied to your story';
  const metadata = Object.assign({}, ...parts.map((part) => part.metadata)) as Content['metadata'];
  return {
    text: words || described || reply,
    attachments,
    metadata: { ...metadata, ...(answered && { story: answered }) },
  };
}

const EMOJIS = tableOf({
  love: '❤️',
  smile: '😀',
  laugh: '😆',
  wow: '😮',
  sad: '😢',
  angry: '😠',
  like: '👍',
  dislike: '👎',
});

export const Reaction = z.object({ emoji: text, reaction: text });

/** The emoji of a reaction, which Meta sometimes sends only by name. */
export const emojiOf = ({ emoji, reaction = '' }: z.output<typeof Reaction>): string =>
  emoji || (EMOJIS.get(reaction) ?? reaction);
