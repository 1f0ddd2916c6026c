import * as z from 'zod';
import type { AccountCall, Keeping } from '../call.ts';
import { PlatformError } from '../errors.ts';
import type { OutgoingMedia } from '../media.ts';
import type { Done, PublishCall, Step } from '../posts.ts';
import { unclear, unfit, unlessRefused } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import { pending } from '../shared/pending.ts';
import type { Fields } from '../shared/rest.ts';
import { onlyMatch } from '../shared/settle.ts';
import { type GraphAsk, listOf, Made } from './api.ts';

/** How long media may be worked on. */
const WORK_MS = 2 * 3_600_000;
/** How often containers are made anew that expired, or that failed for a reason that passes. */
const MOST_ANEW = 2;
/** How many of the newest posts are looked at for one whose answer got lost. */
const NEWEST = 50;
/** How long the reported state of a container may lag behind our changes. */
const LAG_MS = 90_000;

/** How a platform calls what it publishes through containers. */
export type ContainerApi = Readonly<{
  /** Display name, for messages. */
  title: string;
  /** Below the owner: where containers are made and published, such as `media` and `media_publish`. */
  edges: Readonly<{ make: string; publish: string }>;
  /** The fields of a container that hold its state, and what is wrong with it. */
  fields: Readonly<{ state: string; why: string }>;
  /** Calls as the account. */
  request<T extends z.ZodType>(call: AccountCall, ask: GraphAsk, schema: T): Promise<z.output<T>>;
  /** The id of the account, or its alias. */
  ownerOf(call: AccountCall): string;
  /** What the reason of a failed container means: a refusal is final; after anything else it is made anew. */
  failureOf(why: string): PlatformError;
  /** Whether a refusal to publish only says that the container is not finished yet. */
  isUnready(error: PlatformError): boolean;
}>;

/** What a post is made of. Forms are made when they are sent, so that addresses of media live long enough. */
export type ContainerPlan = Readonly<{
  /** The forms of the items of a carousel; none for a post of one item. */
  children: readonly (() => Promise<Fields>)[];
  /** The form of the container that is published, with the ids of its children. */
  whole(children: readonly string[]): Promise<Fields>;
  /** The newest posts of the account that look like this one, for an answer that got lost. */
  listed(): Promise<readonly NamedPost[]>;
}>;

/** A published container: the id of its post, or the posts that are others where the answer got lost. */
type Publication = Readonly<{ id: string }> | Readonly<{ others: readonly string[] }>;
/** The container of an answer, and the posts that are others. */
export type Prepared = Readonly<{ container: string; others: readonly string[] }>;
export type NamedPost = Readonly<{ id: string; permalink?: string | undefined }>;

/**
 * The containers made so far, those that replace expired ones, when publishing was first asked for, and which posts
 * that look like this one were listed then.
 */
type Kept = Readonly<{
  children?: readonly string[];
  container?: string;
  anew?: number;
  from?: number;
  others?: readonly string[];
}>;

type Seen = Readonly<{ state: string; why: string }>;
type Call = AccountCall & Keeping;
type StepName = 'container' | 'publish' | 'named';

const Shown = z.object({ permalink: text });

/** Makes containers, and looks at their state. */
function makeContainers({ title, edges, fields, request, ownerOf, failureOf }: ContainerApi) {
  const State = z.object({ [fields.state]: z.string(), [fields.why]: text });
  const atWork = () => pending(`${title} is still working on the media.`);

  async function create(call: AccountCall, form: Fields): Promise<string> {
    const ask = { method: 'POST', path: `/{owner}/${edges.make}`, ids: { owner: ownerOf(call) }, form } as const;
    return (await request(call, ask, Made)).id;
  }

  /** The state of a container: that of the platform, or GONE. */
  async function look(call: AccountCall, container: string): Promise<Seen> {
    const query = { fields: `${fields.state},${fields.why}` };
    const ask = { method: 'GET', path: '/{container}', ids: { container }, query } as const;
    const seen = (await unlessRefused(request(call, ask, State), 'not_found')) ?? {};
    return { state: seen[fields.state] ?? 'GONE', why: seen[fields.why] ?? '' };
  }

  /** Whether a container is finished, or has to be made anew; throws if it is still worked on or failed for good. */
  function assess({ state, why }: Seen): 'finished' | 'expired' {
    if (state === 'FINISHED' || state === 'PUBLISHED') return 'finished';
    if (state === 'EXPIRED' || state === 'GONE') return 'expired';
    if (state !== 'ERROR') throw atWork();
    const failure = failureOf(why);
    if (failure.kind === 'refused') throw failure;
    return 'expired';
  }

  /** Forgets the containers that are kept, so that the next try makes others. */
  async function startAnew(call: Call, { anew = 0, from, others }: Kept): Promise<never> {
    if (anew >= MOST_ANEW) throw unfit(`${title} could not work on the media, several times in a row.`);
    const asked = from === undefined ? {} : { from, others: others ?? [] };
    await call.keep({ anew: anew + 1, ...asked } satisfies Kept);
    throw atWork();
  }

  /** Makes the container of a post, after all of its items. */
  async function make(call: Call, plan: ContainerPlan): Promise<string> {
    const kept: Kept = call.kept ?? {};
    const children = [...(kept.children ?? [])];
    for (const formOf of plan.children.slice(children.length)) {
      children.push(await create(call, await formOf()));
      await call.keep({ ...kept, children: [...children] } satisfies Kept);
    }
    for (const child of children) {
      if (assess(await look(call, child)) === 'expired') await startAnew(call, kept);
    }
    return create(call, await plan.whole(children));
  }

  /** What is kept, with the container in it: `made`, unless it has to be made, for the first time or anew. */
  async function withContainer(call: Call, plan: ContainerPlan, made?: string): Promise<Kept & { container: string }> {
    const { container, children: _, ...kept }: Kept = call.kept ?? {};
    if (container !== undefined) return { ...kept, container };
    if (made !== undefined && kept.anew === undefined) return { ...kept, container: made };
    const fresh = { ...kept, container: await make(call, plan) };
    await call.keep(fresh);
    return fresh;
  }

  return { make, withContainer, look, assess, startAnew, atWork };
}

/** Publishes finished containers, and finds out what their posts are called. */
function makePublishing(api: ContainerApi, containers: ReturnType<typeof makeContainers>) {
  const { title, edges, request, ownerOf, isUnready } = api;
  const { withContainer, look, assess, startAnew, atWork } = containers;

  /** Publishes a finished container; undefined if an earlier try has, whose answer got lost. */
  async function ask(
    call: AccountCall,
    container: string,
    { from, expired }: Readonly<{ from?: number; expired?(): Promise<never> }> = {},
  ): Promise<string | undefined> {
    const form = { creation_id: container };
    const to = { method: 'POST', path: `/{owner}/${edges.publish}`, ids: { owner: ownerOf(call) }, form } as const;
    try {
      return (await request(call, to, Made)).id;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'refused' || error.reason === 'auth') throw error;
      // A container is published once: after a lost answer another try is refused.
      const { state } = await look(call, container);
      if (state === 'PUBLISHED') return undefined;
      if (state === 'EXPIRED') await expired?.();
      if (isUnready(error)) throw atWork();
      if (from !== undefined && call.now() - from < LAG_MS) throw unclear(undefined, error);
      throw error;
    }
  }

  /** The posts that look like this one and are others; none where the login may not list them. */
  const othersOf = async ({ listed }: ContainerPlan) => ((await unlessRefused(listed())) ?? []).map(({ id }) => id);

  async function publish(call: Call, plan: ContainerPlan, made?: string): Promise<Publication> {
    const kept = await withContainer(call, plan, made);
    const { container, from, others = [] } = kept;
    const seen = await look(call, container);
    // One that is gone after it was to be published may have been.
    if (seen.state === 'PUBLISHED' || (seen.state === 'GONE' && from !== undefined)) return { others };
    if (assess(seen) === 'expired') return startAnew(call, kept);
    if (from !== undefined) {
      const again = { from, expired: () => startAnew(call, kept) };
      return asPublication(await ask(call, container, again), others);
    }
    // Without them nobody could tell a post whose answer got lost from others that look like it.
    const asked = { ...kept, from: call.now(), others: await othersOf(plan) };
    await call.keep(asked satisfies Kept);
    return asPublication(await ask(call, container, { expired: () => startAnew(call, asked) }), asked.others);
  }

  /** The post by its id, or the only one listed that is none of the others. */
  async function nameOf(call: AccountCall, { listed }: ContainerPlan, publication: Publication): Promise<NamedPost> {
    if ('others' in publication) {
      const found = onlyMatch((await unlessRefused(listed())) ?? [], ({ id }) => !publication.others.includes(id));
      if (found === 'unknown') throw unclear(`${title} has published the post, but does not show it yet.`);
      return { id: found.id, permalink: found.permalink };
    }
    const { id } = publication;
    const ask = { method: 'GET', path: '/{post}', ids: { post: id }, query: { fields: 'permalink' } } as const;
    try {
      return { id, permalink: (await request(call, ask, Shown)).permalink };
    } catch (error) {
      // Published already: nothing may fail it now.
      if (error instanceof PlatformError) return { id };
      throw error;
    }
  }

  return { ask, othersOf, publish, nameOf };
}

/**
 * Publishing through containers, as Instagram and Threads do it: items are made (invisible), then the whole once they
 * are finished (invisible), then it is published by its id, which makes at most one post (idempotent), and at last the
 * post gets its name (idempotent): the id of the answer, or the one that a list shows if the answer got lost.
 *
 * A post has the three `steps`, and its `run` hands each to `run`; a thread has them once for each part, told apart by
 * `part` (`steps('.1')`, `run(…, '.1')`). `named` reads the post from the results of the steps. What is optional is one
 * step, `inOne`. An answer to somebody that is a container too is sent by `prepare`, `send` and `settle`.
 */
export function graphContainers(api: ContainerApi) {
  const { request, ownerOf } = api;
  const containers = makeContainers(api);
  const { make, withContainer, look, assess, startAnew } = containers;
  const { ask, othersOf, publish, nameOf } = makePublishing(api, containers);

  return Object.freeze({
    /** Makes, awaits, publishes and names a post in one step, which is idempotent. */
    async inOne(call: Call, plan: ContainerPlan): Promise<NamedPost> {
      return nameOf(call, plan, await publish(call, plan));
    },

    /** Makes the container of an answer, and waits until it is finished. */
    async prepare(call: Call, plan: ContainerPlan): Promise<Prepared> {
      const kept = await withContainer(call, plan);
      const { container } = kept;
      if (assess(await look(call, container)) === 'expired') await startAnew(call, kept);
      return { container, others: await othersOf(plan) };
    },

    /** Publishes the container of an answer. */
    async send(call: AccountCall, plan: ContainerPlan, { container, others }: Prepared): Promise<NamedPost> {
      return nameOf(call, plan, asPublication(await ask(call, container), others));
    },

    /** What became of an answer that was sent. */
    async settle(call: AccountCall, plan: ContainerPlan, { container, others }: Prepared) {
      const { state } = await look(call, container);
      if (state === 'PUBLISHED') return nameOf(call, plan, { others });
      return state === 'FINISHED' ? 'absent' : 'unknown';
    },

    /** The steps of a post, or of one part of a thread. */
    steps: (part = ''): readonly Step[] => [
      { name: `container${part}`, kind: 'invisible', maxWaitMs: WORK_MS },
      { name: `publish${part}`, kind: 'idempotent', maxWaitMs: WORK_MS },
      { name: `named${part}`, kind: 'idempotent' },
    ],

    /** Does one of these steps. */
    async run(call: Call & Readonly<{ done: Done }>, step: string, plan: ContainerPlan, part = ''): Promise<unknown> {
      const does = step.slice(0, step.length - part.length) as StepName;
      if (does === 'container') return make(call, plan);
      if (does === 'publish') return publish(call, plan, call.done[`container${part}`] as string);
      return nameOf(call, plan, call.done[`publish${part}`] as Publication);
    },

    /** The newest posts on an edge of the account that look like one of ours. */
    async newest<T extends z.ZodType<NamedPost>>(
      call: AccountCall,
      { edge, fields, item }: Readonly<{ edge: string; fields: string; item: T }>,
      isOurs: (post: z.output<T>) => boolean,
    ): Promise<readonly NamedPost[]> {
      const query = { fields: `${fields},id,permalink`, limit: NEWEST };
      const ask = { method: 'GET', path: `/{owner}/${edge}`, ids: { owner: ownerOf(call) }, query } as const;
      const { data } = await request(call, ask, listOf(item));
      return data.filter(isOurs).map(({ id, permalink }) => ({ id, permalink }));
    },

    /** The post, or a part of a thread; undefined before it is published. */
    named: (done: Done, part = '') => done[`named${part}`] as NamedPost | undefined,
  });
}

/** Where the platform fetches one of the media, for some time; addresses have to be ASCII. */
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
