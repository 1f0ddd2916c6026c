/** Characters that models read but people do not see: tags, direction marks, joiners, fillers and selectors. */
const UNSEEN = String.raw`[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`;
const JOINER = String.raw`[\u180E\u200C\u200D]`;
const MONGOLIAN_SELECTOR = String.raw`[\u180B-\u180D\u180F]`;
const SELECTOR = String.raw`[${MONGOLIAN_SELECTOR}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`;

/** The flags of England, Scotland and Wales, which consist of tag characters. */
const FLAG = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`;

/** Scripts in which a joiner changes how letters are drawn; it is also kept between two emoji that it combines. */
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
const OF_SCRIPTS = `[${SCRIPTS.map((script) => String.raw`\p{scx=${script}}`).join('')}]`;
const LETTER = String.raw`[[${OF_SCRIPTS}&&[\p{L}\p{M}]]--${UNSEEN}]`;
const MONGOLIAN = String.raw`[\p{Script=Mongolian}&&\p{L}]`;
const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]`;
const KEYCAP = '[0-9#*]';

const SELECTED = [
  String.raw`(?<=[\p{Emoji}--${KEYCAP}])[\uFE0E\uFE0F]`,
  String.raw`(?<=${KEYCAP})\uFE0F(?=\u20E3)`,
  String.raw`(?<=[\p{Script=Han}[\p{Math}--\p{ASCII}]])[\uFE00-\uFE02]`,
  String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
  `(?<=${MONGOLIAN})${MONGOLIAN_SELECTOR}`,
].join('|');
const JOINED = [
  String.raw`(?<=[${LETTER}${MONGOLIAN_SELECTOR}])[\u200C\u200D]`,
  String.raw`[\u200C\u200D](?=${JOINER}*${LETTER})`,
  String.raw`(?<=${EMOJI})\u200D(?=${JOINER}*\p{Extended_Pictographic})`,
  String.raw`(?<=[${MONGOLIAN}${MONGOLIAN_SELECTOR}])\u180E(?=${JOINER}*${MONGOLIAN})`,
].join('|');

const ANY = new RegExp(UNSEEN, 'v');
/** Applied in this order, as each looks at the neighbours that are left; what is to be kept is captured. */
const HIDDEN = [
  new RegExp(`(${FLAG})|[${UNSEEN}--[${JOINER}${SELECTOR}]]`, 'gv'),
  new RegExp(`(${SELECTED})${SELECTOR}*|${SELECTOR}`, 'gv'),
  // A run of joiners is matched as a whole, because one by one each would scan the rest of the run.
  new RegExp(String.raw`(${JOINED})${JOINER}*|\u180E+(?=[\u200C\u200D]${JOINER}*${LETTER})|${JOINER}+`, 'gv'),
];

/** A text as one line without hidden characters, for lists and other people's sentences. */
export const oneLine = (text: string): string => withoutHidden(text).replaceAll(/\s+/g, ' ').trim();

/** Removes what people do not see of a text, so that nobody can hide instructions for a model in it. */
export function withoutHidden(text: string): string {
  if (!ANY.test(text)) return text;
  return HIDDEN.reduce((left, hidden) => left.replace(hidden, '$1'), text);
}
