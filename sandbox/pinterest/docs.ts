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

/** A video upload of the person `page_id`, with the fields that its form must have. */
export type Media = Doc &
  Readonly<{ page_id: string; fields: Readonly<Record<string, string>>; blob?: string; uploaded_at?: number }>;

/** A picture of a pin. If the pin has several, each has its own texts. */
export type Picture = Readonly<{ blob: string; about: Fields }>;

export type Pin = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    /** As they were sent and later changed, without the media. */
    fields: Fields;
    pictures: readonly Picture[];
    video?: string;
    /** The second of the video that is used as its cover. */
    cover_time?: number | undefined;
    /** Made in the API sandbox, so only its maker can see it. */
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
  /** Trial access: the app can make few calls a day, and pins only in the API sandbox. */
  trial: false,
  /** Whether calls go to the API sandbox, where pins are visible only to their makers. */
  api_sandbox: false,
  trial_calls_a_day: 1000,
  org_read: 1000,
  org_write: 100,
  /** Whether errors for too many calls have a Retry-After header. */
  retry_after: true,
  processing_ms: 5000,
  media_fails: false,
});
