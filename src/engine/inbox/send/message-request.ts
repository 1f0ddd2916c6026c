import type { MediaRef } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import { fail } from '#kernel/errors.ts';
import { notSupported } from '#platforms/lookup.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import type { Bubble, MessageButton, MessageParts } from '#platforms/messages.ts';
import { refuseLong } from './text-rules.ts';

type Attached = MediaRef & Readonly<{ caption?: string | undefined; voice?: boolean | undefined }>;

type Card = Readonly<{
  title: string;
  subtitle?: string | undefined;
  image_url?: string | undefined;
  buttons?: readonly MessageButton[] | undefined;
}>;

type Section = Readonly<{
  title?: string | undefined;
  rows: readonly Readonly<{ id: string; title: string; description?: string | undefined }>[];
}>;

export type MessageRequest = Readonly<{
  text?: string | undefined;
  attachments?: readonly Attached[] | undefined;
  attachment_url?: string | undefined;
  buttons?: readonly MessageButton[] | undefined;
  cards?: readonly Card[] | undefined;
  quick_replies?: readonly Readonly<{ title: string; payload?: string | undefined }>[] | undefined;
  list_button?: string | undefined;
  list_sections?: readonly Section[] | undefined;
  message_tag?: string | undefined;
}>;

const MOST_ROWS = 10;
const TEMPLATES = ['buttons', 'cards', 'quick_replies', 'list_sections'] as const;
type Template = (typeof TEMPLATES)[number];
const PARTS = {
  buttons: 'buttons',
  cards: 'cards',
  quick_replies: 'quick_replies',
  list_sections: 'lists',
} as const satisfies Record<Template, keyof MessageParts>;

const has = (request: MessageRequest, name: Template): boolean => (request[name]?.length ?? 0) > 0;

const invalid = (field: string, message: string): never =>
  fail('validation.field_invalid', { message: `${field}: ${message}`, meta: { field } });
const required = (field: string, because: string): never =>
  fail('validation.field_required', { message: `${field} is required ${because}.`, meta: { field } });

/** The attachments of a message; `attachment_url` is a short form for a single one. */
export function attachmentsOf({ attachments, attachment_url }: MessageRequest): readonly Attached[] {
  if (attachments !== undefined && attachments.length > 0) return attachments;
  return attachment_url === undefined ? [] : [{ source: attachment_url, source_type: 'url' }];
}

export function attachmentField({ attachments }: MessageRequest, at: number): string {
  return attachments?.length ? `attachments.${at}` : 'attachment_url';
}

/** Refuses requests that no platform could send. */
export function checkRequest(request: MessageRequest): void {
  const given = TEMPLATES.filter((name) => has(request, name));
  if (given.length > 1) invalid(given[1]!, `cannot be sent together with ${given[0]}`);
  const text = request.text?.trim() ?? '';
  const [template] = given;
  if (text === '') {
    if (template !== undefined && template !== 'cards') required('text', `with ${template}`);
    if (template === undefined && attachmentsOf(request).length === 0) required('text', 'without attachments or cards');
  }
  request.buttons?.forEach((button, at) => checkButton(button, `buttons.${at}`));
  request.cards?.forEach((card, at) =>
    card.buttons?.forEach((button, index) => checkButton(button, `cards.${at}.buttons.${index}`)),
  );
  if (template === 'list_sections') checkList(request);
}

function checkButton({ type, payload, url }: MessageButton, field: string): void {
  if (type === 'postback' && !payload) required(`${field}.payload`, 'for a postback button');
  if (type !== 'url') return;
  if (!url) required(`${field}.url`, 'for a url button');
  else if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    invalid(`${field}.url`, 'must be an http or https address');
}

function checkList({ list_button, list_sections = [] }: MessageRequest): void {
  if (!list_button?.trim()) required('list_button', 'with list_sections');
  const rows = list_sections.flatMap((section) => section.rows);
  if (rows.length === 0) required('list_sections.0.rows', 'with list_sections');
  if (rows.length > MOST_ROWS) invalid('list_sections', `have at most ${MOST_ROWS} rows in all (${rows.length})`);
}

function checkAttachments(attached: readonly Attached[], parts: MessageParts, lacks: (part: string) => never): void {
  if (attached.length > 0 && parts.attachments === undefined) lacks('attachments');
  for (const [at, { source_type, caption, voice }] of attached.entries()) {
    if (!parts.attachments!.sources.includes(source_type)) lacks(`attachments.${source_type}`);
    if (caption !== undefined && parts.attachments!.captions === undefined) lacks('attachments.captions');
    if (caption !== undefined && parts.attachments!.captions === 'bubble')
      refuseLong(caption, parts.text, `attachments.${at}.caption`);
    if (voice === true && parts.attachments!.voice === undefined) lacks('attachments.voice');
  }
}

/** Before anything is sent, refuses parts that the platform does not support or that exceed its limits. */
export function checkParts(account: AccountRow, request: MessageRequest, parts: MessageParts): void {
  const lacks = (part: string): never => notSupported(account.platform, `messages.${part}`);
  for (const name of TEMPLATES) if (has(request, name) && parts[PARTS[name]] === undefined) lacks(PARTS[name]);
  checkAttachments(attachmentsOf(request), parts, lacks);
  const { text, message_tag: tag } = request;
  if (tag !== undefined && parts.tags !== undefined && !Object.hasOwn(parts.tags, tag)) {
    fail('validation.invalid_message_tag', { meta: { field: 'message_tag' } });
  }
  if (text !== undefined) {
    const { max } = parts.text;
    refuseLong(text, { ...parts.text, max: has(request, 'buttons') ? Math.min(max, parts.buttons!.text_max) : max });
  }
  if (has(request, 'buttons')) checkButtons(request.buttons!, 'buttons', parts);
  request.cards?.forEach((card, at) => checkButtons(card.buttons ?? [], `cards.${at}.buttons`, parts));
  atMost('cards', request.cards, parts.cards?.max);
  atMost('quick_replies', request.quick_replies, parts.quick_replies?.max);
}

function checkButtons(buttons: readonly MessageButton[], field: string, { buttons: rule }: MessageParts): void {
  if (rule === undefined) return;
  const payloads = new Set<string | undefined>();
  for (const [at, { type, payload }] of buttons.entries()) {
    if (!rule.types.includes(type)) invalid(`${field}.${at}.type`, `must be one of: ${rule.types.join(', ')}`);
    if (rule.unique_payloads && payloads.has(payload)) invalid(`${field}.${at}.payload`, 'must be unique');
    payloads.add(payload);
  }
}

function atMost(field: string, list: readonly unknown[] | undefined, max: number | undefined): void {
  if (list === undefined || max === undefined || list.length <= max) return;
  invalid(field, `are at most ${max} on this platform (${list.length})`);
}

/** Refuses attachments that the platform does not accept, as far as that is known before reading them. */
export function checkMedia(
  account: AccountRow,
  request: MessageRequest,
  media: readonly OutgoingMedia[],
  parts: MessageParts,
): void {
  const { attachments } = parts;
  for (const [at, { kind, size_bytes }] of media.entries()) {
    if (!attachments!.kinds.includes(kind)) notSupported(account.platform, `messages.attachments.${kind}`);
    const { max_bytes, max_image_bytes = max_bytes } = attachments!;
    const most = kind === 'image' ? max_image_bytes : max_bytes;
    if (size_bytes !== undefined && size_bytes > most) {
      invalid(attachmentField(request, at), `exceeds ${most} bytes (${size_bytes})`);
    }
  }
}

/** Refuses stored attachments that the platform would have to fetch from this server, but cannot. */
export function refuseUnfetchable(
  request: MessageRequest,
  { attachments }: MessageParts,
  unreachable: string | undefined,
): void {
  if (!attachments?.pulls || unreachable === undefined) return;
  const at = attachmentsOf(request).findIndex(({ source_type }) => source_type === 'media_id');
  if (at !== -1) invalid(attachmentField(request, at), unreachable);
}

/** The messages that the recipient will see: attachments, then the text with its buttons, or the cards. */
export function bubblesOf(
  request: MessageRequest,
  media: readonly OutgoingMedia[],
  replyTo: string | undefined,
  parts: MessageParts,
): readonly [Bubble, ...Bubble[]] {
  const isApart = parts.attachments?.captions === 'bubble';
  const bubbles = attachmentsOf(request).flatMap(({ source, source_type, caption, voice }, at): Bubble[] => [
    {
      kind: 'attachment',
      type: media[at]!.kind,
      ...(source_type === 'platform_attachment_id' ? { platform_attachment_id: source } : { media: media[at]! }),
      ...(source_type === 'url' && { url: source }),
      ...(!isApart && { caption }),
      voice,
    },
    ...(isApart && caption?.trim() ? [{ kind: 'text', text: caption } as const] : []),
  ]);
  const { text, buttons, quick_replies, cards, list_button, list_sections } = request;
  if (text?.trim()) {
    bubbles.push({
      kind: 'text',
      text,
      ...(buttons?.length && { buttons }),
      ...(quick_replies?.length && { quick_replies }),
      ...(list_sections?.length && { list: { button: list_button!, sections: list_sections } }),
    });
  }
  if (cards?.length) bubbles.push({ kind: 'cards', cards });
  const [first, ...rest] = bubbles as [Bubble, ...Bubble[]];
  return [{ ...first, ...(replyTo !== undefined && { reply_to: replyTo }) }, ...rest];
}
