const TAGS: ReadonlySet<string> = new Set(
  'a b strong i em u ins s strike del code pre blockquote span tg-spoiler tg-emoji tg-time'.split(' '),
);
const NO_TAG = 'a < that begins no tag is written &lt;';

const NAME = /[^\s>]*/y;
const BLANK = /\s*/y;
const ATTRIBUTE = /[^\s=>]*/y;
const VALUE = /"([^"]*)"|'([^']*)'|([a-z\d.-]*)(?=[\s>])/iy;
/** The one attribute that may have no value. */
const BARE = 'expandable';

function readerOf(text: string) {
  let at = 0;
  const take = (shape: RegExp) => {
    shape.lastIndex = at;
    const found = shape.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  return {
    /** Moves the reader past the next `<`. */
    seek(): boolean {
      at = text.indexOf('<', at) + 1;
      return at > 0;
    },
    take,
    word: (shape: RegExp): string => take(shape)![0],
    is(mark: string): boolean {
      const isThere = text.startsWith(mark, at);
      if (isThere) at += mark.length;
      return isThere;
    },
  };
}

type Reader = ReturnType<typeof readerOf>;

/** Why Telegram would reject a text as HTML; undefined if it would accept it. */
export function faultOf(text: string): string | undefined {
  const reader = readerOf(text);
  const open: string[] = [];
  while (reader.seek()) {
    const fault = reader.is('/') ? close(reader, open) : begin(reader, open);
    if (fault !== undefined) return fault;
  }
  const left = open.at(-1);
  return left === undefined ? undefined : `<${left}> is never closed`;
}

function close(reader: Reader, open: string[]): string | undefined {
  const name = displayText(reader.word(NAME));
  reader.take(BLANK);
  if (!reader.is('>')) return `</${name} lacks its >`;
  const last = open.pop();
  if (last === undefined) return `</${name}> closes no tag`;
  return name === '' || name === last ? undefined : `</${name}> stands where </${last}> is expected`;
}

function begin(reader: Reader, open: string[]): string | undefined {
  const name = displayText(reader.word(NAME));
  if (!/^[a-z]/.test(name)) return NO_TAG;
  if (!TAGS.has(name)) return `<${name}> is none of the tags that Telegram knows (${[...TAGS].join(', ')}); ${NO_TAG}`;
  const attributes = new Map<string, string>();
  for (;;) {
    reader.take(BLANK);
    if (reader.is('>')) break;
    const attribute = reader.word(ATTRIBUTE);
    reader.take(BLANK);
    const hasValue = reader.is('=');
    if (!hasValue && attribute === BARE) continue;
    if (!hasValue || attribute === '') return `<${name}> lacks its >, or the value of an attribute`;
    reader.take(BLANK);
    const value = reader.take(VALUE);
    if (value === null) return `<${name}> has an attribute whose value is not in quotes`;
    attributes.set(attribute, value[1] ?? value[2] ?? value[3]!);
  }
  if (name === 'span' && attributes.get('class') !== 'tg-spoiler') return '<span> must have class="tg-spoiler"';
  if (name === 'tg-emoji' && !/^[1-9]\d*$/.test(attributes.get('emoji-id') ?? ''))
    return '<tg-emoji> must have an emoji-id';
  open.push(name);
  return undefined;
}

const MAX_SHOWN_LENGTH = 32;
const displayText = (name: string): string => name.toLowerCase().slice(0, MAX_SHOWN_LENGTH);
