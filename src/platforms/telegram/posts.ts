import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import type { Hosts } from '../call.ts';
import type { Posts, PublishCall } from '../posts.ts';
import { unfit, unlessRefused } from '../shared/errors.ts';
import { platformOptions } from '../shared/options.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { filePart } from '../shared/upload.ts';
import { request, botOf, Done, Id, messageId, partsOf, sessionOf } from './api.ts';
import { faultOf } from './html.ts';
import { FORM, GIF, IMAGES, LARGEST_FILE, LARGEST_IMAGE, methodOf, shapeOf } from './files.ts';

export const LONGEST_TEXT = 4096;
export const LONGEST_CAPTION = 1024;
const MOST_ITEMS = 10;
const GIF_ALONE = 'Telegram accepts a GIF only as the single item of a post.';

const { optionsOf, checking } = platformOptions(
  'telegram',
  z.object({
    parse_mode: z.literal('HTML').optional().describe('The text is Telegram’s HTML.'),
    entities: z
      .array(z.record(z.string(), z.unknown()))
      .max(100)
      .optional()
      .describe('Formatting by position in the text.'),
    link_preview: z.boolean().optional(),
    disable_notification: z.boolean().optional(),
    protect_content: z.boolean().optional(),
    has_spoiler: z.boolean().optional(),
    show_caption_above_media: z.boolean().optional(),
  }),
);

const ENTITY = /&(?:lt|gt|amp|quot|#\d{1,7}|#x[\da-f]{1,6});/gi;

/** The text without markup, which the limits apply to. */
const displayText = (text: string, isHtml: boolean): string =>
  isHtml ? text.replaceAll(/<\/?[a-z][^<>]*>/gi, '').replaceAll(ENTITY, '.') : text;

const check = checking((post, { add, option }) => {
  const { text, media } = post;
  const { parse_mode, entities } = optionsOf(post);
  if (parse_mode !== undefined && entities !== undefined) option('entities', 'Send entities or HTML, not both.');
  const fault = parse_mode === 'HTML' ? faultOf(text) : undefined;
  if (fault !== undefined) add('text', `is not HTML that Telegram accepts: ${fault}`);
  const length = lengthOf(displayText(text, parse_mode === 'HTML'), 'utf16');
  if (media.length > 0 && length > LONGEST_CAPTION)
    add('text', `exceeds ${LONGEST_CAPTION} character limit of a caption (${length}/${LONGEST_CAPTION})`);
  const documents = media.filter(({ kind }) => kind === 'file').length;
  if (documents > 0 && documents < media.length)
    add('media', 'Telegram accepts albums of pictures and videos, or of documents only.');
  if (media.length > 1 && media.some(({ content_type: type }) => type === GIF)) add('media', GIF_ALONE);
});

const Message = z.object({ message_id: Id, chat: z.object({ id: Id, username: z.string().optional() }) });
const Sent = z.object({ chat: z.string(), username: z.string().optional(), ids: z.array(z.string()).min(1) });

/** Converts values to form fields: all but texts as JSON; undefined values are omitted. */
const formOf = (fields: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );

const sentOf = (...messages: readonly z.output<typeof Message>[]): z.output<typeof Sent> => ({
  chat: messages[0]!.chat.id,
  username: messages[0]!.chat.username,
  ids: messages.map(({ message_id }) => message_id),
});

const NO_CHANNEL = 'This bot has no channel: connect it again and name one.';

async function send(call: PublishCall): Promise<z.output<typeof Sent>> {
  const { channel } = sessionOf(call.session);
  if (channel === undefined) throw unfit(NO_CHANNEL);
  const { post } = call;
  const { parse_mode, entities, link_preview, has_spoiler, show_caption_above_media, ...others } = optionsOf(post);
  const common = { chat_id: channel.id, ...others };
  const bot = botOf(call);
  if (post.media.length === 0) {
    const preview = link_preview === false && { link_preview_options: { is_disabled: true } };
    const json = { ...common, text: post.text, parse_mode, entities, ...preview };
    return sentOf(await request(bot, 'sendMessage', { json }, Message));
  }
  const files = await Promise.all(
    post.media.map(async ({ ref, kind }, at) => {
      const media = await call.open(ref);
      return { shape: shapeOf(kind, media), part: filePart(`file${at}`, media) };
    }),
  );
  const looks = ({ shape }: (typeof files)[number]) =>
    shape === 'document' ? {} : { has_spoiler, show_caption_above_media };
  const caption = post.text === '' ? {} : { caption: post.text, parse_mode, caption_entities: entities };
  const [first, ...more] = files;
  if (more.length === 0) {
    const { shape, part } = first!;
    const form = formOf({ ...common, ...caption, ...looks(first!) });
    return sentOf(await request(bot, methodOf(shape), { form, file: { ...part, name: shape } }, Message));
  }
  if (files.some(({ shape }) => shape === 'animation')) throw unfit(GIF_ALONE);
  const media = files.map((file, at) => ({
    type: file.shape,
    media: `attach://${file.part.name}`,
    ...looks(file),
    ...(at === 0 && caption),
  }));
  const given = { form: formOf({ ...common, media }), file: files.map(({ part }) => part) };
  return sentOf(...(await request(bot, 'sendMediaGroup', given, z.array(Message).min(1))));
}

/** The public URL of a channel's message; if the channel has no username, only members can open it. */
function permalinkOf(hosts: Hosts, chat: string, username: string | undefined, message: string): string {
  return `${hosts['web']!}/${username ?? `c/${chat.replace(/^-100/, '')}`}/${message}`;
}

/** A post is one request and cannot be looked up, so the outcome of a lost response stays unknown. */
const SEND = defineStep({ name: 'send', kind: 'visible', result: Sent, run: send });

const IdsOf = z.object({ message_ids: z.array(z.string()) });

export const posts: Posts = {
  rules: {
    text: {
      max_length: LONGEST_TEXT,
      photo_max_length: LONGEST_CAPTION,
      video_max_length: LONGEST_CAPTION,
      counting_mode: 'utf16',
    },
    media: {
      max_image_size_bytes: LARGEST_IMAGE,
      max_video_size_bytes: LARGEST_FILE,
      supported_image_types: [...IMAGES, GIF],
      supported_video_types: ['video/mp4'],
      pictures: FORM,
      documents: ['application/pdf'],
      max_document_size_bytes: LARGEST_FILE,
      sources: ['media_id', 'url'],
    },
    carousel: { supported: true, min_items: 2, max_items: MOST_ITEMS, allow_video: true, images_only: false },
    text_only: true,
    threads: { supported: false, max_segments: 1 },
    first_comment: false,
    visibilities: ['public'],
  },
  check,
  hindrance: ({ channel_id: channel }) => (channel === undefined ? NO_CHANNEL : undefined),
  publish: defineSteps({
    steps: () => [SEND],
    settles: false,
    finish(done, hosts) {
      const { chat, username, ids } = SEND.resultIn(done);
      return {
        platform_post_id: messageId(chat, ids[0]!),
        permalink: permalinkOf(hosts, chat, username, ids[0]!),
        metadata: { message_ids: ids },
      };
    },
  }),
  async remove(call, post, metadata) {
    const { chat, message } = partsOf(post);
    const ids = IdsOf.safeParse(metadata).data?.message_ids.map(Number) ?? [message];
    const json = { chat_id: chat, message_ids: ids };
    await unlessRefused(request(botOf(call), 'deleteMessages', { json }, Done), 'not_found');
  },
};
