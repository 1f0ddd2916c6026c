import type { Comments } from '../../interactions.ts';
import type { TextRule } from '../../sending.ts';
import { PlatformError } from '../../errors.ts';
import { hide } from './gate.ts';
import { like } from './likes.ts';
import { readPostUri, remove } from '../posts/publish.ts';
import { readPost, reply } from './replies.ts';
import { rules } from '../posts/rules.ts';
import { list, replies } from './thread.ts';
import { isOwn } from './views.ts';

/** A comment is a post, so it may be as long as one. */
export const text = Object.freeze<TextRule>({ max: rules.text.max_length, counting: 'graphemes' });

/** Replies to posts. Replies of others can be hidden but not deleted; private replies do not exist. */
export const comments = Object.freeze<Comments>({
  text,
  list,
  replies,
  reply,
  async isComment(call, { post, comment }) {
    if (comment === post || !readPostUri(comment)) return false;
    try {
      const { root, parent } = await readPost(call, comment);
      return root.uri === post || (!isOwn(call, root.uri) && parent?.uri === post);
    } catch (error) {
      if (error instanceof PlatformError && error.reason === 'not_found') return false;
      throw error;
    }
  },
  async remove(call, { comment }) {
    if (!readPostUri(comment)) throw new PlatformError('refused', 'not_found', 'Bluesky knows no such post.');
    await remove(call, comment, {});
  },
  hide,
  like,
});
