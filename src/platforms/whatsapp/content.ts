import * as z from 'zod';
import type { MessageAttachment, MessageContent } from '../records.ts';
import { text, word } from '../shared/fields.ts';
import { refOf } from './messages.ts';

const Media = z.object({ id: z.string().min(1), caption: word, filename: text, voice: z.boolean().optional() });
const media = Media.optional().catch(undefined);
const titled = z.object({ id: word, title: word, description: text }).optional().catch(undefined);

/** What a message holds; the member that its type names counts. */
export const Content = z.object({
  text: z.object({ body: word }).optional().catch(undefined),
  image: media,
  video: media,
  audio: media,
  document: media,
  sticker: media,
  location: z.looseObject({ name: text, address: text }).optional().catch(undefined),
  contacts: z
    .array(z.looseObject({ name: z.looseObject({ formatted_name: word }).catch({ formatted_name: '' }) }))
    .optional()
    .catch(undefined),
  order: z.looseObject({ text: word }).optional().catch(undefined),
  button: z.object({ payload: word, text: word }).optional().catch(undefined),
  interactive: z
    .object({
      button_reply: titled,
      list_reply: titled,
      nfm_reply: z.object({ body: word, response_json: word }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  errors: z.array(z.record(z.string(), z.unknown())).optional().catch(undefined),
});
type Content = z.output<typeof Content>;

/** What we call a kind of media. */
const TYPES = Object.freeze({
  image: 'image',
  sticker: 'image',
  video: 'video',
  audio: 'audio',
  document: 'file',
});

/** A button, a row of a list or the end of a form that was tapped; undefined for another message. */
export function tapIn({ button, interactive }: Content) {
  if (button) return { title: button.text, payload: button.payload, metadata: {} };
  const { button_reply, list_reply, nfm_reply: form } = interactive ?? {};
  if (form) return { title: form.body, payload: form.response_json, metadata: {} };
  const tapped = button_reply ?? list_reply;
  if (tapped === undefined) return undefined;
  const { id: payload, title, description } = tapped;
  return { title, payload, metadata: { ...(description !== undefined && { description }) } };
}

/** The words, files and further things of a message. */
export function contentIn(content: Content): MessageContent {
  const { location, contacts, order, errors } = content;
  const files = Object.entries(TYPES).flatMap(([name, type]): (z.output<typeof Media> & MessageAttachment)[] => {
    const one = content[name as keyof typeof TYPES];
    return one === undefined ? [] : [{ ...one, type, ref: refOf(one.id, one.filename) }];
  });
  const place = [location?.name, location?.address].filter(Boolean).join(', ');
  const names = contacts?.map(({ name }) => name.formatted_name).join(', ');
  const words = [content.text?.body, files[0]?.caption, place, names, order?.text];
  return {
    text: words.find(Boolean) ?? '',
    attachments: files.map(({ type, ref }) => ({ type, ref })),
    metadata: {
      ...(files[0]?.voice && { voice: true }),
      ...(location && { location }),
      ...(contacts && { contacts }),
      ...(order && { order }),
      // WhatsApp says that there is something which it does not pass on.
      ...(errors?.[0] && { unsupported: errors[0] }),
    },
  };
}
