/** Reads the messages that apps send: what they must look like, and what phones show of them. */
import { badParam } from '../../graph/api/errors.ts';
import { isObject } from '../../kit/api/checks.ts';
import type { Params } from '../../kit/api/params.ts';
import type { Choice, Fields } from '../docs.ts';
import { invalid, missing } from '../errors.ts';

/** A file that a message names, by its id or its address. */
export type FileRef = Readonly<{ type: string; id?: string; link?: string; isVoice?: boolean }>;

/** A message as it was asked for. */
export type Content = Readonly<{
  type: string;
  content: Fields;
  text: string;
  file?: FileRef;
  choices: readonly Choice[];
}>;

export const FILE_TYPES = Object.freeze(['image', 'video', 'audio', 'document', 'sticker'] as const);
const CAPTIONED = new Set<string>(['image', 'video', 'document']);
const LONGEST_TEXT = 4096;
const LONGEST_BODY = 1024;

/** A text of bounded length. */
export function textOf(value: unknown, name: string, longest: number): string {
  if (value === undefined || value === null || value === '') throw missing(name);
  if (typeof value !== 'string') throw invalid(`Parameter '${name}' must be a string`);
  if (value.length > longest) throw invalid(`Parameter '${name}' must be at most ${longest} characters long`);
  return value;
}
const maybeText = (value: unknown, name: string, longest: number): string | undefined =>
  value === undefined ? undefined : textOf(value, name, longest);

/** An object. */
export function fieldsIn(value: unknown, name: string): Fields {
  if (value === undefined || value === null) throw missing(name);
  if (!isObject(value)) throw invalid(`Parameter '${name}' must be an object`);
  return value;
}

/** A list of objects of bounded length. */
export function listOf(value: unknown, name: string, most: number): readonly Fields[] {
  if (value === undefined || value === null) throw missing(name);
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw invalid(`Parameter '${name}' must hold 1 to ${most} objects`);
  return value.map((one, at) => fieldsIn(one, `${name}[${at}]`));
}

/** A file by its id or address, exactly one of them. */
export function fileOf(type: string, fields: Fields): FileRef {
  const { id, link, voice } = fields;
  if ((id === undefined) === (link === undefined))
    throw invalid(`Parameter '${type}' must have exactly one of 'id' and 'link'`);
  if (link !== undefined) {
    const url = textOf(link, `${type}.link`, 8000);
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw badParam(`Param ${type}['link'] is not a valid URI.`);
    return { type, link: url, isVoice: voice === true };
  }
  return { type, id: textOf(typeof id === 'number' ? String(id) : id, `${type}.id`, 100), isVoice: voice === true };
}

function unique(choices: readonly Choice[], what: string): readonly Choice[] {
  if (new Set(choices.map(({ id }) => id)).size < choices.length) throw invalid(`Duplicate ${what} ids`);
  return choices;
}

function replyButtons(action: Fields): readonly Choice[] {
  const buttons = listOf(action['buttons'], 'interactive.action.buttons', 3).map((button, at): Choice => {
    const name = `interactive.action.buttons[${at}].reply`;
    if (button['type'] !== 'reply') throw invalid(`Parameter '${name}' must be of type reply`);
    const reply = fieldsIn(button['reply'], name);
    const id = textOf(reply['id'], `${name}.id`, 256);
    return { kind: 'button_reply', id, title: textOf(reply['title'], `${name}.title`, 20) };
  });
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length) throw invalid('Duplicate button titles');
  return unique(buttons, 'button');
}

function listRows(action: Fields): readonly Choice[] {
  textOf(action['button'], 'interactive.action.button', 20);
  const sections = listOf(action['sections'], 'interactive.action.sections', 10);
  const rows = sections.flatMap((section, at) => {
    const place = `interactive.action.sections[${at}]`;
    if (sections.length > 1) textOf(section['title'], `${place}.title`, 24);
    maybeText(section['title'], `${place}.title`, 24);
    return listOf(section['rows'], `${place}.rows`, 10).map((row, index): Choice => {
      const name = `${place}.rows[${index}]`;
      const description = maybeText(row['description'], `${name}.description`, 72);
      return {
        kind: 'list_reply',
        id: textOf(row['id'], `${name}.id`, 200),
        title: textOf(row['title'], `${name}.title`, 24),
        ...(description !== undefined && { description }),
      };
    });
  });
  if (rows.length > 10) throw invalid('A list has at most 10 rows');
  return unique(rows, 'row');
}

function readInteractive(fields: Fields): Omit<Content, 'type' | 'content'> {
  const { type } = fields;
  const action = fieldsIn(fields['action'], 'interactive.action');
  const text = textOf(fieldsIn(fields['body'], 'interactive.body')['text'], 'interactive.body.text', LONGEST_BODY);
  const { footer, header } = fields;
  if (footer !== undefined) textOf(fieldsIn(footer, 'interactive.footer')['text'], 'interactive.footer.text', 60);
  const head = header === undefined ? undefined : fieldsIn(header, 'interactive.header');
  if (head?.['type'] === 'text') textOf(head['text'], 'interactive.header.text', 60);
  const file = FILE_TYPES.find((one) => one === head?.['type']);
  const files = file === undefined ? {} : { file: fileOf(file, fieldsIn(head?.[file], `interactive.header.${file}`)) };
  if (type === 'button') return { text, choices: replyButtons(action), ...files };
  if (type === 'list') return { text, choices: listRows(action), ...files };
  if (type === 'cta_url') {
    const parameters = fieldsIn(action['parameters'], 'interactive.action.parameters');
    textOf(parameters['display_text'], 'interactive.action.parameters.display_text', 20);
    textOf(parameters['url'], 'interactive.action.parameters.url', 2000);
    return { text, choices: [], ...files };
  }
  throw invalid("Parameter 'interactive.type' must be one of button, list, cta_url");
}

/** What a message of a type other than a template says. */
export function readContent(params: Params, type: string): Content {
  const content = fieldsIn(params.object(type), type);
  const plain = (text: string): Content => ({ type, content, text, choices: [] });
  if (type === 'text') return plain(textOf(content['body'], 'text.body', LONGEST_TEXT));
  if (FILE_TYPES.some((one) => one === type)) {
    const { caption, filename } = content;
    if (caption !== undefined && !CAPTIONED.has(type)) throw invalid(`A message of type ${type} has no caption`);
    maybeText(filename, `${type}.filename`, 240);
    return { ...plain(maybeText(caption, `${type}.caption`, LONGEST_BODY) ?? ''), file: fileOf(type, content) };
  }
  if (type === 'interactive') return { type, content, ...readInteractive(content) };
  if (type === 'location') {
    const { latitude, longitude, name } = content;
    if (Number.isNaN(Number(latitude ?? NaN)) || Number.isNaN(Number(longitude ?? NaN)))
      throw invalid('A location has a latitude and a longitude');
    return plain(typeof name === 'string' ? name : `${String(latitude)}, ${String(longitude)}`);
  }
  if (type === 'reaction') {
    textOf(content['message_id'], 'reaction.message_id', 300);
    return plain(typeof content['emoji'] === 'string' ? content['emoji'] : '');
  }
  throw badParam(
    `Param type must be one of {AUDIO, DOCUMENT, IMAGE, INTERACTIVE, LOCATION, REACTION, STICKER, TEMPLATE, TEXT, VIDEO} - got "${type.slice(0, 80)}".`,
  );
}
