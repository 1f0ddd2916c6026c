import type { MeasuredPost, PostMetrics } from '../posts.ts';

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
