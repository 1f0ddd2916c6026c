import { asText, isObject } from '../../kit/api/checks.ts';

export const blobPath = (did: string, cid: string): string =>
  `/xrpc/com.atproto.sync.getBlob?did=${encodeURIComponent(did)}&cid=${encodeURIComponent(cid)}`;

export const linkOf = (blob: unknown): string | undefined => {
  const ref = isObject(blob) ? blob['ref'] : undefined;
  return isObject(ref) && typeof ref['$link'] === 'string' ? ref['$link'] : undefined;
};
const objects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

export function picturesIn(
  record: Record<string, unknown>,
): readonly { cid: string; alt: string; aspectRatio: unknown }[] {
  const embed = record['embed'];
  const media = isObject(embed) && isObject(embed['media']) ? embed['media'] : embed;
  if (!isObject(media)) return [];
  return objects(media['images']).flatMap(({ image, alt, aspectRatio }) => {
    const cid = linkOf(image);
    return cid === undefined ? [] : [{ cid, alt: asText(alt), aspectRatio }];
  });
}

/** An embed as the API shows it; `url` makes the URL of a blob. */
export function mediaView(embed: Record<string, unknown>, url: (cid: string) => string): object | undefined {
  switch (embed['$type']) {
    case 'app.bsky.embed.images':
      return {
        $type: 'app.bsky.embed.images#view',
        images: picturesIn({ embed }).map(({ cid, alt, aspectRatio }) => ({
          thumb: url(cid),
          fullsize: url(cid),
          alt,
          ...(aspectRatio !== undefined && { aspectRatio }),
        })),
      };
    case 'app.bsky.embed.video': {
      const cid = linkOf(embed['video']);
      if (cid === undefined) return undefined;
      const { alt, aspectRatio } = embed;
      return {
        $type: 'app.bsky.embed.video#view',
        cid,
        playlist: url(cid),
        ...(alt !== undefined && { alt }),
        ...(aspectRatio !== undefined && { aspectRatio }),
      };
    }
    case 'app.bsky.embed.external': {
      const { thumb, ...rest } = isObject(embed['external']) ? embed['external'] : {};
      const cid = linkOf(thumb);
      return {
        $type: 'app.bsky.embed.external#view',
        external: { ...rest, ...(cid !== undefined && { thumb: url(cid) }) },
      };
    }
    default:
      return undefined;
  }
}
