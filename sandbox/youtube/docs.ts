import { LOGIN_SETTINGS } from '../googleapis/login.ts';
import { UPLOAD_SETTINGS, type Session } from '../googleapis/resumable.ts';
import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import type { Subscription } from '../kit/push/websub.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type Channel = Doc & Readonly<{ page_id: string; title: string; handle: string; subscribers: number }>;

export const PRIVACY = ['public', 'unlisted', 'private'] as const;
export type Privacy = (typeof PRIVACY)[number];

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

/** How processing can end. The part after the colon is the reason. */
export const ENDINGS = [
  'processed',
  'failed:conversion',
  'failed:codec',
  'rejected:duplicate',
  'rejected:copyright',
] as const;

export type Video = Doc &
  Readonly<{
    page_id: string;
    about: About;
    blob: string;
    thumb?: string;
    /** When processing ends, and how. */
    ready_at: number;
    ending: string;
    views: number;
    likes: number;
    hidesLikes?: boolean;
    commentsDisabled?: boolean;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** An upload of a channel that is in progress, with the metadata of the video. */
export type Upload = Session & Readonly<{ about: About }>;

export const MODERATION = ['published', 'heldForReview', 'likelySpam', 'rejected'] as const;
export type Moderation = (typeof MODERATION)[number];

/** A comment on a video of the channel `page_id`. For a reply, `parent_id` is the comment it replies to. */
export type Comment = Doc &
  Readonly<{
    page_id: string;
    parent_id?: string;
    video: string;
    /** The id of the author's channel. */
    author: string;
    text: string;
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
  subscription: Subscription;
  blob: Blob;
};

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  ...LOGIN_SETTINGS,
  ...UPLOAD_SETTINGS,
  requests_per_minute: 3000,
  /** What the project may use each day, by bucket. */
  units_a_day: 10_000,
  inserts_a_day: 100,
  /** How many videos a channel may upload in 24 hours. */
  uploads_a_day: 100,
  processing_ms: 5000,
  /** How processing the next videos ends. */
  processing_ends: 'processed',
  /** Whether somebody without a channel gets an error instead of an empty list. */
  signup_required: false,
  /** Settings of the hub: whether it is down, its longest lease, and whether feeds are below /xml as documented. */
  hub_down: false,
  hub_lease_s: 864_000,
  hub_xml: true,
  /** Whether accounts are verified, so that they may set thumbnails. */
  verified: true,
});
