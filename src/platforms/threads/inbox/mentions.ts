import type { AccountCall } from '../../call.ts';
import { cursorOf, listOf, paged } from '../../graph/api.ts';
import type { Listed, Mentions, PagingSince } from '../../interactions.ts';
import type { PlatformMention } from '../../inbox-types.ts';
import { atProfile } from '../api.ts';
import { authorOf, contentOf, CONTENT_FIELDS, Thread } from '../media.ts';
import { TEXT } from '../posts/rules.ts';
import { reply } from './replies.ts';
import { newerOf } from '../../shared/inbox/newest.ts';

export const mentions = Object.freeze<Mentions>({ list, text: TEXT, reply });

export async function list(call: AccountCall, { since, ...page }: PagingSince): Promise<Listed<PlatformMention>> {
  const fields = `id,username,${CONTENT_FIELDS},permalink,timestamp,root_post`;
  const found = await atProfile(call, { method: 'GET', path: '/mentions', query: paged(fields, page) }, listOf(Thread));
  return newerOf({ items: found.data.map(mentionOf), cursor: cursorOf(found) }, since);
}

/** Converts a mention; a reply also has the id of the post that it belongs to. */
export function mentionOf(thread: Thread): PlatformMention {
  const { id, root_post: root } = thread;
  const { text, media } = contentOf(thread);
  const isReply = root !== undefined && root.id !== id;
  return {
    platform_id: id,
    platform_post_id: isReply ? root.id : id,
    comment_id: isReply ? id : undefined,
    mention_type: isReply ? 'comment' : 'post',
    author: authorOf(thread),
    text,
    media,
    permalink: thread.permalink,
    created_at: thread.timestamp,
  };
}
