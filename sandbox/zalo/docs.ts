import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Why a user gets nothing: they have blocked the account, get too much, or want none of this kind. */
export const REFUSALS = Object.freeze({ blocked: -217, 'receives too much': -218, restricts: -244 });

/** What is between an account, its `page_id`, and a person; its id is how the account knows them. */
export type Tie = Doc &
  Readonly<{
    page_id: string;
    person: string;
    follows?: boolean;
    /** When they last did something that lets the account write to them. */
    acted_at?: number;
    refuses?: keyof typeof REFUSALS | undefined;
    /** What they shared when they were asked for it. */
    shared?: Readonly<Record<string, string>>;
    /** A visitor of the account's web chat, who has no name. */
    conversation?: string;
  }>;

/** What was said between an account, its `page_id`, and a user, its `parent_id`; in the words of the conversation list. */
export type Message = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    src: 0 | 1;
    type: 'text' | 'photo' | 'gif' | 'sticker' | 'voice' | 'link' | 'links' | 'location' | 'nosupport';
    text: string;
    /** As the pushes show them. */
    attachments: readonly Fields[];
    buttons?: readonly Fields[];
    quoted?: string | undefined;
    /** Not one of the free ones. */
    paid?: boolean;
    seen?: boolean;
    reactions?: Readonly<Record<string, string>>;
  }>;

/** A file that an account has uploaded; its id is what messages name it by. */
export type Upload = Doc & Readonly<{ page_id: string; kind: 'image' | 'gif' | 'file'; blob: string }>;

/** A video on its way into articles; its id is the token of the upload. */
export type Video = Doc & Readonly<{ page_id: string; video_id: string; blob: string; ready_at: number }>;

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

/** A change of an article that is worked on; its id is the token. */
export type Job = Doc &
  Readonly<{ page_id: string; article: string; body: Fields; ready_at: number; isDone?: boolean; failure?: string }>;

/** An account that has let the app in. */
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

/** An error that a test has ordered. */
export type OrderedError = Readonly<{ status: number; number: number; message: string }>;

/** How Zalo behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** The callback of the app's settings; empty is every address of the app. */
  callback_url: '',
  /** The secret key of the webhook page; empty is the secret of the app. */
  oa_secret_key: '',
  /** `expires_in` and timestamps come as numbers. */
  plain_numbers: false,
  calls_per_minute: 4000,
  /** Whether messages are free for 48 hours after an interaction, and how many are paid for. */
  free_messages: true,
  paid_messages: 500,
  /** Refusals of the log-in have a name, and no number. */
  named_refusals: false,
  uploads_per_month: 5000,
  article_ms: 2000,
  /** What the verification of an article says in place of its id. */
  article_failure: '',
  /** An article that is worked on is refused when it is asked for, not answered without an id. */
  article_refused: false,
  video_ms: 5000,
  /** What becomes of videos: 1 can be shown, 2 is locked, 4 cannot be converted, 5 is removed. */
  video_status: 1,
  /** Messages are said to be received. */
  receipts: true,
});
