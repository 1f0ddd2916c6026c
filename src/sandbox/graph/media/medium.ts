/** The pictures and films of posts, on Instagram and on Threads. */
import { html } from '../../html.ts';
import type { Html } from '../../html.ts';
import type { Blob } from '../../kit/files.ts';
import type { Look } from '../api/render.ts';
import { newId } from '../ids.ts';
import { fileUrl } from '../world.ts';
import type { GraphWorld } from '../world.ts';

/** A picture or a film of a post. */
export type Medium = Readonly<{
  id: string;
  type: 'IMAGE' | 'VIDEO';
  blob: string;
  alt?: string | undefined;
  user_tags?: unknown;
}>;

/** A file as what a post shows. */
export const mediumOf = ({ id: blob, mime }: Blob): Medium => ({
  id: newId(),
  type: mime.startsWith('video/') ? 'VIDEO' : 'IMAGE',
  blob,
});

/** How one of several looks to the app. */
export const mediumLook = (name: string, urlOf: (blob: string) => string): Look<Medium> => ({
  name,
  id: ({ id }) => id,
  shown: [],
  fields: {
    media_type: ({ type }) => type,
    media_url: ({ blob }) => urlOf(blob),
    thumbnail_url: ({ type, blob }) => (type === 'VIDEO' ? urlOf(blob) : undefined),
    alt_text: ({ alt }) => alt,
  },
});

/** A picture or a film as visitors see it. */
export const drawMedium = (world: Pick<GraphWorld, 'hosts'>, { type, blob, alt = '' }: Medium): Html =>
  type === 'VIDEO'
    ? html`<video controls src="${fileUrl(world, blob)}"></video>`
    : html`<img src="${fileUrl(world, blob)}" alt="${alt}" loading="lazy" />`;
