import type { Doc } from '../kit/docs.ts';
import type { Person as KitPerson } from '../kit/people.ts';
import type { Blob } from '../kit/files.ts';

/** Owners have Pages, everybody may follow one. */
export type Person = KitPerson & Readonly<{ /** Cannot be written to. */ unavailable?: boolean }>;

export type Subscription = Readonly<{
  fields: readonly string[];
  at: number;
  /** Where the updates of this Page alone go; it was verified when it was set. */
  callback?: string;
}>;
/** What an app acts for. */
export type Page = Doc &
  Readonly<{ name: string; username: string; category: string; about: string; subscription?: Subscription }>;

/** What a person may do on a Page; `parent_id` is the person. */
export type Role = Doc & Readonly<{ page_id: string; parent_id: string; tasks: readonly string[] }>;

/** What a person allowed the app; the id is the person's. */
export type Grant = Doc &
  Readonly<{
    grant_no: number;
    scopes: Readonly<Record<string, 'granted' | 'declined'>>;
    pages: readonly string[];
    login_at: number;
  }>;

export type Code = Doc & Readonly<{ person: string; redirect_uri: string; used: boolean }>;

/** A conversation of a Page with the person who is `parent_id`. */
export type Thread = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** When the person last wrote or tapped; the window is counted from it. */
    inbound_at?: number;
    unread: number;
  }>;

export type Piece = Readonly<{
  type: string;
  blob?: string;
  payload?: unknown;
  /** They stand beside the payload of some types. */
  title?: string;
  url?: string;
  /** The story that mentions somebody. */
  story?: string;
}>;
export type Message = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    from_page: boolean;
    by_app: boolean;
    text?: string;
    pieces: readonly Piece[];
    quick_replies?: readonly unknown[];
    quick_reply?: string;
    reply_to?: string;
    /** The story it answers, and the link or ad that led to it, as updates show them. */
    story?: Readonly<{ id: string; url: string }>;
    referral?: object;
    metadata?: string;
    /** The platform shows it to nobody but the people of the conversation. */
    unsupported?: boolean;
    /** What was chosen from the menu of commands. */
    commands?: readonly object[];
    reaction?: string;
    edits: number;
    delivered: boolean;
    read: boolean;
    deleted_at?: number;
  }>;

export type Attachment = Doc & Readonly<{ page_id: string; type: string; blob: string }>;

/** The documents every Graph platform has; each has more of its own. */
export type GraphDocs = Readonly<{
  person: Person;
  page: Page;
  role: Role;
  grant: Grant;
  code: Code;
  thread: Thread;
  message: Message;
  attachment: Attachment;
  blob: Blob;
}>;

/** What a reset leaves of these: people and their Pages. */
export const KEPT = Object.freeze(['person', 'page', 'role'] as const);
