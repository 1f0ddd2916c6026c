import type { Html } from '../../html.ts';
import { drawVisual } from '../../kit/drawing.ts';
import type { Blob } from '../../kit/files.ts';
import { edge, type NodeType } from '../api/render.ts';
import { graphTime, newId } from '../ids.ts';
import { fileUrl, type GraphWorld } from '../world.ts';

export type Medium = Readonly<{
  id: string;
  type: 'IMAGE' | 'VIDEO';
  blob: string;
  alt?: string | undefined;
  user_tags?: unknown;
}>;

export const mediumOf = ({ id: blob, mime }: Blob): Medium => ({
  id: newId(),
  type: mime.startsWith('video/') ? 'VIDEO' : 'IMAGE',
  blob,
});

const mediumLook = (name: string, urlOf: (blob: string) => string): NodeType<Medium> => ({
  name,
  id: ({ id }) => id,
  defaultFields: [],
  fields: {
    media_type: ({ type }) => type,
    media_url: ({ blob }) => urlOf(blob),
    thumbnail_url: ({ type, blob }) => (type === 'VIDEO' ? urlOf(blob) : undefined),
    alt_text: ({ alt }) => alt,
  },
});

export const drawMedium = (world: Pick<GraphWorld, 'hosts'>, { type, blob, alt = '' }: Medium): Html =>
  drawVisual(type === 'VIDEO', fileUrl(world, blob), alt);

export const typeOfSet = (media: readonly Medium[]): string | undefined =>
  media.length > 1 ? 'CAROUSEL_ALBUM' : media[0]?.type;

type Posted = Readonly<{ id: string; at: number; media: readonly Medium[]; shortcode: string }>;

/** Fields of posts that both platforms have. If a post has a single file, its fields are the post's own. */
export function postFields<P extends Posted>(
  name: string,
  urlOf: (blob: string) => string,
  permalinkOf: (post: P) => string,
): NodeType<P>['fields'] {
  const medium = mediumLook(name, urlOf);
  const ofOne = ['media_url', 'thumbnail_url', 'alt_text'].map((field): [string, NodeType<P>['fields'][string]] => [
    field,
    ({ media: [only, ...more] }, at) =>
      only !== undefined && more.length === 0 ? medium.fields[field]?.(only, at) : undefined,
  ]);
  return {
    ...Object.fromEntries(ofOne),
    media_type: ({ media }) => typeOfSet(media),
    children: ({ id, media }) => (media.length > 1 ? edge(medium, `${id}/children`, () => media) : undefined),
    permalink: permalinkOf,
    shortcode: ({ shortcode }) => shortcode,
    timestamp: ({ at }) => graphTime(at),
  };
}
