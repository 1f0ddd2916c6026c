/** The metadata of a page for link cards. */
export type LinkCard = Readonly<{ title: string; description: string; image?: string | undefined }>;

/** Limit of all meta tags together. */
const MOST_CHARS = 65_536;
const MOST_TAG_CHARS = 8192;
const MOST_ATTRIBUTES = 16;
/** An attribute with its optional value, or any other single character; never the end of the tag. */
const PART = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?|[^>]/uy;

const ENTITIES: Readonly<Record<string, string>> = Object.freeze({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
});

/** Reads title, description and picture from the head of a page in linear time. */
export function readPage(html: string): LinkCard | undefined {
  const head = headOf(html);
  const metas = metasOf(head);
  const first = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value);
  const title = first('og:title', 'twitter:title') ?? titleOf(head);
  if (!title) return undefined;
  return {
    title,
    description: first('og:description', 'twitter:description', 'description') ?? '',
    image: first('og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'),
  };
}

/** Decodes a page by the character set it declares, else UTF-8. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const start = Buffer.from(body.subarray(0, 2048)).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w-]{2,40})/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})/i.exec(start)?.[1];
  try {
    return new TextDecoder(named ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function headOf(html: string): string {
  const end = html.search(/<\/head[\s>]|<body[\s>]/i);
  return end === -1 ? html : html.slice(0, end);
}

function titleOf(head: string): string | undefined {
  const start = /<title(?:\s[^<>]{0,1000})?>/i.exec(head);
  if (!start) return undefined;
  const text = head.slice(start.index + start[0].length, start.index + start[0].length + MOST_TAG_CHARS);
  return plain(text.split('<', 1)[0]!) || undefined;
}

/** The first value of each name. Every tag is scanned once, up to the limit of all tags. */
function metasOf(head: string): ReadonlyMap<string, string> {
  const metas = new Map<string, string>();
  const opening = /<meta\s/gi;
  let left = MOST_CHARS;
  for (let match = opening.exec(head); match && left > 0; match = opening.exec(head)) {
    const tag = head.slice(opening.lastIndex, opening.lastIndex + Math.min(MOST_TAG_CHARS, left));
    const { attributes, length } = readTag(tag);
    opening.lastIndex += length;
    left -= length + 1;
    const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
    const content = plain(attributes.get('content') ?? '');
    if (name && content && !metas.has(name)) metas.set(name, content);
  }
  return metas;
}

/** The attributes of a tag and its end offset; each match starts where the last one ended. */
function readTag(tag: string): Readonly<{ attributes: ReadonlyMap<string, string>; length: number }> {
  const attributes = new Map<string, string>();
  const part = new RegExp(PART);
  let at = 0;
  for (let match = part.exec(tag); match; match = part.exec(tag)) {
    at = part.lastIndex;
    const [, name, double, single, bare] = match;
    const value = double ?? single ?? bare;
    if (name === undefined || value === undefined || attributes.size === MOST_ATTRIBUTES) continue;
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value);
  }
  return { attributes, length: at };
}

function plain(text: string): string {
  return text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      if (name) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();
}
