import { cut } from '#kernel/text/length.ts';
import { extensionOf } from './content/content.ts';

const LONGEST = 255;
/** Control characters, and direction marks that could disguise a file's extension. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A file name for storage and display: the last part of a path; never empty. */
export function cleanName(name: string | undefined, contentType: string): string {
  const last = (name ?? '').split(/[/\\]/).at(-1)!;
  const plain = cut(last.toWellFormed().replace(UNWANTED, '').trim(), LONGEST);
  return plain === '' || /^\.+$/.test(plain) ? `upload.${extensionOf(contentType)}` : plain;
}

export function nameInUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const last = new URL(url).pathname.split('/').at(-1)!;
  // A name with a malformed escape is kept as it is in the URL.
  return /%(?![0-9a-f]{2})/i.test(last) ? last : Buffer.from(unescapeBytes(last), 'latin1').toString('utf8');
}

function unescapeBytes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
