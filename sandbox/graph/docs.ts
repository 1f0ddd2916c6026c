import type { Doc } from '../kit/docs.ts';
import type { Person as KitPerson } from '../kit/people.ts';
import type { Blob } from '../kit/files.ts';

/** Owners have Pages, everybody may follow one. */
export type Person = KitPerson & Readonly<{ /** Cannot be written to. */ unavailable?: boolean }>;

export type Subscription = Readonly<{
  fields: readonly string[];
  at: number;
  /** A verified callback for this Page only. */
  callback?: string;
}>;
export type Page = Doc &
  Readonly<{ name: string; username: string; category: string; about: string; subscription?: Subscription }>;

type Role = Doc & Readonly<{ page_id: string; parent_id: string; tasks: readonly string[] }>;

/** A person's grant to the app; the id is the person's. */
export type Grant = Doc &
  Readonly<{
    grant_no: number;
    scopes: Readonly<Record<string, 'granted' | 'declined'>>;
    pages: readonly string[];
    login_at: number;
  }>;

type Code = Doc & Readonly<{ person: string; redirect_uri: string; used: boolean }>;

/** A Page's conversation with the person `parent_id`. */
export type Thread = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** The person's last message or tap, from which the window counts. */
    inbound_at?: number;
    unread: number;
  }>;

export type Piece = Readonly<{
  type: string;
  blob?: string;
  payload?: unknown;
  /** Next to the payload of some types. */
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
    /** The answered story, and the link or ad that led here. */
    story?: Readonly<{ id: string; url: string }>;
    referral?: object;
    metadata?: string;
    /** Visible only to the people of the conversation. */
    unsupported?: boolean;
    /** The selection from the command menu. */
    commands?: readonly object[];
    reaction?: string;
    edits: number;
    delivered: boolean;
    read: boolean;
    deleted_at?: number;
  }>;

type Attachment = Doc & Readonly<{ page_id: string; type: string; blob: string }>;

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

export const KEPT = Object.freeze(['person', 'page', 'role'] as const);
