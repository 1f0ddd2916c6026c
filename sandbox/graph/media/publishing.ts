/** Publishing through containers: download, status, carousels, posts and daily limits. */
import { badParam, unknownObject, type GraphError } from '../api/errors.ts';
import type { NodeType } from '../api/render.ts';
import { newId } from '../ids.ts';
import { asSession } from '../oauth/tokens.ts';
import { drawOne, type Call, type GraphWorld, type Method, type Methods } from '../world.ts';
import type { DocStore } from '../../kit/docs.ts';
import type { Settings } from '../../kit/settings.ts';
import type { Container, CONTAINER_SETTINGS, Containers, ContainerStatus } from './containers.ts';
import type { Medium } from './medium.ts';

const DAY = 86_400;
const LONGEST_ALT = 1000;
const FILMS = Object.freeze(['video/mp4', 'video/quicktime']);

/** Which files are accepted, and the errors for others. */
export type SourceTerms = Readonly<{
  images: readonly string[];
  largestImage: number;
  largestVideo: number;
  /** Errors for pictures, which are checked while the container is created. */
  refuse: Readonly<{ missing(url: string): GraphError; format(): GraphError }>;
  /** Errors for videos, which the container reports later in its status. */
  failures: Readonly<{ missing: string; format: string }>;
}>;

type Source = Readonly<{ blob: string; failure?: string }>;
type Sources = ReturnType<typeof makeSources>;

/** Downloads the file of a container from the URL that the app gave. */
function makeSources({ fetching, files }: Pick<GraphWorld, 'fetching' | 'files'>, terms: SourceTerms) {
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

/** What a call wants to publish; platforms add their own fields to the draft. */
export type Plan<T> = Readonly<{
  draft: Omit<T, 'media'>;
  kind: 'text' | 'image' | 'video' | 'set';
  /** Whether it needs processing, as videos do. */
  isSlow: boolean;
  /** Whether the same call also publishes it. */
  isInstant?: boolean;
  isUpload?: boolean;
}>;

type Finish<T> = Readonly<{ medium?: Partial<Medium>; draft?: Partial<T>; failure?: string | undefined }>;

export type PublishingTerms<T extends Readonly<{ media?: readonly Medium[] }>> = Readonly<{
  open: string;
  publish: string;
  params: readonly string[];
  mostParts: number;
  sources: SourceTerms;
  container: NodeType<SeenContainer<T>>;
  allow(call: Call, account: string): unknown;
  plan(call: Call, account: string): Plan<T>;
  checkParts?(ids: readonly string[]): void;
  /** Checks a file after its download. */
  finish?(call: Call, kind: 'image' | 'video', source: Source, sources: Sources): Promise<Finish<T>>;
  /** The error for a container that cannot be published yet, again or at all. */
  unpublishable(id: string, status: ContainerStatus | undefined): GraphError;
  /** Whether publishing still pretends not to find the container. */
  isHeld?(container: Container<T>): boolean;
  checkLimit(draft: T, account: string): void;
  /** Creates the post. Inside a transaction. */
  make(account: string, draft: T): Readonly<{ id: string }>;
}>;

type World<T> = Pick<GraphWorld, 'store' | 'fetching' | 'files' | 'hosts'> &
  Readonly<{ nodes: DocStore<{ container: Container<T> }>; settings: Settings<typeof CONTAINER_SETTINGS> }>;

function ownerOf(actor: Call['actor']): string {
  const { kind, claims } = asSession(actor);
  return kind === 'page' ? claims.page : claims.person;
}

/** The ids of a carousel's parts, in order. Each must belong to the caller and not have failed or expired. */
function partsOf<T>(
  { params, actor }: Call,
  { nodes }: Pick<World<T>, 'nodes'>,
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

export type SeenContainer<T> = Container<T> & Readonly<{ found: ContainerStatus }>;

/** Returns a container's status and counts the read; containers of other accounts are not found. */
const containerMethod = <T>(
  { nodes }: Pick<World<T>, 'nodes'>,
  containers: Containers<T>,
  look: NodeType<SeenContainer<T>>,
): Method => ({
  params: [],
  run(call: Call, id: string) {
    const container = nodes.get('container', id);
    if (container === undefined || container.page_id !== ownerOf(call.actor)) throw unknownObject(id);
    return drawOne(call, look, { ...container, found: containers.look(id) });
  },
});

function makeOpening<T extends Readonly<{ media?: readonly Medium[] }>>(
  world: World<T>,
  containers: Containers<T>,
  terms: PublishingTerms<T>,
  publish: (container: Container<T>) => Readonly<{ id: string }>,
) {
  const { store, files, hosts, settings } = world;
  const sources = makeSources(world, terms.sources);

  /** Fails the download of an existing picture, as often as a setting demands. */
  function failFetch(url: string): void {
    const left = settings.get('fetches_failing');
    if (left === 0) return;
    settings.set({ fetches_failing: left - 1 });
    throw terms.sources.refuse.missing(url.slice(0, 300));
  }

  async function read(call: Call, kind: 'image' | 'video') {
    const { params } = call;
    const alt = params.text('alt_text');
    if ((alt ?? '').length > LONGEST_ALT)
      throw badParam(`Param alt_text must be at most ${LONGEST_ALT} characters long.`);
    const url = params.required(`${kind}_url`);
    if (kind === 'image') failFetch(url);
    const source = await sources[kind](url);
    const more = (await terms.finish?.(call, kind, source, sources)) ?? {};
    const type = kind === 'video' ? 'VIDEO' : 'IMAGE';
    const medium: Medium = { id: newId(), type, blob: source.blob, alt, ...more.medium };
    return { medium, draft: more.draft, failure: source.failure ?? more.failure };
  }

  return async function open(call: Call, account: string): Promise<object> {
    terms.allow(call, account);
    const { draft, kind, isSlow, isInstant, isUpload } = terms.plan(call, account);
    const children = kind === 'set' ? partsOf(call, world, containers, terms.mostParts) : [];
    terms.checkParts?.(children);
    const is_child = call.params.flag('is_carousel_item') === true && (kind === 'image' || kind === 'video');
    const opening = { page_id: account, children, is_child, slow: isSlow };
    if (isUpload === true) {
      const { id: blob } = files.open('video');
      const media: readonly Medium[] = [{ id: newId(), type: 'VIDEO', blob }];
      const { id } = containers.open({ ...opening, draft: { ...draft, media } as unknown as T, blob, uploaded: false });
      return { id, uri: `${hosts.rupload()}/ig-api-upload/${call.version}/${id}` };
    }
    const file = kind === 'image' || kind === 'video' ? await read(call, kind) : undefined;
    const media = file === undefined ? [] : [file.medium];
    const failure = file?.failure === undefined ? {} : { failure: file.failure };
    return store.write(() => {
      const whole = { ...draft, ...file?.draft, media } as unknown as T;
      const made = containers.open({ ...opening, ...failure, draft: whole });
      return { id: isInstant === true ? publish(made).id : made.id };
    });
  };
}

export function publishingMethods<T extends Readonly<{ media?: readonly Medium[] }>>(
  world: World<T>,
  containers: Containers<T>,
  terms: PublishingTerms<T>,
): Methods {
  const { nodes, store } = world;

  function publish({ id, page_id, draft, children, blob }: Container<T>): Readonly<{ id: string }> {
    terms.checkLimit(draft, page_id);
    const parts = children.flatMap((child) => nodes.get('container', child)?.draft.media ?? []);
    const own = (draft.media ?? []).map((one) => ({ ...one, blob: blob ?? one.blob }));
    const { id: made } = terms.make(page_id, { ...draft, media: children.length === 0 ? own : parts });
    containers.published(id, made);
    return { id: made };
  }

  return {
    [`POST ${terms.open}`]: { params: terms.params, run: makeOpening(world, containers, terms, publish) },
    'GET container': containerMethod(world, containers, terms.container),
    [`POST ${terms.publish}`]: {
      params: ['creation_id'],
      run(call: Call, account: string) {
        terms.allow(call, account);
        const id = call.params.required('creation_id');
        return store.write(() => {
          const found = nodes.get('container', id);
          const isOwn = found?.page_id === account && !found.is_child && terms.isHeld?.(found) !== true;
          if (!isOwn || !containers.publishable(found))
            throw terms.unpublishable(id, isOwn ? containers.status(found) : undefined);
          return publish(found);
        });
      },
    },
  };
}

/** A limit for 24 hours, and how much of it an account has used. */
export type Limit = readonly [most: () => number, used: (account: string) => number];

/** Daily limits, and the node that shows them; each name is the prefix of its fields. */
export function makeLimits<L extends Readonly<Record<string, Limit>>>(
  name: string,
  limits: L,
  refuse: (which: keyof L) => GraphError,
) {
  const fields = Object.entries(limits).flatMap(([which, [most, used]]) => [
    [`${which}quota_usage`, used],
    [`${which}config`, () => ({ quota_total: most(), quota_duration: DAY })],
  ]);
  const look: NodeType<string> = {
    name,
    defaultFields: ['quota_usage'],
    fields: Object.fromEntries(fields) as NodeType<string>['fields'],
  };
  return Object.freeze({
    shown: (call: Call, account: string) => ({ data: [drawOne(call, look, account)] }),
    check(which: keyof L, account: string): void {
      const [most, used] = limits[which] ?? [];
      if (most !== undefined && used !== undefined && used(account) >= most()) throw refuse(which);
    },
  });
}
