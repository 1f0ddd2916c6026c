import type { GraphDocs } from '../graph/docs.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { AuthoredDoc, AuthoredPost } from '../graph/authored.ts';
import type { Doc } from '../kit/docs.ts';

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
export type Media = AuthoredPost &
  Draft &
  Readonly<{
    /** Somebody else, whose post mentions the account or shows it in a picture. */
    author?: string | undefined;
    tagged?: boolean | undefined;
    comments_on: boolean;
  }>;

/** `parent_id` is the post or the comment it answers; `author` is absent where the account wrote it. */
export type Comment = AuthoredDoc &
  Readonly<{
    parent_id: string;
    media_id: string;
    author?: string | undefined;
    text: string;
    hidden: boolean;
    private_reply?: string;
  }>;

/** The Facebook Page that an account is linked to; an account without one owner there has a Page all the same. */
type FacebookPage = Doc & Readonly<{ page_id: string }>;

export type InstagramDocs = GraphDocs &
  Readonly<{ media: Media; comment: Comment; fbpage: FacebookPage; container: Container<Draft> }>;
