import { tableOf } from '#kernel/text/table.ts';
import { integer, isObject, list, object } from '../kit/api/checks.ts';
import { blob, text, union } from '../atproto/formats.ts';
import type { Lexicons } from '../atproto/lexicons.ts';

const instant = text({ format: 'datetime' });
const strongRef = object({ uri: text({ format: 'at-uri' }), cid: text({ format: 'cid' }) });
const image = blob({ accept: ['image/*'], bytes: 2_000_000 });
const aspectRatio = object({ width: integer({ min: 1 }), height: integer({ min: 1 }) });

/** A link, mention or tag in a text. */
export const facet = object({
  index: object({ byteStart: integer({ min: 0 }), byteEnd: integer({ min: 0 }) }),
  features: list(
    union({
      'app.bsky.richtext.facet#mention': object({ did: text({ format: 'did' }) }),
      'app.bsky.richtext.facet#link': object({ uri: text({ format: 'uri' }) }),
      'app.bsky.richtext.facet#tag': object({ tag: text({ bytes: 640, graphemes: 64 }) }),
    }),
  ),
});

const images = object({ images: list(object({ image, alt: text() }, { aspectRatio }), 4) });
const video = object(
  { video: blob({ accept: ['video/mp4'], bytes: 100_000_000 }) },
  {
    alt: text({ bytes: 10_000, graphemes: 1000 }),
    aspectRatio,
    captions: list(object({ lang: text({ format: 'language' }) }), 20),
  },
);
const external = object({
  external: object(
    { uri: text({ format: 'uri' }), title: text(), description: text() },
    { thumb: blob({ accept: ['image/*'], bytes: 1_000_000 }) },
  ),
});
export const quoted = object({ record: strongRef });
const media = {
  'app.bsky.embed.images': images,
  'app.bsky.embed.video': video,
  'app.bsky.embed.external': external,
};
const selfLabels = union({
  'com.atproto.label.defs#selfLabels': object({ values: list(object({ val: text({ bytes: 128 }) }), 10) }),
});

const post = object(
  { text: text({ bytes: 3000, graphemes: 300 }), createdAt: instant },
  {
    facets: list(facet),
    reply: object({ root: strongRef, parent: strongRef }),
    embed: union({
      ...media,
      'app.bsky.embed.record': quoted,
      'app.bsky.embed.recordWithMedia': object({ record: quoted, media: union(media) }),
    }),
    langs: list(text({ format: 'language' }), 3),
    tags: list(text({ bytes: 640, graphemes: 64 }), 8),
    labels: selfLabels,
  },
);

export const LEXICONS: Lexicons = Object.freeze({
  'app.bsky.feed.post': { key: 'tid', check: (value, path) => post(value, path) ?? misplacedFacet(value, path) },
  'app.bsky.feed.like': { key: 'tid', check: object({ subject: strongRef, createdAt: instant }) },
  'app.bsky.feed.repost': { key: 'tid', check: object({ subject: strongRef, createdAt: instant }) },
  'app.bsky.feed.threadgate': {
    key: 'tid',
    check: object(
      { post: text({ format: 'at-uri' }), createdAt: instant },
      {
        allow: list(union({ 'app.bsky.feed.threadgate#listRule': object({ list: text({ format: 'at-uri' }) }) }), 5),
        hiddenReplies: list(text({ format: 'at-uri' }), 300),
      },
    ),
  },
  'app.bsky.feed.postgate': {
    key: 'tid',
    check: object(
      { post: text({ format: 'at-uri' }), createdAt: instant },
      { detachedEmbeddingUris: list(text({ format: 'at-uri' }), 50), embeddingRules: list(union({}), 5) },
    ),
  },
  'app.bsky.graph.follow': { key: 'tid', check: object({ subject: text({ format: 'did' }), createdAt: instant }) },
  'app.bsky.graph.block': { key: 'tid', check: object({ subject: text({ format: 'did' }), createdAt: instant }) },
  'chat.bsky.actor.declaration': { key: 'self', check: object({ allowIncoming: text() }) },
  'app.bsky.actor.profile': {
    key: 'self',
    check: object(
      {},
      {
        displayName: text({ bytes: 640, graphemes: 64 }),
        description: text({ bytes: 2560, graphemes: 256 }),
        avatar: blob({ accept: ['image/png', 'image/jpeg'], bytes: 1_000_000 }),
        banner: blob({ accept: ['image/png', 'image/jpeg'], bytes: 1_000_000 }),
        labels: selfLabels,
        createdAt: instant,
      },
    ),
  },
});

/** Checks that facets are inside the text and begin and end at characters. A real server would drop others silently. */
export function misplacedFacet(value: unknown, at: string): string | undefined {
  const record = isObject(value) ? value : {};
  const bytes = Buffer.from(String(record['text']));
  const facets = (record['facets'] ?? []) as { index: { byteStart: number; byteEnd: number } }[];
  const onBorder = (byte: number) => byte === bytes.length || ((bytes[byte] ?? 0) & 0xc0) !== 0x80;
  for (const [number, { index }] of facets.entries()) {
    const path = `${at}.facets[${number}].index`;
    if (index.byteEnd > bytes.length)
      return `integer too big (maximum ${bytes.length}, got ${index.byteEnd}) at ${path}.byteEnd`;
    if (index.byteStart >= index.byteEnd)
      return `integer too small (minimum ${index.byteStart + 1}, got ${index.byteEnd}) at ${path}.byteEnd`;
    if (!onBorder(index.byteStart) || !onBorder(index.byteEnd)) return `Facet cuts a character in two at ${path}`;
  }
  return undefined;
}

/** How each record type refers to other records: the kind of link and the path to it. */
const LINKS: ReadonlyMap<string, readonly (readonly [string, ...string[]])[]> = tableOf({
  'app.bsky.feed.like': [['like', 'subject.uri']],
  'app.bsky.feed.repost': [['repost', 'subject.uri']],
  'app.bsky.graph.follow': [['follow', 'subject']],
  'app.bsky.graph.block': [['block', 'subject']],
  'app.bsky.feed.post': [
    ['reply', 'reply.parent.uri'],
    ['root', 'reply.root.uri'],
    ['quote', 'embed.record.uri', 'embed.record.record.uri'],
  ],
});

/** The records and accounts that a record refers to, as an AppView indexes them. */
export function linksOf(
  collection: string,
  record: Record<string, unknown>,
): readonly { kind: string; target: string }[] {
  const uriAt = (...path: string[]): string | undefined => {
    const end = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), record);
    return typeof end === 'string' ? end : undefined;
  };
  const found = (LINKS.has(collection) ? (LINKS.get(collection) ?? []) : []).map(([kind, ...paths]) => [
    kind,
    paths.reduce<string | undefined>((done, path) => done ?? uriAt(...path.split('.')), undefined),
  ]);
  return found.flatMap(([kind, target]) => (kind !== undefined && target !== undefined ? [{ kind, target }] : []));
}

export function mentionsIn(record: Readonly<Record<string, unknown>>): readonly string[] {
  const facets = Array.isArray(record['facets']) ? record['facets'].filter(isObject) : [];
  return facets
    .flatMap(({ features }) => (Array.isArray(features) ? features.filter(isObject) : []))
    .flatMap(({ $type, did }) => ($type === 'app.bsky.richtext.facet#mention' && typeof did === 'string' ? [did] : []));
}

export function hasMedia(record: Record<string, unknown>): boolean {
  const embed = record['embed'];
  const inner = isObject(embed) && isObject(embed['media']) ? embed['media'] : embed;
  return isObject(inner) && ['app.bsky.embed.images', 'app.bsky.embed.video'].includes(String(inner['$type']));
}
