import type { GraphDocs } from '../graph/docs.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { AuthoredDoc, AuthoredPost } from '../graph/authored.ts';
import type { Doc } from '../kit/docs.ts';

/** A post to be published; `options` holds other fields as they were sent. */
export type Draft = Readonly<{
  product: 'FEED' | 'REELS' | 'STORY';
  caption?: string | undefined;
  media: readonly Medium[];
  cover?: string | undefined;
  share_to_feed?: boolean | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}>;

/** A post by the account `page_id`, or a post of somebody else that mentions it. */
export type Media = AuthoredPost &
  Draft &
  Readonly<{
    /** The author of a post that mentions or tags the account; undefined for the account's own. */
    author?: string | undefined;
    tagged?: boolean | undefined;
    comments_on: boolean;
  }>;

/** `parent_id` is the post or comment it replies to. Without an `author`, the account itself wrote it. */
export type Comment = AuthoredDoc &
  Readonly<{
    parent_id: string;
    media_id: string;
    author?: string | undefined;
    text: string;
    hidden: boolean;
    private_reply?: string;
  }>;

/** The Facebook Page of an account. Even accounts without an owner on Facebook have one. */
type FacebookPage = Doc & Readonly<{ page_id: string }>;

export type InstagramDocs = GraphDocs &
  Readonly<{ media: Media; comment: Comment; fbpage: FacebookPage; container: Container<Draft> }>;
