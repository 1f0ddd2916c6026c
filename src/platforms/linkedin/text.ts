import { linksIn } from '#kernel/text/links.ts';

/** Characters with a special meaning in commentary; if they are not escaped, the text is cut off there. */
const RESERVED = /[|{}@[\]()<>#\\*_~]/g;
/** A mention, both as people write it here and as LinkedIn parses it; the name must be the page's exact name. */
const MENTION = /@\[([^\]\n]{1,200})\]\((urn:li:(?:organization|organizationBrand|school|person):[\w-]{1,100})\)/gu;
const HASHTAG = /(?<![\p{L}\p{N}_])#[\p{L}\p{N}]+/gu;
const SYNTAX = new RegExp(`${MENTION.source}|${HASHTAG.source}`, 'gu');

const escaped = (words: string): string => words.replaceAll(RESERVED, String.raw`\$&`);

/** Converts a text to commentary ("little text"): mentions and hashtags work, the rest is literal. */
export function commentaryOf(text: string): string {
  const words = text.toWellFormed();
  const links = linksIn(words);
  let end = 0;
  let made = '';
  for (const found of words.matchAll(SYNTAX)) {
    const [all, name, urn] = found;
    // The fragment of a link must not become a hashtag.
    if (links.some((link) => link.start < found.index && found.index < link.end)) continue;
    made += escaped(words.slice(end, found.index)) + (urn === undefined ? all : `@[${escaped(name!)}](${urn})`);
    end = found.index + all.length;
  }
  return made + escaped(words.slice(end));
}

export function plainText(commentary: string): string {
  return commentary
    .replaceAll(/\{hashtag\|\\?#\|([^}|]*)\}/g, '#$1')
    .replaceAll(/@\[((?:\\.|[^\]\\])*)\]\((?:\\.|[^)\\])*\)/g, '$1')
    .replaceAll(/\\([|{}@[\]()<>#\\*_~])/g, '$1');
}
