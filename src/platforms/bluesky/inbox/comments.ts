import type { Comments } from '../../interactions.ts';
import { hide } from './gate.ts';
import { like } from './likes.ts';
import { remove } from '../posts/publish.ts';
import { recordRefOf, postAt, uriOf } from '../records.ts';
import { readPost, reply } from './replies.ts';
import { TEXT } from '../posts/rules.ts';
import { repliesTo } from './thread.ts';
import { isOwn } from './views.ts';
import { unlessRefused } from '../../shared/errors.ts';

/** Replies to posts. Other people's replies can be hidden but not deleted; private replies do not exist. */
export const comments = Object.freeze<Comments>({
  text: TEXT,
  list: (call, { post }, page) => repliesTo(call, post, post, page),
  replies: (call, { post, comment }, page) => repliesTo(call, comment, post, page),
  reply,
  async isComment(call, { post, comment }) {
    if (comment === post || recordRefOf(comment) === undefined) return false;
    const found = await unlessRefused(readPost(call, comment), 'not_found');
    if (!found) return false;
    return found.root.uri === post || (!isOwn(call, found.root.uri) && found.parent?.uri === post);
  },
  async remove(call, { comment }) {
    await remove(call, uriOf(postAt(comment)), {});
  },
  hide,
  like,
});
