import type { InboundEvent } from '../../inbound.ts';
import type { ListedPost } from '../../posts.ts';
import type { Person, PlatformConversation } from '../../records.ts';

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

/** A conversation with the person of it as `read` knows them, unless the push has named them. */
export async function introduced(
  conversation: PlatformConversation,
  read: (person: string) => Promise<Omit<Person, 'id'>>,
): Promise<PlatformConversation> {
  const { participant } = conversation;
  if (participant.name !== '') return conversation;
  return { ...conversation, participant: { ...participant, ...(await read(participant.id)) } };
}
