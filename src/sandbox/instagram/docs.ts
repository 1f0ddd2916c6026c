import type { GraphDocs } from '../graph/docs.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { Doc } from '../kit/docs.ts';
import type { Version } from '../kit/people.ts';

/** What a post will be; `options` are what the platform takes besides, as it was sent. */
export type Draft = Readonly<{
  product: 'FEED' | 'REELS' | 'STORY';
  caption?: string | undefined;
  media: readonly Medium[];
  cover?: string | undefined;
  share_to_feed?: boolean | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}>;

/** A post; `page_id` is the account that posted it, or the account that somebody else's post mentions. */
export type Media = Doc &
  Draft &
  Readonly<{
    page_id: string;
    /** Somebody else, whose post mentions the account or shows it in a picture. */
    author?: string | undefined;
    tagged?: boolean | undefined;
    by_app: boolean;
    shortcode: string;
    comments_on: boolean;
    views: number;
    likes: readonly string[];
    /** Readers by id find it from here on. */
    seen_from: number;
    deleted_at?: number;
    versions: readonly Version[];
  }>;

/** `parent_id` is the post or the comment it answers; `author` is absent where the account wrote it. */
export type Comment = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    media_id: string;
    author?: string | undefined;
    by_app: boolean;
    text: string;
    hidden: boolean;
    likes: readonly string[];
    seen_from: number;
    private_reply?: string;
    deleted_at?: number;
  }>;

/** The Facebook Page that an account is linked to; an account without one owner there has a Page all the same. */
export type FacebookPage = Doc & Readonly<{ page_id: string }>;

export type InstagramDocs = GraphDocs &
  Readonly<{ media: Media; comment: Comment; fbpage: FacebookPage; container: Container<Draft> }>;

/** What a reset takes away of these. */
export const DONE = Object.freeze(['media', 'comment', 'container'] as const);

export const isLive = ({ deleted_at }: Readonly<{ deleted_at?: number }>): boolean => deleted_at === undefined;
