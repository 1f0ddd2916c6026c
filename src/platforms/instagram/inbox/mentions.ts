import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf, Made } from '../../graph/api.ts';
import { personOf, Time } from '../../graph/fields.ts';
import type { Listed, Mentions, Paging } from '../../interactions.ts';
import type { Attachment, PlatformMention } from '../../records.ts';
import { text } from '../../shared/fields.ts';
import { asAccount, userOf } from '../api.ts';
import { named, TEXT } from './comments.ts';

const MOST_PER_READ = 100;
const POST_FIELDS = 'id,caption,timestamp,username,permalink,media_type,media_url';
const COMMENT_FIELDS = 'id,text,timestamp,username';

const Post = z.object({
  id: Id,
  caption: text,
  timestamp: Time,
  username: text,
  permalink: text,
  media_type: text,
  media_url: text,
});
const MentionedPost = z.object({ mentioned_media: Post });
const MentionedComment = z.object({
  mentioned_comment: z.object({ text: z.string().catch(''), timestamp: Time, username: text }),
});

/** Posts that tag the account are listed; what mentions it in a caption or a comment is only pushed. */
export const mentions = Object.freeze<Mentions>({
  list,
  text: TEXT,
  reply: {
    async send(call, { post: media_id, comment: comment_id, text: words }) {
      const form = { media_id, comment_id, message: words.toWellFormed() };
      const ask = { method: 'POST', path: '/{user}/mentions', ids: { user: userOf(call) }, form } as const;
      return { comment_id: (await asAccount(call, ask, Made)).id };
    },
  },
});

async function list(
  call: AccountCall,
  { limit, cursor, since = -1 }: Paging & Readonly<{ since?: number | undefined }>,
): Promise<Listed<PlatformMention>> {
  const query = { fields: POST_FIELDS, limit: Math.min(limit, MOST_PER_READ), after: cursor };
  const ask = { method: 'GET', path: '/{user}/tags', ids: { user: userOf(call) }, query } as const;
  const found = await asAccount(call, ask, listOf(Post));
  const items = found.data.map((post): PlatformMention => ({
    platform_id: post.id,
    platform_post_id: post.id,
    mention_type: 'post',
    author: authorOf(post),
    text: post.caption ?? '',
    media: mediaOf(post),
    permalink: post.permalink,
    created_at: post.timestamp,
  }));
  const newer = items.filter(({ created_at: at }) => at > since);
  return { items: newer, cursor: newer.length < items.length ? undefined : cursorOf(found) };
}

/** Reads what mentions the account, of which a push has the ids alone. */
export async function wholeMention(call: AccountCall, pushed: PlatformMention): Promise<PlatformMention> {
  const { platform_post_id: post, comment_id: comment } = pushed;
  const ids = { user: userOf(call) };
  const read = <T extends z.ZodType>(fields: string, schema: T) =>
    asAccount(call, { method: 'GET', path: '/{user}', ids, query: { fields } }, schema);
  if (comment === undefined) {
    const found = (await read(`mentioned_media.media_id(${post}){${POST_FIELDS}}`, MentionedPost)).mentioned_media;
    const { caption = '', permalink, timestamp: created_at } = found;
    return { ...pushed, author: authorOf(found), text: caption, media: mediaOf(found), permalink, created_at };
  }
  const fields = `mentioned_comment.comment_id(${comment}){${COMMENT_FIELDS}}`;
  const found = (await read(fields, MentionedComment)).mentioned_comment;
  return { ...pushed, author: authorOf(found), text: found.text, created_at: found.timestamp };
}

const authorOf = ({ username }: Readonly<{ username?: string | undefined }>) =>
  personOf(username === undefined ? undefined : named(username));

function mediaOf({ media_type, media_url: url }: z.output<typeof Post>): readonly Attachment[] {
  return url === undefined ? [] : [{ type: media_type === 'VIDEO' ? 'video' : 'image', url }];
}
