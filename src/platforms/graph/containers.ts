import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import type { OutgoingMedia } from '../media.ts';
import type { PublishCall } from '../posts.ts';
import { refused, unclear, unlessRefused } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import { pendingAs } from '../shared/pending.ts';
import type { Fields } from '../shared/rest.ts';
import { onlyMatch } from '../shared/settle.ts';
import { listOf, Made } from './api.ts';
import {
  type Call,
  type ContainerApi,
  type ContainerPlan,
  type Kept,
  makeContainers,
  type NamedPost,
} from './container-making.ts';

/** How many of the newest posts are searched after a lost response. */
const NEWEST = 50;
/** How long a container's reported state may be out of date after our requests. */
const LAG_MS = 90_000;

/** The id of the post; if the response was lost, the ids of similar posts that are not it. */
export const Publication = z.object({ id: text, others: z.array(z.string()).readonly().optional() });
export type Publication = Readonly<z.output<typeof Publication>>;
/** The container of a reply, and the ids of similar posts that are not it. */
export type Prepared = Readonly<{ container: string; others: readonly string[] }>;

/** Handles a refused container: `expired` if it expired, `lost` if the platform cannot find it. */
type Refused = Readonly<{ from?: number; expired?(): Promise<never>; lost(error: PlatformError): Promise<never> }>;

const PostView = z.object({ permalink: text });

function makePublishing(api: ContainerApi, containers: ReturnType<typeof makeContainers>) {
  const { title, edges, request, ownerOf, isUnready } = api;
  const { withContainer, look, assess, restart, startOver, rest, atWork } = containers;

  /** Publishes a finished container; undefined if it is already public and the response was lost. */
  async function requestContainer(
    call: AccountCall,
    container: string,
    { from, expired, lost }: Refused,
  ): Promise<string | undefined> {
    const form = { creation_id: container };
    const to = { method: 'POST', path: `/{owner}/${edges.publish}`, ids: { owner: ownerOf(call) }, form } as const;
    try {
      return (await request(call, to, Made)).id;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'refused' || error.reason === 'auth') throw error;
      // A container can be published only once, so after a lost response the next try is refused.
      const { state } = await look(call, container);
      if (state === 'PUBLISHED') return undefined;
      if (state === 'EXPIRED') await expired?.();
      const isUnfound = isUnready(error);
      if (isUnfound && state === 'IN_PROGRESS') throw atWork();
      if (from !== undefined && call.now() - from < LAG_MS) throw unclear(undefined, error);
      if (isUnfound) await lost(refused('api_error', `${title} does not find the post that it has prepared.`, error));
      throw error;
    }
  }

  /** The ids of posts that look like this one; empty if the login may not list them. */
  const othersOf = async ({ listed }: ContainerPlan) => ((await unlessRefused(listed())) ?? []).map(({ id }) => id);

  async function publish(call: Call, plan: ContainerPlan, made?: string): Promise<Publication> {
    const kept = await withContainer(call, plan, made);
    const { container, from, others = [] } = kept;
    const seen = await look(call, container);
    // A container that is gone after a publish request may have become public.
    if (seen.state === 'PUBLISHED' || (seen.state === 'GONE' && from !== undefined)) return { others };
    await assess(call, kept, seen);
    rest(kept, call.now());
    const lost = (error: PlatformError) => startOver(call, kept, error);
    if (from !== undefined) {
      const again = { from, expired: () => restart(call, kept), lost };
      return asPublication(await requestContainer(call, container, again), others);
    }
    // Similar posts are noted beforehand; after a lost response the new post is the one not among them.
    const request = { ...kept, from: call.now(), others: await othersOf(plan) };
    await call.keep(request satisfies Kept);
    return asPublication(
      await requestContainer(call, container, { expired: () => restart(call, request), lost }),
      request.others,
    );
  }

  /** Finds the post by its id, or as the only listed post that is not among the similar ones. */
  async function nameOf(call: AccountCall, { listed }: ContainerPlan, publication: Publication): Promise<NamedPost> {
    const { id, others = [] } = publication;
    if (id === undefined) {
      const found = onlyMatch((await unlessRefused(listed())) ?? [], (one) => !others.includes(one.id));
      if (found === 'unknown') throw unclear(`${title} has published the post, but does not show it yet.`);
      return { id: found.id, permalink: found.permalink };
    }
    const options = { method: 'GET', path: '/{post}', ids: { post: id }, query: { fields: 'permalink' } } as const;
    try {
      return { id, permalink: (await request(call, options, PostView)).permalink };
    } catch (error) {
      // The post is public already, so a failed lookup must not fail it.
      if (error instanceof PlatformError) return { id };
      throw error;
    }
  }

  return { requestContainer, othersOf, publish, nameOf };
}

/** Publishes by containers (Instagram, Threads): create, publish once, look up; repeating the last two is safe. */
export function graphContainers(api: ContainerApi) {
  const { request, ownerOf } = api;
  const containers = makeContainers(api);
  const { make, withContainer, look, assess, rest } = containers;
  const { requestContainer, othersOf, publish, nameOf } = makePublishing(api, containers);

  return Object.freeze({
    /** Creates, publishes and looks up a post in one idempotent step. */
    async inOne(call: Call, plan: ContainerPlan): Promise<NamedPost> {
      return nameOf(call, plan, await publish(call, plan));
    },

    /** Creates the container of a reply and waits until it is finished. */
    async prepare(call: Call & Readonly<{ lost?: number }>, plan: ContainerPlan): Promise<Prepared> {
      const { lost = 0 } = call;
      const isLost = lost !== ((call.kept as Kept | undefined)?.lost ?? 0);
      const kept = await withContainer(isLost ? { ...call, kept: { anew: 0, lost } satisfies Kept } : call, plan);
      const { container } = kept;
      await assess(call, kept, await look(call, container));
      rest(kept, call.now());
      return { container, others: await othersOf(plan) };
    },

    /** Publishes the container of a reply; if it cannot be found, the reply is prepared again. */
    async send(call: AccountCall, plan: ContainerPlan, { container, others }: Prepared): Promise<NamedPost> {
      const lost = async (error: PlatformError): Promise<never> => {
        throw pendingAs(error);
      };
      return nameOf(call, plan, asPublication(await requestContainer(call, container, { lost }), others));
    },

    async settle(call: AccountCall, plan: ContainerPlan, { container, others }: Prepared) {
      const { state } = await look(call, container);
      if (state === 'PUBLISHED') return nameOf(call, plan, { others });
      return state === 'FINISHED' ? 'absent' : 'unknown';
    },

    make,

    publish,

    nameOf,

    async newest<T extends z.ZodType<NamedPost>>(
      call: AccountCall,
      { edge, fields, item }: Readonly<{ edge: string; fields: string; item: T }>,
      isOurs: (post: z.output<T>) => boolean,
    ): Promise<readonly NamedPost[]> {
      const query = { fields: `${fields},id,permalink`, limit: NEWEST };
      const options = { method: 'GET', path: `/{owner}/${edge}`, ids: { owner: ownerOf(call) }, query } as const;
      const { data } = await request(call, options, listOf(item));
      return data.filter(isOurs).map(({ id, permalink }) => ({ id, permalink }));
    },
  });
}

/** A temporary URL from which the platform fetches a medium; it must be ASCII. */
export async function addressField(
  { link }: Pick<PublishCall, 'link'>,
  { ref, kind }: OutgoingMedia,
  minutes: number,
): Promise<Fields> {
  const { href } = new URL(await link(ref, { minutes }));
  return kind === 'video' ? { video_url: href } : { image_url: href };
}

const asPublication = (id: string | undefined, others: readonly string[]): Publication =>
  id === undefined ? { others } : { id };
