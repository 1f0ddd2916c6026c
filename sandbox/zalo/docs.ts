import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Why a user receives nothing: blocked, too many messages, or unwanted kind. */
export const REFUSALS = Object.freeze({ blocked: -217, 'receives too much': -218, restricts: -244 });

/** The relation of the account `page_id` and a person; its id is the account's id of them. */
export type Tie = Doc &
  Readonly<{
    page_id: string;
    person: string;
    follows?: boolean;
    /** Their last action that allows the account to write. */
    acted_at?: number;
    refuses?: keyof typeof REFUSALS | undefined;
    shared?: Readonly<Record<string, string>>;
    /** A web chat visitor, who has no name. */
    conversation?: string;
  }>;

/** A message of the account `page_id` and the user `parent_id`, in the words of the conversation list. */
export type Message = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    src: 0 | 1;
    type: 'text' | 'photo' | 'gif' | 'sticker' | 'voice' | 'link' | 'links' | 'location' | 'nosupport';
    text: string;
    /** In the form of pushes. */
    attachments: readonly Fields[];
    buttons?: readonly Fields[];
    quoted?: string | undefined;
    /** Not a free message. */
    paid?: boolean;
    seen?: boolean;
    reactions?: Readonly<Record<string, string>>;
  }>;

/** An account's upload; messages name it by id. */
export type Upload = Doc & Readonly<{ page_id: string; kind: 'image' | 'gif' | 'file'; blob: string }>;

/** A video upload for articles; its id is the token. */
type Video = Doc & Readonly<{ page_id: string; video_id: string; blob: string; ready_at: number }>;

export type Article = Doc &
  Readonly<{
    page_id: string;
    type: 'normal' | 'video';
    /** As sent. */
    body: Fields;
    status: 'show' | 'hide';
    views: number;
    likes: number;
    changed_at: number;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** A change of an article in progress; its id is the token. */
export type Job = Doc &
  Readonly<{ page_id: string; article: string; body: Fields; ready_at: number; isDone?: boolean; failure?: string }>;

/** An account that authorized the app. */
type Link = Doc;

export type ZaloDocs = {
  person: Person;
  link: Link;
  tie: Tie;
  message: Message;
  upload: Upload;
  video: Video;
  article: Article;
  job: Job;
  blob: Blob;
};

export type OrderedError = Readonly<{ status: number; number: number; message: string }>;

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** The registered callback; empty is any of the app's. */
  callback_url: '',
  /** The webhook's secret key; empty is the app's secret. */
  oa_secret_key: '',
  /** `expires_in` and timestamps are numbers. */
  plain_numbers: false,
  calls_per_minute: 4000,
  /** Whether messages are free for 48 hours after an interaction, and the paid ones. */
  free_messages: true,
  paid_messages: 500,
  /** Log-in refusals have a name and no number. */
  named_refusals: false,
  uploads_per_month: 5000,
  article_ms: 2000,
  /** The result of verifying an article, instead of its id. */
  article_failure: '',
  /** An article in progress is refused instead of answered without an id. */
  article_refused: false,
  video_ms: 5000,
  /** Video states: 1 ready, 2 locked, 4 not convertible, 5 removed. */
  video_status: 1,
  /** Messages are reported as received. */
  receipts: true,
});
