import type { CommentCapabilities, PlatformComment } from '../inbox-types.ts';

type Basics = 'platform_id' | 'platform_post_id' | 'author' | 'is_owner' | 'text' | 'created_at';
type Known = Pick<PlatformComment, Basics> &
  Partial<Omit<PlatformComment, 'capabilities'>> &
  Readonly<{ capabilities?: Partial<CommentCapabilities> }>;

/** Adds defaults to what is known of a comment; comments by others can be hidden and replied to privately. */
export function plainComment({ capabilities, ...known }: Known): PlatformComment {
  const { is_owner } = known;
  return {
    media: [],
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    ...known,
    capabilities: {
      can_reply: true,
      can_delete: true,
      can_hide: !is_owner,
      can_like: false,
      can_private_reply: !is_owner,
      ...capabilities,
    },
  };
}
