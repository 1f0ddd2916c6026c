import * as z from 'zod';
import type { CreatedComment } from '../interactions.ts';
import type { Done, OutgoingPost, PublishCall, Step } from '../posts.ts';
import { text } from './fields.ts';
import { type DefinedStep, defineStep } from './steps.ts';

type CommentDraft = Readonly<{ post: string; page: string | undefined; text: string }>;
type Ways = Readonly<{
  write(call: PublishCall, draft: CommentDraft): Promise<CreatedComment>;
  /** Looks for our comment among the newest ones below the post. */
  find(call: PublishCall, draft: CommentDraft, lookup: typeof ANY): Promise<CreatedComment | 'unknown'>;
}>;

/** A lookup without restrictions: our only comment below a new post must be the first comment. */
const ANY = Object.freeze({ sentAt: 0, taken: new Set<string>() });

const Commented = z.object({ id: text, permalink: text, refused: text });
type Commented = z.output<typeof Commented>;

const DECLARED = Object.freeze({ name: 'comment', optional: 'first_comment', result: Commented } as const);

/** A first-comment step for platforms where repeating the request does not create a second comment. */
export const repeatableComment = (run: (call: PublishCall) => Promise<Commented>): DefinedStep =>
  defineStep({ ...DECLARED, kind: 'idempotent', run });

/** A first-comment step; if the response to it was lost, the comment is looked up. */
export function firstComment({ write, find }: Ways, postIn: (call: PublishCall) => string): DefinedStep {
  const draftOf = (call: PublishCall): CommentDraft => ({
    post: postIn(call),
    page: call.post.page_id,
    text: call.post.first_comment!,
  });
  const commentedOf = ({ comment_id: id, permalink }: CreatedComment): Commented => ({ id, permalink });
  return defineStep({
    ...DECLARED,
    kind: 'visible' satisfies Step['kind'],
    run: async (call) => commentedOf(await write(call, draftOf(call))),
    async settle(call) {
      const found = await find(call, draftOf(call), ANY);
      return found === 'unknown' ? found : { made: commentedOf(found) };
    },
  });
}

export const commentOf = (post: OutgoingPost, comment: DefinedStep): readonly DefinedStep[] =>
  post.first_comment === undefined ? [] : [comment];

/** The metadata members of a post that describe its first comment. */
export function firstCommentIn(done: Done): Readonly<Record<string, unknown>> {
  const { id, refused } = Commented.parse(done[DECLARED.name] ?? {});
  return {
    ...(id !== undefined && { first_comment_id: id }),
    ...(refused !== undefined && { first_comment_error: refused }),
  };
}
