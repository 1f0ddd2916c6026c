import type { Day } from '../kit/days.ts';
import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const PRIVACY = ['PUBLIC', 'PROTECTED', 'SECRET'] as const;

export type Board = Doc &
  Readonly<{
    page_id: string;
    name: string;
    description: string;
    privacy: (typeof PRIVACY)[number];
    deleted_at?: number;
  }>;

export type Section = Doc & Readonly<{ parent_id: string; name: string }>;

/** A video upload of the person `page_id`, with its form's required fields. */
export type Media = Doc &
  Readonly<{ page_id: string; fields: Readonly<Record<string, string>>; blob?: string; uploaded_at?: number }>;

/** A pin's picture, with its own texts if it is one of several. */
export type Picture = Readonly<{ blob: string; about: Fields }>;

export type Pin = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    /** As sent and changed, without media. */
    fields: Fields;
    pictures: readonly Picture[];
    video?: string;
    /** The second of the video's cover. */
    cover_time?: number | undefined;
    /** Made in the API sandbox: visible only to its maker. */
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

export const SETTINGS = Object.freeze({
  /** Trial access: no pins outside the API sandbox, and few calls a day. */
  trial: false,
  /** The API sandbox, whose pins only their makers see. */
  api_sandbox: false,
  trial_calls_a_day: 1000,
  org_read: 1000,
  org_write: 100,
  /** Refusals of too many calls include Retry-After. */
  retry_after: true,
  processing_ms: 5000,
  media_fails: false,
});
