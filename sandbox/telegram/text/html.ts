import { tableOf } from '#kernel/text/table.ts';
import { bytesBefore, cannot, type Entity, type Formatted } from './entities.ts';

/** The entity of each tag; for some only the text is kept. */
const TAGS: ReadonlyMap<string, string | undefined> = new Map([
  ['b', 'bold'],
  ['strong', 'bold'],
  ['i', 'italic'],
  ['em', 'italic'],
  ['u', 'underline'],
  ['ins', 'underline'],
  ['s', 'strikethrough'],
  ['strike', 'strikethrough'],
  ['del', 'strikethrough'],
  ['code', 'code'],
  ['pre', 'pre'],
  ['blockquote', 'blockquote'],
  ['tg-spoiler', 'spoiler'],
  ['span', 'spoiler'],
  ['a', 'text_link'],
  ['tg-emoji', undefined],
  ['tg-time', undefined],
]);
const CHARACTERS: ReadonlyMap<string, string> = tableOf({ lt: '<', gt: '>', amp: '&', quot: '"' });
/** A tag's name ends before a space or the end of the tag. As this is unambiguous, parsing takes linear time. */
const TOKEN =
  /<(\/?)([^\s>]*)(?:\s((?:"[^"]*"|'[^']*'|[^>"'])*))?>|&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot));|[^<&]+|[<&]/gi;
const LAST_CHARACTER = 0x10ffff;
const ATTRIBUTE = /\s*([^\s=]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([\w.-]*)(?=\s|$)))?/y;

/** Makes the position for an error message; only called then, because counting bytes is slow. */
type Where = () => string;
type Tag = Readonly<{ tag: string; type: string | undefined; url: string | undefined; offset: number }>;

export function readHtml(source: string): Formatted {
  let text = '';
  const open: Tag[] = [];
  const entities: Entity[] = [];
  for (const { index, 0: whole, 1: slash, 2: name, 3: more = '', 4: code, 5: hex, 6: word } of source.matchAll(TOKEN)) {
    const where = () => `at byte offset ${bytesBefore(source, index)}`;
    if (code !== undefined || hex !== undefined) text += characterOf(code ? Number(code) : parseInt(hex!, 16)) ?? whole;
    else if (word !== undefined) text += CHARACTERS.get(word.toLowerCase())!;
    else if (name === undefined) {
      if (whole === '<') throw cannot(`Unclosed start tag ${where()}`);
      text += whole;
    } else if (slash === '/') {
      const { type, offset, url } = closed(name.toLowerCase(), open, where);
      const length = text.length - offset;
      const isVisible = type !== undefined && length > 0 && (type !== 'text_link' || url !== undefined);
      if (isVisible) entities.push({ type, offset, length, ...(url !== undefined && { url }) });
    } else open.push({ ...opened(name.toLowerCase(), more, where), offset: text.length });
  }
  const left = open.at(-1);
  if (left) throw cannot(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities };
}

const characterOf = (code: number) => (code > 0 && code <= LAST_CHARACTER ? String.fromCodePoint(code) : undefined);

function closed(name: string, open: Tag[], where: Where): Tag {
  const last = open.pop();
  if (last === undefined) throw cannot(`Unexpected end tag ${where()}`);
  if (name !== '' && name !== last.tag)
    throw cannot(`Unmatched end tag ${where()}, expected "</${last.tag}>", found "</${name}>"`);
  return last;
}

function opened(tag: string, more: string, where: Where): Omit<Tag, 'offset'> {
  if (!TAGS.has(tag)) throw cannot(`Unsupported start tag "${tag}" ${where()}`);
  const attributes = attributesIn(tag, more, where);
  if (tag === 'span' && attributes.get('class') !== 'tg-spoiler')
    throw cannot(`Tag "span" must have class "tg-spoiler" ${where()}`);
  if (tag === 'tg-emoji' && !/^[1-9]\d*$/.test(attributes.get('emoji-id') ?? ''))
    throw cannot('Invalid custom emoji identifier specified');
  const url = tag === 'a' ? attributes.get('href') : undefined;
  return { tag, type: TAGS.get(tag), url: url && URL.canParse(url) ? url : undefined };
}

function attributesIn(tag: string, more: string, where: Where): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const words = more.trim();
  ATTRIBUTE.lastIndex = 0;
  for (let end = 0; end < words.length; end = ATTRIBUTE.lastIndex) {
    ATTRIBUTE.lastIndex = end;
    const found = ATTRIBUTE.exec(words);
    if (found === null) throw cannot(`Empty attribute name in the tag "${tag}" ${where()}`);
    const [, name, double, single, bare] = found;
    const value = double ?? single ?? bare?.toLowerCase();
    if (value === undefined && name !== 'expandable')
      throw cannot(`Expected equal sign in declaration of an attribute of the tag "${tag}" ${where()}`);
    attributes.set(name!, value ?? '');
  }
  return attributes;
}
