/** LinkedIn's "little text" format: texts with escapes, mentions and hashtags. */
const PIECE =
  /\\([|{}@[\]()<>#\\*_~])|@\[((?:\\.|[^\]\\])*)\]\((urn:li:(?:person|organization):[\w-]+)\)|\{hashtag\|\\#\|((?:\\.|[^}\\])+)\}|(#[\p{L}\p{N}_]+)|([^|{}@[\]()<>#\\*_~])/uy;

const unescaped = (words = '') => words.replaceAll(/\\(.)/gu, '$1');

/** The text as readers see it, which ends at the first reserved character that is not escaped, and its mentions. */
export function readLittleText(commentary: string): Readonly<{
  kept: string;
  plain: string;
  mentions: readonly Readonly<{ name: string; urn: string }>[];
}> {
  let at = 0;
  let plain = '';
  const mentions: { name: string; urn: string }[] = [];
  for (;;) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(commentary);
    if (found === null) return { kept: commentary.slice(0, at), plain, mentions };
    const [whole, escaped, name, urn, tag, hashtag, letter] = found;
    if (urn !== undefined) mentions.push({ name: unescaped(name), urn });
    plain += escaped ?? (urn && unescaped(name)) ?? (tag && `#${unescaped(tag)}`) ?? hashtag ?? letter ?? '';
    at += whole.length;
  }
}
