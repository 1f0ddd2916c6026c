import type { Comments } from '../../interactions.ts';
import type { TextRule } from '../../sending.ts';
import { hide } from './gate.ts';
import { like } from './likes.ts';
import { readPostUri, remove } from '../posts/publish.ts';
import { readPost, reply } from './replies.ts';
import { rules } from '../posts/rules.ts';
import { list, replies } from './thread.ts';
import { isOwn } from './views.ts';
import { refused, unlessRefused } from '../../shared/errors.ts';

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
    const found = await unlessRefused(readPost(call, comment), 'not_found');
    if (!found) return false;
    return found.root.uri === post || (!isOwn(call, found.root.uri) && found.parent?.uri === post);
  },
  async remove(call, { comment }) {
    if (!readPostUri(comment)) throw refused('not_found', 'Bluesky knows no such post.');
    await remove(call, comment, {});
  },
  hide,
  like,
});
