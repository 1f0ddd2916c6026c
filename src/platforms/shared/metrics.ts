import { chunksOf } from '#kernel/limits/chunks.ts';
import type { PlatformError } from '../errors.ts';
import type { Measured, MeasuredPost, PostMetrics } from '../posts.ts';
import { isRefusal } from '../retry-policy.ts';

const ABREAST = 5;

type Counted = readonly (readonly [id: string, metrics: PostMetrics])[];

/** Reads metrics in groups of `most` posts. A refused post gets its error; if all are refused, this throws. */
export const metricsOf = (
  posts: readonly Pick<MeasuredPost, 'id'>[],
  most: number,
  read: (ids: readonly string[]) => Promise<Counted>,
): Promise<Measured> => byParts(chunksOf(posts, most), (some) => read(some.map(({ id }) => id)));

/** Reads metrics of posts that must be requested one by one. */
export const metricsOfEach = (
  posts: readonly MeasuredPost[],
  read: (post: MeasuredPost) => Promise<PostMetrics | undefined>,
): Promise<Measured> =>
  byParts(chunksOf(posts, 1), async ([post]) => {
    const metrics = await read(post!);
    return metrics ? [[post!.id, metrics]] : [];
  });

async function byParts<P extends Readonly<{ id: string }>>(
  parts: readonly (readonly P[])[],
  read: (some: readonly P[]) => Promise<Counted>,
): Promise<Measured> {
  const found = new Map<string, PostMetrics | PlatformError>();
  const refusals: PlatformError[] = [];
  const readOne = async (some: readonly P[]): Promise<void> => {
    try {
      for (const [id, metrics] of await read(some)) found.set(id, metrics);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error);
      for (const { id } of some) found.set(id, error);
    }
  };
  for (const some of chunksOf(parts, ABREAST)) await Promise.all(some.map(readOne));
  if (refusals.length > 0 && refusals.length === parts.length) throw refusals[0]!;
  return found;
}
