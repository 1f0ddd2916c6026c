import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { Done, OutgoingPost, Publish, PublishCall } from '../posts.ts';
import { text } from '../shared/fields.ts';
import { commentOf, firstCommentIn } from '../shared/first-comment.ts';
import { type DefinedStep, defineStep, defineSteps } from '../shared/steps.ts';
import type { ContainerPlan, NamedPost } from './container-making.ts';
import { Publication, type graphContainers } from './containers.ts';

/** How long the platform may take to process media. */
const WORK_MS = 2 * HOUR;

const Named = z.looseObject({ id: z.string(), permalink: text });
/** A part as read after publishing, or as returned by the publish request if it was not read. */
type Part = Partial<NamedPost> & Readonly<Record<string, unknown>>;

type Posting = Readonly<{
  containers: ReturnType<typeof graphContainers>;
  /** The step suffixes of a thread's posts; one suffix on platforms without threads. */
  partsOf(post: OutgoingPost): readonly string[];
  /** The containers of a part; `before` is the id of the part it replies to. */
  planOf(call: PublishCall, index: number, before: string | undefined): ContainerPlan;
  /** Checks the post before anything is sent, because callers may skip validation. */
  assertFits(post: OutgoingPost): void;
  /** Whether this kind of post can have a first comment. */
  isCommentable?(post: OutgoingPost): boolean;
  /** The step that writes the first comment below the post. */
  comment(postIn: (call: PublishCall) => string): DefinedStep;
  /** Data stored for each part, from which the post's metadata is made. */
  about?(post: OutgoingPost): Readonly<Record<string, unknown>>;
  metadataOf(parts: readonly Part[]): Readonly<Record<string, unknown>>;
}>;

const containerStep = (part: string, run: (call: PublishCall) => Promise<string>) =>
  defineStep({ name: `container${part}`, kind: 'invisible', maxWaitMs: WORK_MS, result: z.string(), run });

const publishStep = (part: string, run: (call: PublishCall) => Promise<Publication>) =>
  defineStep({ name: `publish${part}`, kind: 'idempotent', maxWaitMs: WORK_MS, result: Publication, run });

const namedStep = (part: string, run: (call: PublishCall) => Promise<z.output<typeof Named>>) =>
  defineStep({ name: `named${part}`, kind: 'idempotent', result: Named, run });

/** Publishes posts and threads by containers, each part before its reply; none is ever published twice. */
export function publishing(posting: Posting): Publish {
  const { containers, partsOf, planOf, assertFits, isCommentable = () => true, about, metadataOf } = posting;

  function stepsOf(parts: readonly string[], index: number) {
    const part = parts[index]!;
    const plan = (call: PublishCall) =>
      planOf(call, index, index === 0 ? undefined : stepsOf(parts, index - 1).named.resultIn(call.done).id);
    const container = containerStep(part, (call) => containers.make(call, plan(call)));
    const publish = publishStep(part, (call) => containers.publish(call, plan(call), container.resultIn(call.done)));
    const named = namedStep(part, async (call) => ({
      ...(await containers.nameOf(call, plan(call), publish.resultIn(call.done))),
      ...about?.(call.post),
    }));
    return { container, publish, named };
  }

  const comment = posting.comment(({ post, done }) => stepsOf(partsOf(post), 0).named.resultIn(done).id);

  return defineSteps({
    assertFits,
    steps(post) {
      const parts = partsOf(post);
      const made = parts.flatMap((_, index) => Object.values(stepsOf(parts, index)));
      return [...made, ...(isCommentable(post) ? commentOf(post, comment) : [])];
    },

    finish(done) {
      const parts = publishedIn(done).map((part): Part => {
        const name = done[`named${part}`];
        return name === undefined ? Publication.parse(done[`publish${part}`]) : Named.parse(name);
      });
      const { id, permalink } = parts[0] ?? {};
      if (id === undefined) throw new Error('the id of a post whose answer was lost is unknown');
      const metadata = { ...metadataOf(parts), ...firstCommentIn(done) };
      const segments = parts.flatMap(({ id: part, permalink: link = null }) =>
        part === undefined ? [] : [{ platform_post_id: part, permalink: link }],
      );
      return { platform_post_id: id, permalink, segments, metadata };
    },
  });
}

function publishedIn(done: Done): readonly string[] {
  const parts = Object.keys(done).flatMap((name) => /^publish(.*)$/.exec(name)?.[1] ?? []);
  return parts.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
}
