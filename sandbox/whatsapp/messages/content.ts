/** Messages of apps: the format of each type, and what phones show. */
import { z } from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import { badParam } from '../../graph/api/errors.ts';
import { asText } from '../../kit/api/checks.ts';
import type { Params } from '../../kit/api/params.ts';
import { listOf, shape, text } from '../../kit/api/shapes.ts';
import type { Choice, Fields } from '../docs.ts';
import { invalid, read } from '../errors.ts';

export type FileRef = Readonly<{ type: string; id?: string; link?: string; isVoice?: boolean }>;

type MessageContent = Readonly<{ text: string; file?: FileRef; choices?: readonly Choice[] }>;
export type Content = MessageContent & Readonly<{ type: string; content: Fields; choices: readonly Choice[] }>;

export const FILE_TYPES = Object.freeze(['image', 'video', 'audio', 'document', 'sticker'] as const);

const ID = z.preprocess((id) => (typeof id === 'number' ? String(id) : id), text(100));
const FILE = shape({ id: ID.optional(), link: text(8000).optional() }).refine(
  ({ id, link }) => (id === undefined) !== (link === undefined),
  "must have exactly one of 'id' and 'link'",
);
const CAPTIONS = shape({ caption: text(1024).optional(), filename: text(240).optional() });
const CAPTIONED: ReadonlySet<string> = new Set(['image', 'video', 'document']);

/** A file by id or URL; `place` is where it is in the message. */
export function fileOf(type: string, value: unknown, place = type): FileRef {
  const { voice, id, link } = read(FILE, read(shape({}), value, place), type);
  if (link !== undefined && !/^https?:\/\/./.test(URL.parse(link)?.href ?? ''))
    throw badParam(`Param ${type}['link'] is not a valid URI.`);
  return { type, isVoice: voice === true, ...(link === undefined ? { id: id ?? '' } : { link }) };
}

/** Whether `wordOf` returns a different word for each item. */
const isUnique = <T>(all: readonly T[], wordOf: (one: T) => string) => new Set(all.map(wordOf)).size === all.length;

const BUTTON = shape({
  type: z.literal('reply', 'must be of type reply'),
  reply: shape({ id: text(256), title: text(20) }),
});
const ROW = shape({ id: text(200), title: text(24), description: text(72).optional() });
const SECTION = shape({ title: text(24).optional(), rows: listOf(ROW, 10) });
const FRAME = {
  body: shape({ text: text(1024) }),
  footer: shape({ text: text(60) }).optional(),
  header: shape({}).optional(),
};
const BUTTONS = shape({
  ...FRAME,
  type: z.literal('button'),
  action: shape({
    buttons: listOf(BUTTON, 3)
      .refine((all) => isUnique(all, ({ reply }) => reply.title), 'Duplicate button titles')
      .refine((all) => isUnique(all, ({ reply }) => reply.id), 'Duplicate button ids'),
  }),
});
const LIST = shape({
  ...FRAME,
  type: z.literal('list'),
  action: shape({
    button: text(20),
    sections: listOf(SECTION, 10)
      .check(({ value, issues }) => {
        const bare = value.length > 1 ? value.findIndex(({ title }) => title === undefined) : -1;
        if (bare >= 0) issues.push({ code: 'custom', path: [bare, 'title'], input: undefined });
      })
      .refine((all) => all.flatMap(({ rows }) => rows).length <= 10, 'A list has at most 10 rows')
      .refine(
        (all) =>
          isUnique(
            all.flatMap(({ rows }) => rows),
            ({ id }) => id,
          ),
        'Duplicate row ids',
      ),
  }),
});
const INTERACTIVE = z.discriminatedUnion('type', [BUTTONS, LIST], 'must be one of button, list');

function readInteractive(value: unknown): MessageContent {
  const asked = read(INTERACTIVE, value, 'interactive');
  const { header = {}, body } = asked;
  if (header['type'] === 'text') read(text(60), header['text'], 'interactive.header.text');
  const type = FILE_TYPES.find((one) => one === header['type']);
  const choices =
    asked.type === 'button'
      ? asked.action.buttons.map(({ reply }) => ({ kind: 'button_reply', id: reply.id, title: reply.title }) as const)
      : asked.action.sections.flatMap(({ rows }) =>
          rows.map(({ id, title, description }) => ({
            kind: 'list_reply' as const,
            id,
            title,
            ...(description !== undefined && { description }),
          })),
        );
  return { text: body.text, choices, ...(type && { file: fileOf(type, header[type], `interactive.header.${type}`) }) };
}

function readFile(type: string, value: unknown): MessageContent {
  if (read(shape({}), value, type)['caption'] !== undefined && !CAPTIONED.has(type))
    throw invalid(`A message of type ${type} has no caption`);
  return { text: read(CAPTIONS, value, type).caption ?? '', file: fileOf(type, value) };
}

const TYPES: ReadonlyMap<string, (value: unknown) => MessageContent> = tableOf({
  text: (value) => ({ text: read(shape({ body: text(4096) }), value, 'text').body }),
  ...Object.fromEntries(FILE_TYPES.map((type) => [type, (value: unknown) => readFile(type, value)])),
  interactive: readInteractive,
  location(value) {
    const { latitude, longitude, name } = read(shape({}), value, 'location');
    if (Number.isNaN(Number(latitude ?? NaN)) || Number.isNaN(Number(longitude ?? NaN)))
      throw invalid('A location has a latitude and a longitude');
    return { text: typeof name === 'string' ? name : `${String(latitude)}, ${String(longitude)}` };
  },
  reaction: (value) => ({ text: asText(read(shape({ message_id: text(300) }), value, 'reaction')['emoji']) }),
});

export function readContent(params: Params, type: string): Content {
  const readType = TYPES.get(type);
  if (readType === undefined)
    throw badParam(
      `Param type must be one of {AUDIO, DOCUMENT, IMAGE, INTERACTIVE, LOCATION, REACTION, STICKER, TEMPLATE, TEXT, VIDEO} - got "${type.slice(0, 80)}".`,
    );
  const content = params.object(type) ?? {};
  return { choices: [], ...readType(params.object(type)), type, content };
}
