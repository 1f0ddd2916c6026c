import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { Mentions } from '../../interactions.ts';
import type { PlatformMention } from '../../records.ts';
import { LongId, text, UnixTime, word } from '../../shared/fields.ts';
import { mergedPage } from '../../shared/merged.ts';
import { listIn, readBusiness } from '../api.ts';
import { COMMENT } from '../posts/rules.ts';
import { newerOf } from '../../shared/inbox/newest.ts';

const MOST = 20;

const video = { item_id: LongId, create_time: UnixTime, caption: word, creator_handle_name: word, video_link: text };
const comment = {
  item_id: LongId,
  comment_id: LongId,
  comment_create_time: UnixTime,
  comment_text: word,
  commenter_display_name: word,
  video_link: text,
};

const mentionOf = (id: string, about: Omit<PlatformMention, 'platform_id' | 'media'>): PlatformMention => ({
  platform_id: id,
  media: [],
  ...about,
});

const Video = z.object(video).transform((one) => {
  const { item_id: platform_post_id, create_time: created_at, creator_handle_name: name, caption } = one;
  const author = { id: name, name, username: name || undefined };
  const about = { mention_type: 'caption', author, text: caption, permalink: one.video_link } as const;
  return mentionOf(platform_post_id, { platform_post_id, created_at, ...about });
});
const Comment = z.object(comment).transform((one) => {
  const { item_id: platform_post_id, comment_id, comment_create_time: created_at, comment_text: said } = one;
  const author = { id: one.commenter_display_name, name: one.commenter_display_name };
  const about = { mention_type: 'comment', author, text: said, permalink: one.video_link } as const;
  return mentionOf(comment_id, { platform_post_id, comment_id, created_at, ...about });
});

/** What mentions the account: a post of somebody, or a comment below one; and how each is answered by itself. */
const KINDS = Object.freeze({
  video: {
    fields: JSON.stringify(Object.keys(video)),
    item: Video,
    alone: z.object({ video: z.tuple([Video]) }).transform((answer) => answer.video[0]),
  },
  comment: {
    fields: JSON.stringify(Object.keys(comment)),
    item: Comment,
    alone: z.object({ comment: Comment }).transform((answer) => answer.comment),
  },
});
type Kind = keyof typeof KINDS;

const readMentions = (call: AccountCall, kind: Kind) =>
  async function page(offset: number) {
    const { fields, item } = KINDS[kind];
    const query = { fields, cursor: offset, max_count: MOST };
    const { items, cursor } = await readBusiness(call, `/business/mention/${kind}/list/`, listIn(`${kind}s`), query);
    return { items: items.map((one) => item.safeParse(one).data), isLast: cursor === undefined };
  };

/** Reads what mentions the account, of which a push has the ids alone; TikTok shows it for 48 hours. */
export function wholeMention(call: AccountCall, { platform_post_id: item_id, comment_id }: PlatformMention) {
  const kind: Kind = comment_id === undefined ? 'video' : 'comment';
  const { fields, alone } = KINDS[kind];
  return readBusiness(call, `/business/mention/${kind}/get/`, alone, { item_id, comment_id, fields });
}

/** The newest posts and comments that mention the account; TikTok lets nobody answer below the posts of others. */
export const mentions = Object.freeze<Mentions>({
  text: COMMENT,
  async list(call, { since, ...page }) {
    const lists = { 'list of videos': readMentions(call, 'video'), 'list of comments': readMentions(call, 'comment') };
    const { skipped, ...found } = await mergedPage<PlatformMention>(lists, ({ created_at }) => created_at, page);
    return { ...newerOf(found, since), skipped };
  },
});
