import type { PlatformError } from '../errors.ts';
import type { MeasuredPost, PostMetrics } from '../posts.ts';
import { isRefusal } from '../retry-policy.ts';

/** Concurrency limit of requests for single posts. */
const ABREAST = 5;

/** Reads the metrics of posts, at most `most` at once; posts that `read` does not answer are absent. */
export async function metricsOf(
  posts: readonly Pick<MeasuredPost, 'id'>[],
  most: number,
  read: (ids: readonly string[]) => Promise<readonly (readonly [id: string, metrics: PostMetrics])[]>,
): Promise<ReadonlyMap<string, PostMetrics>> {
  const found = new Map<string, PostMetrics>();
  for (let at = 0; at < posts.length; at += most) {
    const ids = posts.slice(at, at + most).map(({ id }) => id);
    for (const [id, metrics] of await read(ids)) found.set(id, metrics);
  }
  return found;
}

/**
 * Metrics of posts that are asked for one by one. Posts without an answer are absent, and so are those that the platform
 * refuses to show, unless it refuses all.
 */
export async function metricsOfEach(
  posts: readonly MeasuredPost[],
  read: (post: MeasuredPost) => Promise<PostMetrics | undefined>,
): Promise<ReadonlyMap<string, PostMetrics>> {
  const found = new Map<string, PostMetrics>();
  const refusals: PlatformError[] = [];
  const readOne = async (post: MeasuredPost): Promise<void> => {
    try {
      const metrics = await read(post);
      if (metrics) found.set(post.id, metrics);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error);
    }
  };
  for (let at = 0; at < posts.length; at += ABREAST) await Promise.all(posts.slice(at, at + ABREAST).map(readOne));
  if (refusals.length > 0 && refusals.length === posts.length) throw refusals[0]!;
  return found;
}
