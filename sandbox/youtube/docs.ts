import { LOGIN_SETTINGS } from '../googleapis/login.ts';
import { UPLOAD_SETTINGS, type Session } from '../googleapis/resumable.ts';
import type { Day } from '../kit/days.ts';
import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import type { Subscription } from '../kit/push/websub.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A channel; `page_id` is the Google user who owns it. */
export type Channel = Doc & Readonly<{ page_id: string; title: string; handle: string; subscribers: number }>;

export const PRIVACY = ['public', 'unlisted', 'private'] as const;
export type Privacy = (typeof PRIVACY)[number];

/** What a video is said to be when it is made, and may be changed to later. */
export type About = Readonly<{
  title: string;
  description: string;
  tags: readonly string[];
  categoryId: string;
  defaultLanguage?: string | undefined;
  privacyStatus: Privacy;
  /** When a private video becomes public, in ms. */
  publishAt?: number | undefined;
  recordingDate?: string | undefined;
  madeForKids: boolean;
  embeddable: boolean;
  license: string;
  publicStatsViewable: boolean;
  containsSyntheticMedia: boolean;
}>;

/** How the processing of a video ends; its second part is the reason. */
export const ENDINGS = [
  'processed',
  'failed:conversion',
  'failed:codec',
  'rejected:duplicate',
  'rejected:copyright',
] as const;

/** A video of a channel, which is its `page_id`. */
export type Video = Doc &
  Readonly<{
    page_id: string;
    about: About;
    blob: string;
    thumb?: string;
    /** When it has been worked on, and how that ends. */
    ready_at: number;
    ending: string;
    views: number;
    likes: number;
    hidesLikes?: boolean;
    commentsDisabled?: boolean;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** An upload of a channel that is under way, and what the video will be. */
export type Upload = Session & Readonly<{ about: About }>;

export const MODERATION = ['published', 'heldForReview', 'likelySpam', 'rejected'] as const;
export type Moderation = (typeof MODERATION)[number];

/** A comment on a video of the channel `page_id`; a reply has the comment it answers as `parent_id`. */
export type Comment = Doc &
  Readonly<{
    page_id: string;
    parent_id?: string;
    video: string;
    /** A channel id. */
    author: string;
    text: string;
    /** The address of a picture. */
    image?: string | undefined;
    likes: number;
    state: Moderation;
    changed_at: number;
    deleted_at?: number;
  }>;

export type YoutubeDocs = {
  person: Person;
  channel: Channel;
  video: Video;
  session: Upload;
  comment: Comment;
  day: Day;
  subscription: Subscription;
  blob: Blob;
};

/** How YouTube behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  ...LOGIN_SETTINGS,
  ...UPLOAD_SETTINGS,
  requests_per_minute: 3000,
  /** What the project has of each bucket of quota a day. */
  units_a_day: 10_000,
  inserts_a_day: 100,
  /** What a channel may upload in 24 hours. */
  uploads_a_day: 100,
  processing_ms: 5000,
  /** How the processing of the next videos ends. */
  processing_ends: 'processed',
  /** Someone without a channel is refused, not answered with an empty list. */
  signup_required: false,
  /** The hub is down; the longest lease it grants; and whether it knows feeds below /xml, as is documented, or elsewhere. */
  hub_down: false,
  hub_lease_s: 864_000,
  hub_xml: true,
  /** Verified accounts may set thumbnails. */
  verified: true,
});
