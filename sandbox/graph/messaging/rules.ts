import { badParam } from '../api/errors.ts';
import type { Piece } from '../docs.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message to the Send API after validation: its content, and the files to download. */
export type Outgoing = Readonly<{
  text?: string;
  files: readonly Readonly<{ type: string; url?: string; attachment_id?: string; is_reusable: boolean }>[];
  template?: Fields;
  /** An attachment that has no file. */
  bare?: Piece;
  quick_replies?: readonly Fields[];
  metadata?: string;
}>;

export const MESSAGE_FIELDS = Object.freeze(['text', 'attachment', 'attachments', 'quick_replies', 'metadata']);
export const FILE_TYPES = Object.freeze(['image', 'audio', 'video', 'file'] as const);
const MOST_QUICK_REPLIES = 13;
const LONGEST_PAYLOAD = 1000;

export type MessageLimits = Readonly<{
  longestText: number;
  lengthOf(text: string): number;
  mostFiles: number;
  /** The types of attachments without a file, such as a sticker or a shared post. */
  bare: readonly string[];
}>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function words(value: unknown, field: string, longest: number): string {
  if (typeof value !== 'string' || value === '') throw badParam(`Param ${field} must be a non-empty UTF8 string`);
  if (value.length > longest) throw badParam(`Length of param ${field} must be less than or equal to ${longest}`);
  return value;
}

function list(value: unknown, field: string, most: number): readonly Fields[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most || !value.every(isFields))
    throw badParam(`Param ${field} must be an array of 1 to ${most} objects`);
  return value;
}

function webUrl(value: unknown, field: string): string {
  const url = words(value, field, 8000);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw badParam(`Param ${field} should represent a valid URL`);
  return url;
}

function checkButton(button: Fields, field: string): void {
  const type = button['type'];
  const titles = ['web_url', 'postback', 'phone_number'];
  if (typeof type !== 'string' || ![...titles, 'account_link', 'account_unlink', 'game_play'].includes(type))
    throw badParam(
      `Param ${field}[type] must be one of {web_url, postback, phone_number, account_link, account_unlink, game_play}`,
    );
  if (titles.includes(type)) words(button['title'], `${field}[title]`, 20);
  if (type === 'web_url') webUrl(button['url'], `${field}[url]`);
  if (type === 'postback') words(button['payload'], `${field}[payload]`, LONGEST_PAYLOAD);
  if (type === 'phone_number') words(button['payload'], `${field}[payload]`, 30);
}

function checkButtons(value: unknown, field: string): void {
  list(value, field, 3).forEach((button, at) => checkButton(button, `${field}[${at}]`));
}

function checkElement(element: Fields, field: string): void {
  words(element['title'], `${field}[title]`, 80);
  const { subtitle, image_url, default_action, buttons } = element;
  if (subtitle !== undefined) words(subtitle, `${field}[subtitle]`, 80);
  if (image_url !== undefined) webUrl(image_url, `${field}[image_url]`);
  if (isFields(default_action)) webUrl(default_action['url'], `${field}[default_action][url]`);
  if (buttons !== undefined) checkButtons(buttons, `${field}[buttons]`);
  if ([subtitle, image_url, default_action, buttons].every((one) => one === undefined))
    throw badParam(`Param ${field} must have at least one property besides title`, { subcode: 2018032 });
}

function readTemplate(payload: Fields): Fields {
  const field = 'message[attachment][payload]';
  const type = payload['template_type'];
  if (type === 'button') {
    words(payload['text'], `${field}[text]`, 640);
    checkButtons(payload['buttons'], `${field}[buttons]`);
  } else if (type === 'generic')
    list(payload['elements'], `${field}[elements]`, 10).forEach((element, at) =>
      checkElement(element, `${field}[elements][${at}]`),
    );
  else throw badParam(`Param ${field}[template_type] must be one of {button, generic}`);
  return payload;
}

/** Ids should be strings, but Graph also accepts numbers. */
const idText = (id: unknown) => (typeof id === 'number' ? String(id) : id);

function readFile(attachment: Fields, field: string): Outgoing['files'][number] {
  const { type, payload } = attachment;
  if (typeof type !== 'string' || !(FILE_TYPES as readonly string[]).includes(type))
    throw badParam(`Param ${field}[type] must be one of {${FILE_TYPES.join(', ')}, template}`);
  if (!isFields(payload)) throw badParam(`Param ${field}[payload] must be an object`);
  const { url, attachment_id, is_reusable } = payload;
  if (attachment_id !== undefined)
    return {
      type,
      attachment_id: words(idText(attachment_id), `${field}[payload][attachment_id]`, 100),
      is_reusable: false,
    };
  return {
    type,
    url: webUrl(url, `${field}[payload][url]`),
    is_reusable: is_reusable === true || is_reusable === 'true',
  };
}

function readQuickReplies(value: unknown): readonly Fields[] {
  return list(value, 'message[quick_replies]', MOST_QUICK_REPLIES).map((reply, at) => {
    const field = `message[quick_replies][${at}]`;
    const type = reply['content_type'];
    if (type !== 'text' && type !== 'user_phone_number' && type !== 'user_email')
      throw badParam(`Param ${field}[content_type] must be one of {text, user_phone_number, user_email}`);
    if (type !== 'text') return reply;
    words(reply['payload'], `${field}[payload]`, LONGEST_PAYLOAD);
    if (reply['image_url'] !== undefined) webUrl(reply['image_url'], `${field}[image_url]`);
    return { ...reply, title: words(reply['title'], `${field}[title]`, 20) };
  });
}

function checkContent({ text, attachment, attachments }: Fields): void {
  const isAttached = attachment !== undefined || attachments !== undefined;
  if (text === undefined && !isAttached)
    throw badParam('Message cannot be empty, must provide valid attachment or text', { subcode: 2018006 });
  if (text !== undefined && isAttached) throw badParam('Cannot use text and attachment at the same time');
}

function readImages(attachments: unknown, most: number): Outgoing['files'] {
  const images = list(attachments, 'message[attachments]', most).map((item, at) =>
    readFile(item, `message[attachments][${at}]`),
  );
  if (images.some(({ type }) => type !== 'image')) throw badParam('Param message[attachments] takes images only');
  return images;
}

export function readMessage(message: Fields, { longestText, lengthOf, mostFiles, bare }: MessageLimits): Outgoing {
  const { text, attachment, attachments, quick_replies, metadata } = message;
  checkContent(message);
  const isBare = isFields(attachment) && bare.includes(String(attachment['type']));
  const isTemplate = isFields(attachment) && attachment['type'] === 'template';
  const one = isFields(attachment) && !isTemplate && !isBare ? [readFile(attachment, 'message[attachment]')] : [];
  if (attachment !== undefined && !isFields(attachment)) throw badParam('Param message[attachment] must be an object');
  const many = attachments === undefined ? [] : readImages(attachments, mostFiles);
  if (typeof text === 'string' && lengthOf(text) > longestText)
    throw badParam(`Length of param message[text] must be less than or equal to ${longestText}`);
  return {
    files: [...one, ...many],
    ...(text !== undefined && { text: words(text, 'message[text]', longestText) }),
    ...(isBare && { bare: { type: String(attachment['type']), payload: attachment['payload'] ?? {} } }),
    ...(isTemplate && { template: readTemplate(isFields(attachment['payload']) ? attachment['payload'] : {}) }),
    ...(quick_replies !== undefined && { quick_replies: readQuickReplies(quick_replies) }),
    ...(metadata !== undefined && { metadata: words(metadata, 'message[metadata]', 1000) }),
  };
}
