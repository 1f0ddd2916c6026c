import type { GraphDocs } from '../graph/docs.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { AuthoredDoc, AuthoredPost } from '../graph/authored.ts';
import type { Doc } from '../kit/docs.ts';

/** A future post; `options` are other fields as sent. */
export type Draft = Readonly<{
  product: 'FEED' | 'REELS' | 'STORY';
  caption?: string | undefined;
  media: readonly Medium[];
  cover?: string | undefined;
  share_to_feed?: boolean | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}>;

/** A post by the account `page_id`, or one that mentions it. */
export type Media = AuthoredPost &
  Draft &
  Readonly<{
    /** Somebody else, whose post mentions or tags the account. */
    author?: string | undefined;
    tagged?: boolean | undefined;
    comments_on: boolean;
  }>;

/** `parent_id` is what it answers; `author` is absent for the account itself. */
export type Comment = AuthoredDoc &
  Readonly<{
    parent_id: string;
    media_id: string;
    author?: string | undefined;
    text: string;
    hidden: boolean;
    private_reply?: string;
  }>;

/** The linked Facebook Page; accounts without an owner there have one too. */
type FacebookPage = Doc & Readonly<{ page_id: string }>;

export type InstagramDocs = GraphDocs &
  Readonly<{ media: Media; comment: Comment; fbpage: FacebookPage; container: Container<Draft> }>;
