import * as z from 'zod';
import type { Listed, Mentions, Paging } from '../../interactions.ts';
import type { PlatformMention } from '../../records.ts';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf } from '../../graph/api.ts';
import { findBelow, TEXT, writeBelow } from './comments.ts';
import { personOf, Somebody, Time } from '../../graph/fields.ts';
import { pageNamed } from '../accounts/places.ts';
import { asPage } from '../api.ts';
import { text } from '../../shared/fields.ts';

const MOST_PER_READ = 100;

const Tagged = listOf(
  z.object({
    id: Id,
    message: z.string().catch(''),
    created_time: Time,
    from: Somebody,
    permalink_url: text,
    full_picture: text,
  }),
);

type MentionPageRequest = Paging & Readonly<{ since?: number | undefined; page?: string | undefined }>;

/**
 * Posts that tag a page. Comments that tag it are only pushed, never listed. Replies go to the tagging post or comment.
 */
export const mentions = Object.freeze<Mentions>({
  list,
  text: TEXT,
  reply: Object.freeze<NonNullable<Mentions['reply']>>({
    send: (call, ask) => writeBelow(call, pageNamed(call, ask.page), ask),
    settle: (call, ask, lookup) => findBelow(call, pageNamed(call, ask.page), ask, lookup),
  }),
});

async function list(
  call: AccountCall,
  { limit, cursor, since = -1, page: named }: MentionPageRequest,
): Promise<Listed<PlatformMention>> {
  const page = pageNamed(call, named);
  const fields = 'id,message,created_time,from{id,name,picture},permalink_url,full_picture';
  const query = { fields, limit: Math.min(limit, MOST_PER_READ), after: cursor };
  const ask = { method: 'GET', path: '/{page}/tagged', ids: { page }, query } as const;
  const found = await asPage(call, page, ask, Tagged);
  const isOver = found.data.some(({ created_time: at }) => at <= since);
  const items = found.data
    .filter(({ created_time: at, from }) => at > since && from?.id !== page)
    .map((post): PlatformMention => ({
      platform_id: post.id,
      platform_post_id: post.id,
      page_id: page,
      mention_type: 'post',
      author: personOf(post.from),
      text: post.message,
      media: post.full_picture === undefined ? [] : [{ type: 'image', url: post.full_picture }],
      permalink: post.permalink_url,
      created_at: post.created_time,
    }));
  return { items, cursor: isOver ? undefined : cursorOf(found) };
}
