import * as z from 'zod';
import type { AccountCall, Keeping } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { refused, unlessRefused } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import { pending, pendingAs } from '../shared/pending.ts';
import type { Fields } from '../shared/rest.ts';
import { type GraphRequest, Made } from './api.ts';

/** How often containers are replaced after they expired or failed for a temporary reason. */
const MAX_RESTARTS = 2;
/** Waiting times in seconds after each refused creation. */
const RETRIES_S = Object.freeze([5, 15, 30]);
/** How old each replacement of a missing container must be to be published, as some appear only after a while. */
const RESTS_MS = Object.freeze([0, 3_000, 10_000, 30_000]);
export type ContainerApi = Readonly<{
  title: string;
  /** The names of the edges below the owner, such as `media` and `media_publish`. */
  edges: Readonly<{ make: string; publish: string }>;
  /** The fields of a container that hold its state and the reason of a failure. */
  fields: Readonly<{ state: string; why: string }>;
  request<T extends z.ZodType>(call: AccountCall, request: GraphRequest, schema: T): Promise<z.output<T>>;
  ownerOf(call: AccountCall): string;
  /** Classifies the reason of a failed container: a refusal is final, otherwise the container is replaced. */
  failureOf(why: string): PlatformError;
  /** Whether publishing was refused only because the container is missing or unfinished. */
  isUnready(error: PlatformError): boolean;
}>;

/** The forms of a post's containers, built just before they are sent so that media URLs last long enough. */
export type ContainerPlan = Readonly<{
  /** The forms of a carousel's items; empty for a post with a single item. */
  children: readonly (() => Promise<Fields>)[];
  /** Builds the form of the container to publish, given the ids of its children. */
  whole(children: readonly string[]): Promise<Fields>;
  /** Lists the newest posts that look like this one, to find it after a lost response. */
  listed(): Promise<readonly NamedPost[]>;
}>;

export type NamedPost = Readonly<{ id: string; permalink?: string | undefined }>;

/** State kept between tries; `from` is the time of the first publish request, `others` are similar posts then. */
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

export function makeContainers({ title, edges, fields, request, ownerOf, failureOf }: ContainerApi) {
  const State = z.object({ [fields.state]: z.string(), [fields.why]: text });
  const atWork = () => pending(`${title} is still working on the media.`);

  /** Creates a container; a refusal that may pass is retried, and `kept` is stored for that. */
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

  async function look(call: AccountCall, container: string): Promise<Seen> {
    const query = { fields: `${fields.state},${fields.why}` };
    const options = { method: 'GET', path: '/{container}', ids: { container }, query } as const;
    const seen = (await unlessRefused(request(call, options, State), 'not_found')) ?? {};
    return { state: seen[fields.state] ?? 'GONE', why: seen[fields.why] ?? '' };
  }

  /** Returns if a container is finished; otherwise throws, after arranging for a replacement if it is unusable. */
  async function assess(call: Call, kept: Kept, { state, why }: Seen): Promise<void> {
    if (state === 'FINISHED' || state === 'PUBLISHED') return;
    if (state === 'EXPIRED' || state === 'GONE') return restart(call, kept);
    if (state !== 'ERROR') throw atWork();
    const failure = failureOf(why);
    if (failure.kind === 'refused') return giveUp(call, kept, failure);
    return restart(call, kept, failure);
  }

  /** Drops the containers, so that the next try creates new ones. */
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

  /** Drops a finished container that the platform cannot find, because only a new one can be published. */
  async function startOver(call: Call, { anew = 0, lost = 0 }: Kept, error: PlatformError): Promise<never> {
    if (lost + 1 >= RESTS_MS.length) return giveUp(call, {}, error);
    await call.keep({ anew, lost: lost + 1 } satisfies Kept);
    throw pendingAs(error);
  }

  /** Fails for good; a later retry needs new containers, because these keep their state. */
  async function giveUp(call: Call, kept: Kept, error: PlatformError): Promise<never> {
    await call.keep({ anew: 0, ...keptRequest(kept) } satisfies Kept);
    throw error;
  }

  /** Creates the containers of the items and then that of the post. */
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

  /** The stored state with its container; without one, uses `made` or creates a container. */
  async function withContainer(call: Call, plan: ContainerPlan, made?: string): Promise<Kept & { container: string }> {
    const { container, children: _, ...kept }: Kept = call.kept ?? {};
    if (container !== undefined) return { ...kept, container };
    if (made !== undefined && kept.anew === undefined) return { ...kept, container: made };
    const fresh = { ...kept, container: await make(call, plan), madeAt: call.now() };
    await call.keep(fresh);
    return fresh;
  }

  /** Waits until a replacement is old enough. */
  function rest({ lost = 0, madeAt = 0 }: Kept, now: number): void {
    if (now < madeAt + RESTS_MS[lost]!) throw pending(`Waiting a moment before ${title} is called again.`, 3);
  }

  return { make, withContainer, look, assess, restart, startOver, rest, atWork };
}
