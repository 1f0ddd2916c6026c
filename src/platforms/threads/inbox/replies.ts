import type { AccountCall } from '../../call.ts';
import { cursorOf, listOf, paged, readNewer, Success } from '../../graph/api.ts';
import type { Prepared } from '../../graph/containers.ts';
import type { CommentAt, Comments, CreatedComment, PagingSince } from '../../interactions.ts';
import { notSupported } from '../../lookup.ts';
import type { Sending } from '../../sending.ts';
import { plainComment } from '../../shared/comments.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { asUser } from '../api.ts';
import { containers, planOf } from '../containers.ts';
import { authorOf, contentOf, CONTENT_FIELDS, Thread } from '../media.ts';
import { removeMedia } from '../posts/publish.ts';
import { TEXT } from '../posts/rules.ts';

const FIELDS =
  `id,${CONTENT_FIELDS},username,permalink,timestamp,has_replies,root_post,replied_to,is_reply_owned_by_me,` +
  'hide_status,profile_picture_url';

/** States of replies that everybody can see. */
const SHOWN: ReadonlySet<string> = new Set(['', 'NOT_HUSHED', 'UNHUSHED']);

type Answer = Readonly<{ post: string; comment?: string | undefined; text: string }>;

/** Replies to a post: the container is created and awaited before it is published. */
export const reply = Object.freeze<Sending<Answer, CreatedComment>>({
  prepare: (call, request) => containers.prepare(call, answerPlan(call, request)),
  async send(call, request, { prepared }) {
    return madeOf(await containers.send(call, answerPlan(call, request), prepared as Prepared));
  },
  async settle(call, request, { prepared, taken }) {
    const found = await containers.settle(call, answerPlan(call, request, taken), prepared as Prepared);
    return typeof found === 'string' ? found : madeOf(found);
  },
});

const answerPlan = (call: AccountCall, { post, comment = post, text }: Answer, taken?: ReadonlySet<string>) =>
  planOf(call, { text, replyTo: comment, taken });

const madeOf = ({ id, permalink }: Readonly<{ id: string; permalink?: string | undefined }>): CreatedComment => ({
  comment_id: id,
  permalink,
});

/** Other people's replies can be hidden if they reply to the post itself, but cannot be deleted. */
export const comments = Object.freeze<Comments>({
  text: TEXT,
  list: (call, { post }, page) => readBelow(call, post, post, page),
  replies: (call, { post, comment }, page) => readBelow(call, post, comment, page),
  reply,
  isComment: async (call, { post, comment }) =>
    comment !== post && (await unlessRefused(readReply(call, comment), 'not_found'))?.root_post?.id === post,
  async remove(call, { comment }) {
    const found = await unlessRefused(readReply(call, comment), 'not_found');
    if (found?.is_reply_owned_by_me === false) {
      notSupported('threads', 'comments.remove', { message: 'Threads lets a profile delete only its own replies.' });
    }
    await removeMedia(call, comment);
  },
  async hide(call, { comment }, hide) {
    const request = { method: 'POST', path: '/{comment}/manage_reply', ids: { comment }, form: { hide } } as const;
    await unlessRefused(asUser(call, request, Success), 'not_found');
  },
});

function readBelow(call: AccountCall, post: string, thing: string, from: PagingSince) {
  return readNewer(async (cursor) => {
    const query = { reverse: false, ...paged(FIELDS, { ...from, cursor }) };
    const list = await asUser(call, { method: 'GET', path: '/{thing}/replies', ids: { thing }, query }, listOf(Thread));
    return { items: list.data.map((one) => commentOf(one, { post })), cursor: cursorOf(list) };
  }, from);
}

function readReply(call: AccountCall, comment: string): Promise<Thread> {
  return asUser(call, { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: FIELDS } }, Thread);
}

export const readComment = async (call: AccountCall, { comment, post }: CommentAt) =>
  commentOf(await readReply(call, comment), { post });

/** Converts a reply to a comment; a direct reply to the post has no parent. */
export function commentOf(thread: Thread, { post, isOwn = false }: Readonly<{ post: string; isOwn?: boolean }>) {
  const parent = thread.replied_to?.id;
  const isNested = parent !== undefined && parent !== post;
  const is_owner = thread.is_reply_owned_by_me ?? isOwn;
  return plainComment({
    platform_id: thread.id,
    platform_post_id: post,
    parent_id: isNested ? parent : undefined,
    author: authorOf(thread),
    is_owner,
    ...contentOf(thread),
    created_at: thread.timestamp,
    permalink: thread.permalink,
    // Threads reports whether there are replies, but not how many.
    reply_count: thread.has_replies ? 1 : 0,
    is_hidden: !SHOWN.has(thread.hide_status),
    capabilities: { can_delete: is_owner, can_hide: !is_owner && !isNested, can_private_reply: false },
  });
}
