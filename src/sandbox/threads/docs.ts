import type { GraphDocs } from '../graph/docs.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { SaidPost } from '../graph/said.ts';
import type { Doc } from '../kit/docs.ts';

export const AUDIENCES = Object.freeze([
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
] as const);
type Audience = (typeof AUDIENCES)[number];

/** What a post will be; an answer names what it answers. */
export type Draft = Readonly<{
  text: string;
  media?: readonly Medium[];
  reply_to?: string | undefined;
  /** What it quotes or, without words of its own, repeats. */
  quoted?: string | undefined;
  reposted?: string | undefined;
  link?: string | undefined;
  topic_tag?: string | undefined;
  audience?: Audience | undefined;
  /** Polls, locations and the like, as they were sent. */
  extra?: Readonly<Record<string, string>>;
}>;

/** What somebody said; `page_id` is its author, and a reply's `parent_id` is what it answers. */
export type Post = SaidPost &
  Omit<Draft, 'reply_to' | 'media'> &
  Readonly<{
    /** The post at the top of the conversation; its own id where it is that post. */
    root: string;
    audience: Audience;
    is_hidden: boolean;
  }>;

type MediaType = 'TEXT_POST' | 'IMAGE' | 'VIDEO' | 'CAROUSEL_ALBUM' | 'REPOST_FACADE';

export function typeOf({ media, reposted }: Post): MediaType {
  if (reposted !== undefined) return 'REPOST_FACADE';
  return media.length > 1 ? 'CAROUSEL_ALBUM' : (media[0]?.type ?? 'TEXT_POST');
}

export const isReply = ({ parent_id = '' }: Post): boolean => parent_id !== '';

/** A deletion that counts towards the limit of a day. */
type Deletion = Doc & Readonly<{ page_id: string }>;

export type ThreadsDocs = GraphDocs & Readonly<{ post: Post; deletion: Deletion; container: Container<Draft> }>;

/** What a reset takes away of these. */
export const DONE = Object.freeze(['post', 'deletion', 'container'] as const);
