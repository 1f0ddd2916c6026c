import type { InboundEvent } from '../inbound.ts';
import type { ListedPost } from '../posts.ts';

/** The inbound events of listed posts: what a backfill reports of posts that may have comments. */
export function postEventsOf(posts: readonly ListedPost[]): readonly InboundEvent[] {
  return posts.map(({ platform_post_id, page_id, text, permalink, media, metrics, created_at }) => ({
    kind: 'post',
    post: {
      platform_id: platform_post_id,
      page_id,
      text,
      permalink,
      thumbnail: media.find(({ type }) => type === 'image')?.url,
      comment_count: metrics?.comments ?? 0,
      like_count: metrics?.likes ?? 0,
      published_at: created_at,
    },
  }));
}
