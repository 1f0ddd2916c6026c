import { lengthOf } from '../../../kernel/text/length.ts';

/** A link, mention or tag in a text; offsets in UTF-16 units. */
export type Span = Readonly<{ start: number; end: number }> &
  (
    | Readonly<{ kind: 'link'; uri: string }>
    | Readonly<{ kind: 'mention'; handle: string }>
    | Readonly<{ kind: 'tag'; tag: string }>
  );

export type Facet = Readonly<{
  index: Readonly<{ byteStart: number; byteEnd: number }>;
  features: readonly Readonly<Record<string, string>>[];
}>;

const MOST_TAG_GRAPHEMES = 64;
const MOST_TAG_BYTES = 640;

/** A link, mention or tag may start at the beginning, after a space or after an opening mark. */
const BEFORE = String.raw`(?<![^\s([{<"'“‘«「『（【《])`;
const URL_END = String.raw`[^\s<>"“”«»「」『』（）【】《》、。，！？；：]`;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

const WEB_LINK = new RegExp(`${BEFORE}https?://${URL_END}+`, 'giu');
const BARE_DOMAIN = new RegExp(
  `${BEFORE}(?:${LABEL}\\.)+([a-z]{2,24})(?![\\p{L}\\p{N}@_-])(?:[/?#]${URL_END}*)?`,
  'giu',
);
const MENTION = new RegExp(
  `${BEFORE}[@＠]((?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\\p{L}\\p{N}@_-])`,
  'giu',
);
const TAG = new RegExp(`${BEFORE}[#＃]([^\\s#＃\\u00AD\\u2060\\u200A-\\u200D\\u20E2]+)`, 'gu');

/**
 * Top-level domains that make a bare name a link, in addition to country codes. Other names stay text, such as
 * "node.js".
 */
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

/** The links, mentions and tags of a text in order, without overlaps. */
export function findSpans(text: string): readonly Span[] {
  const found = [...links(text), ...mentions(text), ...tags(text)].toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  let end = 0;
  return found.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}

/** Maps spans to facets; a mention that cannot be resolved stays text. */
export function facetsOf(text: string, dids: ReadonlyMap<string, string>): readonly Facet[] {
  return findSpans(text).flatMap((span) => {
    const feature = featureOf(span, dids);
    if (!feature) return [];
    const byteStart = Buffer.byteLength(text.slice(0, span.start));
    const byteEnd = byteStart + Buffer.byteLength(text.slice(span.start, span.end));
    return [{ index: { byteStart, byteEnd }, features: [feature] }];
  });
}

function featureOf(span: Span, dids: ReadonlyMap<string, string>): Readonly<Record<string, string>> | undefined {
  if (span.kind === 'link') return { $type: 'app.bsky.richtext.facet#link', uri: span.uri };
  if (span.kind === 'tag') return { $type: 'app.bsky.richtext.facet#tag', tag: span.tag };
  const did = dids.get(span.handle);
  return did === undefined ? undefined : { $type: 'app.bsky.richtext.facet#mention', did };
}

function links(text: string): readonly Span[] {
  const written = [...text.matchAll(WEB_LINK)].map((match) => ({ match, prefix: '' }));
  const bare = [...text.matchAll(BARE_DOMAIN)]
    .filter((match) => isTopLevel(match[1]!))
    .map((match) => ({ match, prefix: 'https://' }));
  return [...written, ...bare].flatMap(({ match, prefix }) => {
    const shown = withoutTrail(match[0]);
    const url = URL.parse(prefix + shown);
    if (!url?.hostname.includes('.')) return [];
    return [{ kind: 'link', start: match.index, end: match.index + shown.length, uri: prefix + shown } as const];
  });
}

function mentions(text: string): readonly Span[] {
  return [...text.matchAll(MENTION)].map((match) => ({
    kind: 'mention',
    start: match.index,
    end: match.index + match[0].length,
    handle: match[1]!.toLowerCase(),
  }));
}

function tags(text: string): readonly Span[] {
  return [...text.matchAll(TAG)].flatMap((match) => {
    const tag = match[1]!.replace(/\p{P}+$/u, '');
    // "#1" is a number and "#️⃣" an emoji; neither is a tag.
    if (!/[^\p{N}\p{P}\uFE0F]/u.test(tag) || tag.startsWith('\uFE0F')) return [];
    if (lengthOf(tag, 'graphemes') > MOST_TAG_GRAPHEMES || Buffer.byteLength(tag) > MOST_TAG_BYTES) return [];
    return [{ kind: 'tag', start: match.index, end: match.index + 1 + tag.length, tag } as const];
  });
}

function isTopLevel(ending: string): boolean {
  const lower = ending.toLowerCase();
  return GENERIC_DOMAINS.has(lower) || (lower.length === 2 && countries.of(lower.toUpperCase()) !== undefined);
}

/** Removes the punctuation of the surrounding sentence from a link. */
function withoutTrail(link: string): string {
  let end = link.length;
  for (; end > 0; end--) {
    const last = link[end - 1]!;
    const opening = { ')': '(', ']': '[', '}': '{' }[last];
    if (opening ? isBalanced(link.slice(0, end), opening, last) : !/[.,;:!?'’…*_~]/u.test(last)) break;
  }
  return link.slice(0, end);
}

function isBalanced(text: string, opening: string, closing: string): boolean {
  return text.split(opening).length >= text.split(closing).length;
}
