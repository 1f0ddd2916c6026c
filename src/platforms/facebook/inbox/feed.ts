import * as z from 'zod';
import type { PlatformPost } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { Id, listOf } from '../../graph/api.ts';
import { Time } from '../../graph/fields.ts';
import { asPage } from '../api.ts';
import { count, text } from '../../shared/fields.ts';

const FIELDS =
  'id,message,story,created_time,permalink_url,full_picture,comments.limit(0).summary(true),' +
  'reactions.limit(0).summary(true)';

/** The number of comments or reactions, which Graph returns as a summary of an empty list. */
export const Counted = z
  .object({ summary: z.object({ total_count: count }) })
  .optional()
  .catch(undefined);
const Post = z.object({
  id: Id,
  message: text,
  story: text,
  created_time: Time,
  permalink_url: text,
  full_picture: text,
  comments: Counted,
  reactions: Counted,
});
const Posts = listOf(Post);

export async function listPosts(
  call: AccountCall,
  page: string,
  paging: Readonly<{ limit: number; after?: string | undefined }>,
) {
  const query = { fields: FIELDS, ...paging };
  const list = await asPage(
    call,
    page,
    { method: 'GET', path: '/{page}/published_posts', ids: { page }, query },
    Posts,
  );
  return { posts: list.data.map((post) => postOf(post, page)), list };
}

function postOf(post: z.output<typeof Post>, page: string): PlatformPost {
  return {
    platform_id: post.id,
    page_id: page,
    text: post.message ?? post.story ?? '',
    thumbnail: post.full_picture,
    permalink: post.permalink_url,
    comment_count: post.comments?.summary.total_count ?? 0,
    like_count: post.reactions?.summary.total_count ?? 0,
    published_at: post.created_time,
  };
}
