/** Message content other than text and files, in Meta's format. */
import type { Message, Piece } from '../docs.ts';

type Sent = Partial<Pick<Message, 'text' | 'pieces' | 'unsupported' | 'commands'>>;

const POST = Object.freeze({ ig_post_media_id: '17900000000000007', title: 'Autumn at the harbour' });
const REEL = Object.freeze({ reel_video_id: '17900000000000008', title: 'How we bake' });
const PRODUCT = Object.freeze({ id: '77', retailer_id: 'rye-1', title: 'Rye bread', subtitle: '4.50' });

const piece = (type: string, payload?: object, more: Partial<Piece> = {}): Sent => ({
  pieces: [{ type, ...(payload && { payload }), ...more }],
});

/** Makes the content of each kind; the URL is that of a sample picture. */
const KINDS = new Map<string, (url: string) => Sent>(
  Object.entries({
    image: (url: string) => piece('image', { url }),
    video: (url: string) => piece('video', { url }),
    audio: (url: string) => piece('audio', { url }),
    file: (url: string) => piece('file', { url }),
    sticker: (url: string) => piece('sticker', { url, sticker_id: 369_239_263_222_822 }),
    location: () => piece('location', { coordinates: { lat: 53.54, long: 9.98 } }, { title: 'Harbour Street 1' }),
    fallback: (url: string) => piece('fallback', undefined, { title: 'A page', url }),
    template: (url: string) => piece('template', { product: { elements: [{ ...PRODUCT, image_url: url }] } }),
    share: (url: string) => piece('share', { ...POST, url }),
    ig_post: (url: string) => piece('ig_post', { ...POST, url }),
    post: (url: string) => piece('post', { title: POST.title, url }),
    ig_reel: (url: string) => piece('ig_reel', { ...REEL, url }),
    reel: (url: string) => piece('reel', { ...REEL, url }),
    ig_story: (url: string) => piece('ig_story', { story_media_id: '17900000000000009', story_media_url: url }),
    story: (url: string) => piece('story', { url }),
    ephemeral: () => piece('ephemeral'),
    appointment_booking: () => {
      const when = { start_time: 1_739_612_400, end_time: 1_739_616_000, timezone: 'Europe/Berlin' };
      return piece('appointment_booking', { booking_id: '5', status: 'requested', ...when });
    },
    commands: () => ({ commands: [{ name: 'menu' }] }),
    is_unsupported: () => ({ unsupported: true }),
  }),
).set('like_heart', () => piece('like_heart'));

export const MESSENGER_KINDS: readonly string[] = Object.freeze([
  'image',
  'video',
  'audio',
  'file',
  'sticker',
  'location',
  'fallback',
  'template',
  'post',
  'ig_post',
  'reel',
  'ig_reel',
  'appointment_booking',
  'commands',
  'is_unsupported',
]);

export const INSTAGRAM_KINDS: readonly string[] = Object.freeze([
  'image',
  'video',
  'audio',
  'file',
  'sticker',
  'template',
  'share',
  'ig_post',
  'reel',
  'ig_reel',
  'story',
  'ig_story',
  'ephemeral',
  'like_heart',
  'is_unsupported',
]);

export const sentAs = (kind: string, url: string): Sent => KINDS.get(kind)?.(url) ?? {};

type Presented = Readonly<{ url?: string; title?: string; product?: object }>;

const presentedIn = ({ payload = {} }: Piece): Presented => payload as Presented;

const SHARED: ReadonlySet<string> = new Set([
  'fallback',
  'share',
  'ig_post',
  'post',
  'reel',
  'ig_reel',
  'ig_story',
  'story',
]);

export function sharesOf({ pieces }: Message): object | undefined {
  const shares = pieces.flatMap((one): readonly object[] => {
    const { url = one.url, title = one.title, product } = presentedIn(one);
    if (product !== undefined) return [{ template: { payload: { product } } }];
    return SHARED.has(one.type) && url !== undefined ? [{ link: url, name: title }] : [];
  });
  return shares.length === 0 ? undefined : { data: shares };
}

export const stickerOf = ({ pieces }: Message): string | undefined => {
  const sticker = pieces.find(({ type }) => type === 'sticker');
  return sticker && presentedIn(sticker).url;
};

export function storyOf({ pieces, story }: Message): object | undefined {
  if (story !== undefined) return { reply_to: { link: story.url, id: story.id } };
  const mention = pieces.find(({ type }) => type === 'story_mention');
  return mention && { mention: { link: presentedIn(mention).url, id: mention.story } };
}

export const addressOf = (one: Piece): string | undefined =>
  ['image', 'video', 'audio', 'file'].includes(one.type) ? presentedIn(one).url : undefined;
