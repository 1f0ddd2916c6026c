import type { Doc } from '../kit/docs.ts';
import type { Person as KitPerson } from '../kit/people.ts';
import type { Blob } from '../kit/files.ts';

/** Owners have Pages; anybody can follow a Page. */
export type Person = KitPerson & Readonly<{ /** Cannot be written to. */ unavailable?: boolean }>;

export type Subscription = Readonly<{
  fields: readonly string[];
  at: number;
  /** The verified callback of this Page, if it has one besides the app's. */
  callback?: string;
}>;
export type Page = Doc &
  Readonly<{ name: string; username: string; category: string; about: string; subscription?: Subscription }>;

type Role = Doc & Readonly<{ page_id: string; parent_id: string; tasks: readonly string[] }>;

/** What a person has granted the app; its id is the person's id. */
export type Grant = Doc &
  Readonly<{
    grant_no: number;
    scopes: Readonly<Record<string, 'granted' | 'declined'>>;
    pages: readonly string[];
    login_at: number;
  }>;

type Code = Doc & Readonly<{ person: string; redirect_uri: string; used: boolean }>;

/** A conversation between a Page and the person `parent_id`. */
export type Thread = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** When the person last wrote or tapped a button; the messaging window starts here. */
    inbound_at?: number;
    unread: number;
  }>;

export type Piece = Readonly<{
  type: string;
  blob?: string;
  payload?: unknown;
  /** For types that have a title besides the payload. */
  title?: string;
  url?: string;
  /** The story in which the account was mentioned. */
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
    /** The story that the message replies to; `referral` is the link or ad that opened the conversation. */
    story?: Readonly<{ id: string; url: string }>;
    referral?: object;
    metadata?: string;
    /** A message that the API cannot show; only the two people see its content. */
    unsupported?: boolean;
    /** What the person chose in the command menu. */
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
