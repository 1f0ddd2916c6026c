/** What the API of containers has in common: files that are fetched, parts of sets, and reads of how far a container is. */
import { badParam, unknownObject } from '../api/errors.ts';
import type { GraphError } from '../api/errors.ts';
import type { Look } from '../api/render.ts';
import { asSession } from '../oauth/tokens.ts';
import { drawOne } from '../world.ts';
import type { Call, GraphWorld, Method } from '../world.ts';
import type { DocStore } from '../../kit/docs.ts';
import type { Container, Containers, ContainerStatus } from './containers.ts';

/** What a platform takes, and what it says of anything else. */
export type SourceTerms = Readonly<{
  images: readonly string[];
  largestImage: number;
  largestVideo: number;
  /** A picture is refused at once. */
  refuse: Readonly<{ missing(url: string): GraphError; format(): GraphError }>;
  /** What the container of a film fails with later. */
  failures: Readonly<{ missing: string; format: string }>;
}>;

const FILMS = Object.freeze(['video/mp4', 'video/quicktime']);

export type Source = Readonly<{ blob: string; failure?: string }>;

/** Fetches the file of a container from the address that the app names. */
export function makeSources({ fetching, files }: Pick<GraphWorld, 'fetching' | 'files'>, terms: SourceTerms) {
  const { images, largestImage, largestVideo, refuse, failures } = terms;
  return Object.freeze({
    async image(url: string): Promise<Source> {
      const blob = await fetching.media(url, largestImage);
      if (blob === undefined) throw refuse.missing(url.slice(0, 300));
      if (!images.includes(blob.mime)) throw refuse.format();
      return { blob: blob.id };
    },
    async video(url: string): Promise<Source> {
      const blob = await fetching.media(url, largestVideo);
      if (blob === undefined) return { blob: files.open('video').id, failure: failures.missing };
      return { blob: blob.id, ...(!FILMS.includes(blob.mime) && { failure: failures.format }) };
    },
  });
}

type Stored<T> = Readonly<{ nodes: DocStore<{ container: Container<T> }> }>;

/** The parts of a set as a call names them: the caller's own, in their order, none of them failed. */
export function partsOf<T>(
  { params, actor }: Call,
  { nodes }: Stored<T>,
  containers: Containers<T>,
  most: number,
): readonly string[] {
  const given = params.text('children') ?? '';
  const ids = given.startsWith('[') ? (params.list('children') ?? []).map(String) : given.split(',').filter(Boolean);
  if (ids.length < 2 || ids.length > most) throw badParam(`A carousel must have 2 to ${most} children`);
  for (const id of ids) {
    const part = nodes.get('container', id);
    const isOwn = part?.is_child === true && part.page_id === ownerOf(actor);
    if (!isOwn || ['ERROR', 'EXPIRED'].includes(containers.status(part)))
      throw badParam(`The child ${id.slice(0, 40)} cannot be part of a carousel`);
  }
  return ids;
}

/** The account that a caller acts for. */
function ownerOf(actor: Call['actor']): string {
  const { kind, claims } = asSession(actor);
  return kind === 'page' ? claims.page : claims.person;
}

/** A container as readers see it, with what its status was found to be. */
export type SeenContainer<T> = Container<T> & Readonly<{ found: ContainerStatus }>;

/** The read of a container, which counts; nobody sees another account's. */
export const containerMethod = <T>(
  { nodes }: Stored<T>,
  containers: Containers<T>,
  look: Look<SeenContainer<T>>,
): Method => ({
  params: [],
  run(call: Call, id: string) {
    const container = nodes.get('container', id);
    if (container === undefined || container.page_id !== ownerOf(call.actor)) throw unknownObject(id);
    return drawOne(call, look, { ...container, found: containers.look(id) });
  },
});
