import { tableOf } from './table.ts';

/** A link in a text: its position in UTF-16 units, and its URL. */
export type Link = Readonly<{ start: number; end: number; uri: string }>;

/** Where links, mentions and tags may start: at the beginning, or after a space, direction mark or opening mark. */
export const WORD_START = String.raw`(?<![^\s\p{Bidi_Control}([{<"'“‘«「『（【《])`;
const URL_END = String.raw`[^\s\p{Bidi_Control}<>"“”«»「」『』（）【】《》、。，！？；：]`;
export const DOMAIN_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

const WEB_LINK = new RegExp(`${WORD_START}https?://${URL_END}+`, 'giu');
const BARE_DOMAIN = new RegExp(
  `${WORD_START}(?:${DOMAIN_LABEL}\\.)+([a-z]{2,24})(?![\\p{L}\\p{N}@_-])(?:[/?#]${URL_END}*)?`,
  'giu',
);

/** Top-level domains that, like country codes, make a bare name a link; "node.js" stays plain text. */
const GENERIC_DOMAINS = new Set(
  (
    'com org net info biz edu gov mil int eu uk app dev page blog news social online site website web shop store tech ' +
    'cloud live link world space club pro agency design studio media email wiki art xyz top health law bank museum ' +
    'digital network systems tools software solutions team group academy school university events video music photo ' +
    'photos gallery games game fun life love today global earth green energy coop foundation ngo press review jobs ' +
    'careers travel hotel restaurant cafe bar pub beer wine food fashion style beauty fitness run yoga berlin london ' +
    'paris amsterdam wien nyc tokyo asia africa cat scot wales bzh swiss gal eus'
  ).split(' '),
);
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The links in a text, with or without a protocol, but without surrounding punctuation. */
export function linksIn(text: string): readonly Link[] {
  const written = [...text.matchAll(WEB_LINK)].map((match) => ({ match, prefix: '' }));
  const bare = [...text.matchAll(BARE_DOMAIN)]
    .filter((match) => isTopLevel(match[1]!))
    .map((match) => ({ match, prefix: 'https://' }));
  return [...written, ...bare].flatMap(({ match, prefix }) => {
    const displayText = withoutTrail(match[0]);
    const url = URL.parse(prefix + displayText);
    if (!url?.hostname.includes('.')) return [];
    return [{ start: match.index, end: match.index + displayText.length, uri: prefix + displayText }];
  });
}

function isTopLevel(ending: string): boolean {
  const lower = ending.toLowerCase();
  return GENERIC_DOMAINS.has(lower) || (lower.length === 2 && countries.of(lower.toUpperCase()) !== undefined);
}

const OPENINGS = tableOf({ ')': '(', ']': '[', '}': '{' });

function withoutTrail(link: string): string {
  let end = link.length;
  for (; end > 0; end--) {
    const last = link[end - 1]!;
    const opening = OPENINGS.get(last);
    if (opening ? isBalanced(link.slice(0, end), opening, last) : !/[.,;:!?'’…*_~]/u.test(last)) break;
  }
  return link.slice(0, end);
}

function isBalanced(text: string, opening: string, closing: string): boolean {
  return text.split(opening).length >= text.split(closing).length;
}
