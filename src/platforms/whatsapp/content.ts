import * as z from 'zod';
import type { MessageAttachment, MessageContent } from '../inbox-types.ts';
import { text, word } from '../shared/fields.ts';
import { contactsContent, locationContent, namedContent, unsupportedContent } from '../shared/inbox/content.ts';
import { refOf } from './messages.ts';

const Media = z.object({ id: text, caption: word, filename: text, voice: z.boolean().optional() });
const media = Media.optional().catch(undefined);
const titled = z.object({ id: word, title: word, description: text }).optional().catch(undefined);

/** The content of a message; its type is the name of the member that holds it. */
export const Content = z.object({
  type: z.string(),
  text: z.object({ body: word }).optional().catch(undefined),
  image: media,
  video: media,
  audio: media,
  document: media,
  sticker: media,
  location: z
    .looseObject({ name: text, address: text, latitude: z.number(), longitude: z.number() })
    .optional()
    .catch(undefined),
  contacts: z
    .array(z.looseObject({ name: z.looseObject({ formatted_name: word }).catch({ formatted_name: '' }) }))
    .optional()
    .catch(undefined),
  order: z
    .looseObject({ text: word, product_items: z.array(z.unknown()).catch([]) })
    .optional()
    .catch(undefined),
  button: z.object({ payload: word, text: word }).optional().catch(undefined),
  interactive: z
    .object({
      type: text,
      button_reply: titled,
      list_reply: titled,
      nfm_reply: z.object({ body: word, response_json: word }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  unsupported: z.object({ type: text }).optional().catch(undefined),
  errors: z.array(z.record(z.string(), z.unknown())).optional().catch(undefined),
});
type Content = z.output<typeof Content>;

const TYPES = Object.freeze({
  image: 'image',
  sticker: 'image',
  video: 'video',
  audio: 'audio',
  document: 'file',
});

/** The button or list row that a person tapped, or the form they sent; undefined for other messages. */
export function tapIn({ button, interactive }: Content) {
  if (button) return { title: button.text, payload: button.payload, metadata: {} };
  const { button_reply, list_reply, nfm_reply: form } = interactive ?? {};
  if (form) return { title: form.body, payload: form.response_json, metadata: {} };
  const tapped = button_reply ?? list_reply;
  if (tapped === undefined) return undefined;
  const { id: payload, title, description } = tapped;
  return { title, payload, metadata: { ...(description !== undefined && { description }) } };
}

/** The placeholder for a message whose content WhatsApp does not deliver. */
function unreadContent({ type, interactive, unsupported, errors }: Content) {
  const inner = { interactive: interactive?.type, unsupported: unsupported?.type ?? 'unknown' };
  const named = (type === 'interactive' || type === 'unsupported' ? inner[type] : undefined) ?? type;
  return unsupportedContent(named, errors?.[0]);
}

function kindIn(content: Content) {
  const { location, contacts, order } = content;
  if (location) return locationContent(location);
  if (contacts) return contactsContent(contacts, ({ name }) => name.formatted_name);
  if (order === undefined) return undefined;
  const count = order.product_items.length;
  return namedContent(order.text || `Placed an order of ${count} ${count === 1 ? 'product' : 'products'}`, { order });
}

export function contentIn(content: Content): MessageContent {
  const given = Object.entries(TYPES).flatMap(([name, type]) => {
    const one = content[name as keyof typeof TYPES];
    return one === undefined ? [] : [{ ...one, type }];
  });
  const attachments = given.flatMap(({ id, filename, type }): readonly MessageAttachment[] =>
    id ? [{ type, ref: refOf(id, filename) }] : [],
  );
  const words = content.text?.body || given[0]?.caption || '';
  const kind = kindIn(content) ?? (words === '' && attachments.length === 0 ? unreadContent(content) : undefined);
  return {
    text: words || (kind?.text ?? ''),
    attachments,
    metadata: { ...(given[0]?.voice && { voice: true }), ...kind?.metadata },
  };
}
