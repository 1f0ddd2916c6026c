import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf, Made, paged } from '../../graph/api.ts';
import { personNamed, Time } from '../../graph/fields.ts';
import { Files, filesOf } from '../../graph/files.ts';
import type { Listed, Mentions, PagingSince } from '../../interactions.ts';
import type { PlatformMention } from '../../inbox-types.ts';
import { text, word } from '../../shared/fields.ts';
import { asAccount } from '../api.ts';
import { TEXT } from './comments.ts';
import { newerOf } from '../../shared/inbox/newest.ts';

const POST_FIELDS = 'id,caption,timestamp,username,permalink,media_type,media_url';
const COMMENT_FIELDS = 'id,text,timestamp,username';

const Post = Files.extend({ id: Id, caption: word, timestamp: Time, username: text, permalink: text });
const MentionedPost = z.object({ mentioned_media: Post });
const MentionedComment = z.object({ mentioned_comment: z.object({ text: word, timestamp: Time, username: text }) });

/** Lists posts that tag the account; mentions in captions and comments are pushed but cannot be listed. */
export const mentions = Object.freeze<Mentions>({
  list,
  text: TEXT,
  reply: {
    async send(call, { post: media_id, comment: comment_id, text: words }) {
      const form = { media_id, comment_id, message: words.toWellFormed() };
      return { comment_id: (await asAccount(call, { method: 'POST', path: '/{user}/mentions', form }, Made)).id };
    },
  },
});

async function list(call: AccountCall, { since, ...page }: PagingSince): Promise<Listed<PlatformMention>> {
  const query = paged(POST_FIELDS, page);
  const found = await asAccount(call, { method: 'GET', path: '/{user}/tags', query }, listOf(Post));
  const items = found.data.map((post): PlatformMention => ({
    platform_id: post.id,
    platform_post_id: post.id,
    mention_type: 'post',
    ...contentOf(post),
  }));
  return newerOf({ items, cursor: cursorOf(found) }, since);
}

function contentOf({ username, caption, permalink, timestamp, ...files }: z.output<typeof Post>) {
  return { author: personNamed(username), text: caption, media: filesOf(files), permalink, created_at: timestamp };
}

/** Reads a mention, because a push contains only its ids. */
export async function wholeMention(call: AccountCall, pushed: PlatformMention): Promise<PlatformMention> {
  const { platform_post_id: post, comment_id: comment } = pushed;
  const read = <T extends z.ZodType>(fields: string, schema: T) =>
    asAccount(call, { method: 'GET', path: '/{user}', query: { fields } }, schema);
  if (comment === undefined) {
    const found = await read(`mentioned_media.media_id(${post}){${POST_FIELDS}}`, MentionedPost);
    return { ...pushed, ...contentOf(found.mentioned_media) };
  }
  const found = await read(`mentioned_comment.comment_id(${comment}){${COMMENT_FIELDS}}`, MentionedComment);
  const { username, text: words, timestamp: created_at } = found.mentioned_comment;
  return { ...pushed, author: personNamed(username), text: words, created_at };
}
