import * as z from 'zod';
import type { Listed, Mentions, Paging } from '../../interactions.ts';
import type { PlatformMention } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf, paged } from '../../graph/api.ts';
import { TEXT, writing } from './comments.ts';
import { personOf, Somebody, Time } from '../../graph/fields.ts';
import { pageNamed } from '../accounts/places.ts';
import { asPage } from '../api.ts';
import { text } from '../../shared/fields.ts';
import { newerOf } from '../../shared/inbox/newest.ts';

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

/** Posts that tag a page. Comments that tag a page are pushed but cannot be listed. */
export const mentions = Object.freeze<Mentions>({
  list,
  text: TEXT,
  reply: writing((call, { page }) => pageNamed(call, page)),
});

async function list(
  call: AccountCall,
  { since, page: named, ...paging }: MentionPageRequest,
): Promise<Listed<PlatformMention>> {
  const page = pageNamed(call, named);
  const fields = 'id,message,created_time,from{id,name,picture},permalink_url,full_picture';
  const request = { method: 'GET', path: '/{page}/tagged', ids: { page }, query: paged(fields, paging) } as const;
  const found = await asPage(call, page, request, Tagged);
  const all = found.data.map((post): PlatformMention => ({
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
  const { items, cursor } = newerOf({ items: all, cursor: cursorOf(found) }, since);
  return { items: items.filter(({ author }) => author.id !== page), cursor };
}
