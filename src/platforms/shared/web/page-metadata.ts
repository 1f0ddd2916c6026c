import { Parser } from 'htmlparser2';

export type PageMetadata = Readonly<{ title: string; description: string; image?: string | undefined }>;

/** Most characters read from all meta tags together, and from the title. */
const MOST_META_CHARS = 65_536;
const MOST_TITLE_CHARS = 8192;

/** Title, description and picture from the head of a page; undefined without a title. */
export function readPage(html: string): PageMetadata | undefined {
  const { metas, title } = headOf(html);
  const first = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value);
  const displayText = first('og:title', 'twitter:title') ?? plain(title);
  if (!displayText) return undefined;
  return {
    title: displayText,
    description: first('og:description', 'twitter:description', 'description') ?? '',
    image: first('og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'),
  };
}

/** The first value of each meta tag, and the title; nothing is read from the body. */
function headOf(html: string): Readonly<{ metas: ReadonlyMap<string, string>; title: string }> {
  const metas = new Map<string, string>();
  let title: string | undefined;
  let isTitle = false;
  let left = MOST_META_CHARS;
  const parser = new Parser({
    onopentag(tag, { property, name = '', content = '' }) {
      if (tag === 'body') parser.pause();
      isTitle = tag === 'title' && title === undefined;
      if (tag !== 'meta') return;
      left -= parser.endIndex - parser.startIndex;
      const key = (property ?? name).toLowerCase();
      const value = plain(content);
      if (left >= 0 && key && value && !metas.has(key)) metas.set(key, value);
    },
    ontext(text) {
      if (isTitle) title = ((title ?? '') + text).slice(0, MOST_TITLE_CHARS);
    },
    onclosetag(tag) {
      if (tag === 'head') parser.pause();
      isTitle = false;
    },
  });
  parser.end(html);
  return { metas, title: title ?? '' };
}

/** Decodes a page with the character set it declares, UTF-8 by default. */
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

/** Reduces a text to one valid line without control characters. */
function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();
}
