import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Why a user receives nothing: the account is blocked, sends too much, or sends an unwanted kind of message. */
export const REFUSALS = Object.freeze({ blocked: -217, 'receives too much': -218, restricts: -244 });

/** The relation between the account `page_id` and a person. Its id is how the account knows the person. */
export type Tie = Doc &
  Readonly<{
    page_id: string;
    person: string;
    follows?: boolean;
    /** When the person last did something that allows the account to write. */
    acted_at?: number;
    refuses?: keyof typeof REFUSALS | undefined;
    shared?: Readonly<Record<string, string>>;
    /** The id of a visitor in a web chat, who has no name. */
    conversation?: string;
  }>;

/** A message between the account `page_id` and the user `parent_id`, worded as in the list of conversations. */
export type Message = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    src: 0 | 1;
    type: 'text' | 'photo' | 'gif' | 'sticker' | 'voice' | 'link' | 'links' | 'location' | 'nosupport';
    text: string;
    /** In the format of pushes. */
    attachments: readonly Fields[];
    buttons?: readonly Fields[];
    quoted?: string | undefined;
    /** Whether it counted as a paid message. */
    paid?: boolean;
    seen?: boolean;
    reactions?: Readonly<Record<string, string>>;
  }>;

/** An upload of an account. Messages refer to it by its id. */
export type Upload = Doc & Readonly<{ page_id: string; kind: 'image' | 'gif' | 'file'; blob: string }>;

/** A video upload for articles. The id is its token. */
type Video = Doc & Readonly<{ page_id: string; video_id: string; blob: string; ready_at: number }>;

export type Article = Doc &
  Readonly<{
    page_id: string;
    type: 'normal' | 'video';
    /** As it was sent. */
    body: Fields;
    status: 'show' | 'hide';
    views: number;
    likes: number;
    changed_at: number;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** A change to an article that is being processed. The id is its token. */
export type Job = Doc &
  Readonly<{ page_id: string; article: string; body: Fields; ready_at: number; isDone?: boolean; failure?: string }>;

/** An account that has authorized the app. */
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
  /** The registered callback; if empty, any address of the app is allowed. */
  callback_url: '',
  /** The secret key of the webhook; if empty, the app's secret is used. */
  oa_secret_key: '',
  /** Whether `expires_in` and timestamps are numbers. */
  plain_numbers: false,
  calls_per_minute: 4000,
  /** Whether messages are free for 48 hours after an interaction, and how many paid ones there are. */
  free_messages: true,
  paid_messages: 500,
  /** Whether errors of the login have a name but no number. */
  named_refusals: false,
  uploads_per_month: 5000,
  article_ms: 2000,
  /** What verifying an article returns instead of its id. */
  article_failure: '',
  /** Whether reading an article in progress is an error, instead of a response without an id. */
  article_refused: false,
  video_ms: 5000,
  /** The status of videos: 1 ready, 2 locked, 4 not convertible, 5 removed. */
  video_status: 1,
  /** Whether the app is notified that messages were received. */
  receipts: true,
});
