import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import { DOMAIN_LABEL, linksIn, WORD_START } from '#kernel/text/links.ts';
import { readable, text } from '../../shared/fields.ts';

/** A link, mention or tag in a text, with its offsets in UTF-16 units. */
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

const LINK = 'app.bsky.richtext.facet#link';
const MOST_TAG_GRAPHEMES = 64;
const MOST_TAG_BYTES = 640;

const MENTION = new RegExp(
  `${WORD_START}[@＠]((?:${DOMAIN_LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![\\p{L}\\p{N}@_-])`,
  'giu',
);
const TAG = new RegExp(`${WORD_START}[#＃]([^\\s\\p{Bidi_Control}#＃\\u00AD\\u2060\\u200A-\\u200D\\u20E2]+)`, 'gu');

/** The links, mentions and tags of a text in order, without overlaps. */
export function findSpans(text: string): readonly Span[] {
  const found = [
    ...linksIn(text).map((link) => ({ kind: 'link', ...link }) as const),
    ...mentions(text),
    ...tags(text),
  ].toSorted((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return found.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}

const LinkFacet = z.object({
  index: z.object({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(z.looseObject({ $type: z.string(), uri: text })),
});

export const Facets = z
  .array(z.unknown())
  .catch([])
  .default([])
  .transform((facets) => readable(LinkFacet, facets));

const bare = (address: string): string => address.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** A link with its full URL: a shortened URL is replaced, any other link text is followed by the URL. */
function wholeLink(words: string, uri: string): string {
  if (bare(words) === bare(uri)) return words;
  return bare(uri).startsWith(bare(words.replace(/(?:…|\.\.\.)$/, ''))) ? uri : `${words} (${uri})`;
}

/** The text with the full URL of every link. */
export function writtenText(displayText: string, facets: z.output<typeof Facets>): string {
  const bytes = Buffer.from(displayText);
  const links = facets
    .flatMap(({ index, features }) => {
      const { uri } = features.find(({ $type }) => $type === LINK) ?? {};
      return uri === undefined ? [] : [{ ...index, uri }];
    })
    .toSorted((one, other) => one.byteStart - other.byteStart);
  const parts: string[] = [];
  let end = 0;
  for (const { byteStart, byteEnd, uri } of links) {
    if (byteStart < end || byteEnd <= byteStart || byteEnd > bytes.length) continue;
    const words = bytes.toString('utf8', byteStart, byteEnd);
    parts.push(bytes.toString('utf8', end, byteStart), wholeLink(words, uri));
    end = byteEnd;
  }
  return parts.join('') + bytes.toString('utf8', end);
}

/** Converts spans to facets; a mention that cannot be resolved stays plain text. */
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
  if (span.kind === 'link') return { $type: LINK, uri: span.uri };
  if (span.kind === 'tag') return { $type: 'app.bsky.richtext.facet#tag', tag: span.tag };
  const did = dids.get(span.handle);
  return did === undefined ? undefined : { $type: 'app.bsky.richtext.facet#mention', did };
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
