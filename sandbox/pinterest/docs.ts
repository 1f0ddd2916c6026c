import type { Day } from '../kit/days.ts';
import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const PRIVACY = ['PUBLIC', 'PROTECTED', 'SECRET'] as const;

/** A board of the person `page_id`. */
export type Board = Doc &
  Readonly<{
    page_id: string;
    name: string;
    description: string;
    privacy: (typeof PRIVACY)[number];
    deleted_at?: number;
  }>;

/** A section of a board, its `parent_id`. */
export type Section = Doc & Readonly<{ parent_id: string; name: string }>;

/** A video that the person `page_id` sends through a form; what the form has to say comes with it. */
export type Media = Doc &
  Readonly<{ page_id: string; fields: Readonly<Record<string, string>>; blob?: string; uploaded_at?: number }>;

/** A picture of a pin, with the words of its own that one of several has. */
export type Picture = Readonly<{ blob: string; about: Fields }>;

/** A pin of the person `page_id` on a board, its `parent_id`. */
export type Pin = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    /** As it was sent and changed, without its media. */
    fields: Fields;
    pictures: readonly Picture[];
    video?: string;
    /** The second of the video that is its cover. */
    cover_time?: number | undefined;
    /** Made in the API sandbox: only its maker sees it. */
    trial: boolean;
    comments: readonly Readonly<{ person: string; text: string; at: number }>[];
    versions: readonly Version[];
    deleted_at?: number;
  }>;

export type PinterestDocs = {
  person: Person;
  board: Board;
  section: Section;
  media: Media;
  pin: Pin;
  day: Day;
  blob: Blob;
};

/** How Pinterest behaves from day to day. */
export const SETTINGS = Object.freeze({
  /** The app has trial access: it makes no pins outside the API sandbox, and its calls of a day are few. */
  trial: false,
  /** The API is the API sandbox, whose pins only their makers see. */
  api_sandbox: false,
  trial_calls_a_day: 1000,
  /** Calls a minute of each category. */
  org_read: 1000,
  org_write: 100,
  org_analytics: 300,
  /** A refusal of too many calls says when to come back. */
  retry_after: true,
  processing_ms: 5000,
  media_fails: false,
  /** Days at whose end the numbers of a day are still counted. */
  counting_days: 1,
});
