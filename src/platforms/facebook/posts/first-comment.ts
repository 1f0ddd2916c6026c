import type { PublishCall, Settled } from '../../posts.ts';
import { findBelow, writeBelow } from '../inbox/comments.ts';

export type FirstComment = Readonly<{ id: string; permalink?: string | undefined }>;

/** Any comment below our post is newer than the post, and no other send of ours writes there meanwhile. */
const ANY = Object.freeze({ sentAt: 0, taken: new Set<string>() });

/** Writes the first comment under the post, as the page. */
export async function writeComment(call: PublishCall, post: string): Promise<FirstComment> {
  const { comment_id: id, permalink } = await writeBelow(call, call.post.page_id!, askOf(call, post));
  return { id, permalink };
}

/** Looks for the comment. If it is not found, the result is unknown. */
export async function settleComment(call: PublishCall, post: string): Promise<Settled> {
  const found = await findBelow(call, call.post.page_id!, askOf(call, post), ANY);
  if (found === 'unknown') return found;
  return { made: { id: found.comment_id, permalink: found.permalink } satisfies FirstComment };
}

function askOf({ post: { first_comment: text } }: PublishCall, post: string) {
  return { post, text: text! };
}
