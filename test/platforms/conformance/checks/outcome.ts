import type { Json } from '#test/harness/world.ts';
import type { PostCase } from '../subject.ts';

/** Nobody can tell whether it is public. */
export const isUnknown = ({ status, results }: Json): boolean =>
  status === 'failed' && results[0].error.code === 'publishing.delivery.timeout';

/** What is wrong with a final post and with what the public sees of it; nothing where it was published once. */
export function wrongsOf(post: Json, seen: Awaited<ReturnType<PostCase['seen']>>, one: PostCase): readonly string[] {
  const [{ metadata }] = post.results;
  const mayBeUnknown = one.unfindable === true && isUnknown(post);
  const wrongs = seen.flatMap(({ now, ever, optional }) => {
    // What follows a post is not made while nobody knows of the post.
    const mayLack = mayBeUnknown || (optional === true && metadata?.first_comment_status === 'failed');
    if (ever > 1) return [`public ${ever} times`];
    if (ever === 0) return mayLack ? [] : ['never public'];
    return now === ever ? [] : ['taken down'];
  });
  return post.status === (mayBeUnknown ? 'failed' : 'published') ? wrongs : [...wrongs, `it is ${post.status}`];
}
