import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { Mentions } from '../../interactions.ts';
import type { PlatformMention } from '../../inbox-types.ts';
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
const names = { commenter_display_name: text, commenter_handle_name: text };
const Comment = z.object({ ...comment, ...names }).transform((one) => {
  const { item_id: platform_post_id, comment_id, comment_create_time: created_at, comment_text: commentText } = one;
  const { commenter_handle_name: username, commenter_display_name: name = username ?? '' } = one;
  const author = { id: username ?? name, name, username };
  const about = { mention_type: 'comment', author, text: commentText, permalink: one.video_link } as const;
  return mentionOf(comment_id, { platform_post_id, comment_id, created_at, ...about });
});

const fieldsOf = (shape: object, ...more: readonly string[]) => JSON.stringify([...Object.keys(shape), ...more]);

/** How to read posts and comments with mentions; lists have the author's name, single reads the handle. */
const KINDS = Object.freeze({
  video: {
    fields: { list: fieldsOf(video), alone: fieldsOf(video) },
    item: Video,
    alone: z.object({ video: z.tuple([Video]) }).transform((answer) => answer.video[0]),
  },
  comment: {
    fields: { list: fieldsOf(comment, 'commenter_display_name'), alone: fieldsOf(comment, 'commenter_handle_name') },
    item: Comment,
    alone: z.object({ comment: Comment }).transform((answer) => answer.comment),
  },
});
type Kind = keyof typeof KINDS;

const readMentions = (call: AccountCall, kind: Kind) =>
  async function page(offset: number) {
    const { fields, item } = KINDS[kind];
    const query = { fields: fields.list, cursor: offset, max_count: MOST };
    const { items, cursor } = await readBusiness(call, `/business/mention/${kind}/list/`, listIn(`${kind}s`), query);
    return { items: items.map((one) => item.safeParse(one).data), isLast: cursor === undefined };
  };

/** Reads a mention, because a push has only its ids; TikTok returns it for 48 hours. */
export function wholeMention(call: AccountCall, { platform_post_id: item_id, comment_id }: PlatformMention) {
  const kind: Kind = comment_id === undefined ? 'video' : 'comment';
  const { fields, alone } = KINDS[kind];
  const query = { item_id, comment_id, fields: fields.alone };
  return readBusiness(call, `/business/mention/${kind}/get/`, alone, query);
}

/** Lists the newest mentions; TikTok allows no replies below other people's posts. */
export const mentions = Object.freeze<Mentions>({
  text: COMMENT,
  async list(call, { since, ...page }) {
    const lists = { 'list of videos': readMentions(call, 'video'), 'list of comments': readMentions(call, 'comment') };
    const { skipped, ...found } = await mergedPage<PlatformMention>(lists, ({ created_at }) => created_at, page);
    return { ...newerOf(found, since), skipped };
  },
});
