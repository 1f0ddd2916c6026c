/** Characters that people do not see and models read: tags, direction marks, joiners, fillers and selectors. */
const TAGS = String.raw`\u{E0000}-\u{E007F}`;
const MARKS = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;
const UNSEEN = String.raw`\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180E\u200B\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB`;
const JOINERS = String.raw`\u200C\u200D`;
const SELECTORS = String.raw`\uFE00-\uFE0F\u{E0100}-\u{E01EF}`;

const ANY = new RegExp(`[${TAGS}${MARKS}${UNSEEN}${JOINERS}${SELECTORS}]`, 'u');

/** The flags of England, Scotland and Wales, which are written in tags. */
const FLAG = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`;
/** Between two emoji a joiner makes one of them; between letters of these scripts it changes how they are drawn. */
const EMOJI = String.raw`\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F`;
const SCRIPTS = [
  'Arab',
  'Syrc',
  'Nkoo',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
  'Sinh',
  'Khmr',
  'Mymr',
  'Tibt',
  'Thaa',
];
const LETTER = String.raw`(?:${SCRIPTS.map((script) => String.raw`\p{scx=${script}}`).join('|')})`;
const JOINED = String.raw`(?<=${EMOJI})\u200D(?=\p{Extended_Pictographic})|(?<=${LETTER})[${JOINERS}](?=${LETTER})`;

/** What is kept is captured: flags, a joiner that joins, and the first of several selectors. */
const HIDDEN = new RegExp(
  `(${FLAG}|${JOINED})|(?<=[^${SELECTORS}${TAGS}${MARKS}${UNSEEN}${JOINERS}\\s])([${SELECTORS}])|[${TAGS}${MARKS}${UNSEEN}${JOINERS}${SELECTORS}]`,
  'gu',
);

/** A text without what people do not see of it, by which others could say more to a model than to them. */
export function withoutHidden(text: string): string {
  if (!ANY.test(text)) return text;
  return text.replace(HIDDEN, (_, kept: string | undefined, selector: string | undefined) => kept ?? selector ?? '');
}
