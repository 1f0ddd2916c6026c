import type { MadeComment } from '../interactions.ts';
import type { PublishCall, Settled } from '../posts.ts';

type Ask = Readonly<{ post: string; page: string | undefined; text: string }>;
type Ways = Readonly<{
  write(call: PublishCall, ask: Ask): Promise<MadeComment>;
  /** Looks for a comment of ours among the newest below the post. */
  find(call: PublishCall, ask: Ask, lookup: typeof ANY): Promise<MadeComment | 'unknown'>;
}>;

/** Any comment of ours below our post is newer than the post, and no other send of ours writes there meanwhile. */
const ANY = Object.freeze({ sentAt: 0, taken: new Set<string>() });

/** The first comment below a post: writing it, and what became of one whose answer got lost. */
export function firstComment({ write, find }: Ways) {
  const askOf = ({ post: { first_comment, page_id } }: PublishCall, post: string): Ask => ({
    post,
    page: page_id,
    text: first_comment!,
  });
  const made = ({ comment_id: id, permalink }: MadeComment) => ({ id, permalink });
  return Object.freeze({
    run: async (call: PublishCall, post: string) => made(await write(call, askOf(call, post))),
    async settle(call: PublishCall, post: string): Promise<Settled> {
      const found = await find(call, askOf(call, post), ANY);
      return found === 'unknown' ? found : { made: made(found) };
    },
  });
}

/** What the metadata of a post says of its first comment, by the result of the step that writes it. */
export function firstCommentIn(result: unknown): Readonly<Record<string, unknown>> {
  const { id, refused } = (result ?? {}) as Readonly<{ id?: string; refused?: string }>;
  return {
    ...(id !== undefined && { first_comment_id: id }),
    ...(refused !== undefined && { first_comment_error: refused }),
  };
}
