import { badRequest } from '../errors.ts';

/** A formatted part of a text. Positions count UTF-16 units. */
export type Entity = Readonly<{
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  user?: Readonly<{ id: number }>;
}>;

export type Formatted = Readonly<{ text: string; entities: readonly Entity[] }>;

export const cannot = (why: string) => badRequest(`can't parse entities: ${why}`);
/** A position in bytes, which error messages use. */
export const bytesBefore = (text: string, at: number) => Buffer.byteLength(text.slice(0, at));

/** Entities that Telegram detects without markup. */
const FOUND: readonly (readonly [type: string, shape: RegExp])[] = [
  ['url', /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/g],
  ['email', /[\w.+-]+@[\w-]+\.[\w.-]*\w/g],
  ['mention', /(?<![\w@])@[A-Za-z]\w{4,31}/g],
  ['hashtag', /(?<![\w#])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/gu],
  ['bot_command', /(?<![\w/])\/[a-zA-Z0-9_]{1,32}(?:@\w{5,32})?/g],
];

const overlaps = (one: Entity, other: Entity) =>
  one.offset < other.offset + other.length && other.offset < one.offset + one.length;

export function withFound({ text, entities }: Formatted): Formatted {
  const all = [...entities];
  const isTaken = (found: Entity) =>
    all.some((other) => overlaps(found, other) && /^(?:code|pre|url|text_link|email|mention)$/.test(other.type));
  for (const [type, shape] of FOUND)
    for (const { index: offset, 0: words } of text.matchAll(shape)) {
      const found = { type, offset, length: words.length };
      if (!isTaken(found)) all.push(found);
    }
  return { text, entities: all.toSorted((a, b) => a.offset - b.offset || b.length - a.length) };
}

const MARKS: readonly (readonly [mark: string, type: string])[] = [
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['```', 'pre'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
  ['`', 'code'],
];
const RESERVED = /[_*[\]()~`>#+\-=|{}.!]/;

export function readMarkdown(source: string): Formatted {
  let text = '';
  const open: { mark: string; type: string; offset: number; at: number }[] = [];
  const entities: Entity[] = [];
  function toggle(mark: string, type: string, at: number): void {
    if (open.at(-1)?.mark !== mark) {
      open.push({ mark, type, offset: text.length, at });
      return;
    }
    const { offset } = open.pop()!;
    if (text.length > offset) entities.push({ type, offset, length: text.length - offset });
  }
  for (let at = 0; at < source.length;) {
    const inCode = open.at(-1)?.type === 'code' || open.at(-1)?.type === 'pre';
    const found = MARKS.find(([mark]) => source.startsWith(mark, at) && (!inCode || open.at(-1)?.mark === mark));
    const link = open.at(-1)?.mark === '[' ? /^\]\(([^)]*)\)/.exec(source.slice(at)) : null;
    if (source[at] === '\\' && at + 1 < source.length) {
      text += source[at + 1]!;
      at += 2;
    } else if (link) {
      const { offset } = open.pop()!;
      entities.push({ type: 'text_link', offset, length: text.length - offset, url: link[1]! });
      at += link[0].length;
    } else if (found) {
      const [mark, type] = found;
      toggle(mark, type, at);
      at += mark.length;
    } else if (!inCode && source[at] === '[') {
      open.push({ mark: '[', type: 'text_link', offset: text.length, at });
      at += 1;
    } else if (!inCode && RESERVED.test(source[at]!)) {
      throw cannot(`Character '${source[at]!}' is reserved and must be escaped with the preceding '\\'`);
    } else {
      text += source[at]!;
      at += 1;
    }
    if (open.length > 20) throw cannot(`too many entities at byte offset ${bytesBefore(source, at)}`);
  }
  const left = open.at(-1);
  if (left) throw cannot(`Can't find end of ${left.type} entity at byte offset ${bytesBefore(source, left.at)}`);
  return { text, entities };
}
