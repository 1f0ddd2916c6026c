import type { Done, OutgoingPost, Publish, PublishCall, Settled, Step } from '../posts.ts';
import { firstCommentIn } from '../shared/first-comment.ts';
import type { ContainerPlan, NamedPost } from './container-making.ts';
import type { graphContainers } from './containers.ts';

/** What is known of a part: its name when it was read, else what the answer to publishing it said. */
type Part = Partial<NamedPost> & Readonly<Record<string, unknown>>;

type Posting = Readonly<{
  containers: ReturnType<typeof graphContainers>;
  /** The parts of a post in order, by what the names of their steps end with: one, or those of a thread. */
  partsOf(post: OutgoingPost): readonly string[];
  planOf(call: PublishCall, index: number): ContainerPlan;
  /** Checks again before anything is sent, because callers may disable validation. */
  assertFits(post: OutgoingPost): void;
  /** Whether a post of its kind can have a first comment. */
  isCommentable?(post: OutgoingPost): boolean;
  /** Writing the first comment below a post, by its id. */
  comment: Readonly<{
    kind: Step['kind'];
    run(call: PublishCall, post: string): Promise<unknown>;
    settle?(call: PublishCall, post: string): Promise<Settled>;
  }>;
  /** What is kept of each part, and what the metadata of the post says of them. */
  about?(post: OutgoingPost): Readonly<Record<string, unknown>>;
  metadataOf(parts: readonly Part[]): Readonly<Record<string, unknown>>;
}>;

/**
 * Publishing posts and threads through containers, with a first comment. Each part of a thread is made, awaited and
 * published before the one that answers it. No part is visible twice, because a container makes at most one post.
 */
export function publishing(posting: Posting): Publish {
  const { containers, partsOf, planOf, assertFits, isCommentable = () => true, comment, about, metadataOf } = posting;
  const last: Step = Object.freeze({ name: 'comment', kind: comment.kind, optional: 'first_comment' });
  /** The first comment is below the first part. */
  const commented = ({ post, done }: PublishCall) => containers.named(done, partsOf(post)[0])!.id;

  return Object.freeze<Publish>({
    steps(post) {
      const parts = partsOf(post).flatMap((part) => containers.steps(part));
      return post.first_comment === undefined || !isCommentable(post) ? parts : [...parts, last];
    },

    async run(call, step) {
      const { post, done } = call;
      if (Object.keys(done).length === 0) assertFits(post);
      if (step === last.name) return comment.run(call, commented(call));
      const parts = partsOf(post);
      const index = parts.findIndex((part) => containers.steps(part).some(({ name }) => name === step));
      const result = await containers.run(call, step, planOf(call, index), parts[index]);
      return step.startsWith('named') ? { ...(result as NamedPost), ...about?.(post) } : result;
    },

    ...(comment.settle && { settle: (call: PublishCall) => comment.settle!(call, commented(call)) }),

    finish(done) {
      const parts = publishedIn(done).map((part) => (done[`named${part}`] ?? done[`publish${part}`]) as Part);
      const { id, permalink } = parts[0] ?? {};
      if (id === undefined) throw new Error('nobody knows the id of a post whose answer got lost');
      const metadata = { ...metadataOf(parts), ...firstCommentIn(done[last.name]) };
      const segments = parts.flatMap(({ id: part, permalink: link = null }) =>
        part === undefined ? [] : [{ platform_post_id: part, permalink: link }],
      );
      return { platform_post_id: id, permalink, segments, metadata };
    },
  });
}

/** What was published so far, in order. */
function publishedIn(done: Done): readonly string[] {
  const parts = Object.keys(done).flatMap((name) => /^publish(.*)$/.exec(name)?.[1] ?? []);
  return parts.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
}
