import * as z from 'zod';
import type { AccountCall, Keeping } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { refused, unlessRefused } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import { pending, pendingAs } from '../shared/pending.ts';
import type { Fields } from '../shared/rest.ts';
import { type GraphRequest, Made } from './api.ts';

/** How often containers are made anew that expired, or that failed for a reason that passes. */
const MAX_RESTARTS = 2;
/** When a container is tried again whose making was refused for a reason that may pass, in seconds. */
const RETRIES_S = Object.freeze([5, 15, 30]);
/**
 * Finished containers that are refused as if they were not there are made anew, so often; how old each new one is before
 * it is published, as some are found only after a while.
 */
const RESTS_MS = Object.freeze([0, 3_000, 10_000, 30_000]);
/** How a platform calls what it publishes through containers. */
export type ContainerApi = Readonly<{
  /** Display name, for messages. */
  title: string;
  /** Below the owner: where containers are made and published, such as `media` and `media_publish`. */
  edges: Readonly<{ make: string; publish: string }>;
  /** The fields of a container that hold its state, and what is wrong with it. */
  fields: Readonly<{ state: string; why: string }>;
  /** Calls as the account. */
  request<T extends z.ZodType>(call: AccountCall, request: GraphRequest, schema: T): Promise<z.output<T>>;
  /** The id of the account, or its alias. */
  ownerOf(call: AccountCall): string;
  /** What the reason of a failed container means: a refusal is final; after anything else it is made anew. */
  failureOf(why: string): PlatformError;
  /** Whether a refusal to publish only says that the container is not there, or not finished yet. */
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

export type NamedPost = Readonly<{ id: string; permalink?: string | undefined }>;

/**
 * The containers made so far, those that replace expired ones, when publishing was first asked for, and which posts
 * that look like this one were listed then.
 */
export type Kept = Readonly<{
  children?: readonly string[];
  container?: string;
  anew?: number;
  lost?: number;
  retried?: number;
  madeAt?: number;
  from?: number;
  others?: readonly string[];
}>;

type Seen = Readonly<{ state: string; why: string }>;
export type Call = AccountCall & Keeping;

const keptRequest = ({ from, others = [] }: Kept): Kept => (from === undefined ? {} : { from, others });

/** Makes containers, and looks at their state. */
export function makeContainers({ title, edges, fields, request, ownerOf, failureOf }: ContainerApi) {
  const State = z.object({ [fields.state]: z.string(), [fields.why]: text });
  const atWork = () => pending(`${title} is still working on the media.`);

  /** Makes a container; `kept` is what is made already, should this have to be tried again. */
  async function create(call: Call, form: Fields, kept: Kept): Promise<string> {
    const options = { method: 'POST', path: `/{owner}/${edges.make}`, ids: { owner: ownerOf(call) }, form } as const;
    try {
      return (await request(call, options, Made)).id;
    } catch (error) {
      const { retried = 0 } = kept;
      const seconds = RETRIES_S[retried];
      if (!(error instanceof PlatformError) || !error.passing || seconds === undefined) throw error;
      await call.keep({ ...kept, retried: retried + 1 } satisfies Kept);
      throw pendingAs(error, seconds);
    }
  }

  /** The state of a container: that of the platform, or GONE. */
  async function look(call: AccountCall, container: string): Promise<Seen> {
    const query = { fields: `${fields.state},${fields.why}` };
    const options = { method: 'GET', path: '/{container}', ids: { container }, query } as const;
    const seen = (await unlessRefused(request(call, options, State), 'not_found')) ?? {};
    return { state: seen[fields.state] ?? 'GONE', why: seen[fields.why] ?? '' };
  }

  /** Goes on where a container is finished; else it is still worked on, is to be made anew, or failed for good. */
  async function assess(call: Call, kept: Kept, { state, why }: Seen): Promise<void> {
    if (state === 'FINISHED' || state === 'PUBLISHED') return;
    if (state === 'EXPIRED' || state === 'GONE') return restart(call, kept);
    if (state !== 'ERROR') throw atWork();
    const failure = failureOf(why);
    if (failure.kind === 'refused') return giveUp(call, kept, failure);
    return restart(call, kept, failure);
  }

  /** Forgets the containers that are kept, so that the next try makes others. */
  async function restart(call: Call, kept: Kept, failure?: PlatformError): Promise<never> {
    const { anew = 0 } = kept;
    if (anew >= MAX_RESTARTS)
      return giveUp(
        call,
        kept,
        refused('invalid_request', `${title} could not work on the media, several times in a row.`, failure),
      );
    await call.keep({ anew: anew + 1, ...keptRequest(kept) } satisfies Kept);
    throw atWork();
  }

  /** Forgets a finished container that is refused as if it was not there: only another one is published. */
  async function startOver(call: Call, { anew = 0, lost = 0 }: Kept, error: PlatformError): Promise<never> {
    if (lost + 1 >= RESTS_MS.length) return giveUp(call, {}, error);
    await call.keep({ anew, lost: lost + 1 } satisfies Kept);
    throw pendingAs(error);
  }

  /** Fails for good; who asks again later begins with other containers, as these remain as they are. */
  async function giveUp(call: Call, kept: Kept, error: PlatformError): Promise<never> {
    await call.keep({ anew: 0, ...keptRequest(kept) } satisfies Kept);
    throw error;
  }

  /** Makes the container of a post, after all of its items. */
  async function make(call: Call, plan: ContainerPlan): Promise<string> {
    const kept: Kept = call.kept ?? {};
    const children = [...(kept.children ?? [])];
    const made = (): Kept => ({ ...kept, children: [...children] });
    for (const formOf of plan.children.slice(children.length)) {
      children.push(await create(call, await formOf(), made()));
      await call.keep(made());
    }
    for (const child of children) {
      await assess(call, kept, await look(call, child));
    }
    return create(call, await plan.whole(children), made());
  }

  /** What is kept, with the container in it: `made`, unless it has to be made, for the first time or anew. */
  async function withContainer(call: Call, plan: ContainerPlan, made?: string): Promise<Kept & { container: string }> {
    const { container, children: _, ...kept }: Kept = call.kept ?? {};
    if (container !== undefined) return { ...kept, container };
    if (made !== undefined && kept.anew === undefined) return { ...kept, container: made };
    const fresh = { ...kept, container: await make(call, plan), madeAt: call.now() };
    await call.keep(fresh);
    return fresh;
  }

  /** Waits until a container is old enough that is in place of one that could not be found. */
  function rest({ lost = 0, madeAt = 0 }: Kept, now: number): void {
    if (now < madeAt + RESTS_MS[lost]!) throw pending(`${title} is given a moment for the post.`, 3);
  }

  return { make, withContainer, look, assess, restart, startOver, rest, atWork };
}
