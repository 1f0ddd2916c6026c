import type { GraphDocs } from '../graph/docs.ts';
import type { Upload } from '../graph/media/handles.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type PhoneNumber = Doc &
  Readonly<{
    page_id: string;
    /** E.164 without the plus. */
    digits: string;
    display: string;
    verified_name: string;
    isVerified: boolean;
    code?: Readonly<{ value: string; until: number }>;
    isRegistered: boolean;
    isBanned?: boolean;
    pin?: string;
    /** Times of registration attempts, and of those with a wrong PIN. */
    tries: readonly number[];
    misses: readonly number[];
    profile: Fields;
  }>;

/** Somebody with a phone; a stranger's number is not on WhatsApp. */
export type Customer = Doc &
  Readonly<{
    digits: string;
    country: string;
    name: string;
    username?: string;
    /** Rises with each new number; business-scoped ids derive from it. */
    phone_no: number;
    isStranger?: boolean;
    /** Opted out of marketing. */
    isOptedOut?: boolean;
    /** Ids of blocked numbers. */
    blocked: readonly string[];
  }>;

export type Chat = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** The start of the window. */
    opened_at?: number;
  }>;

export type Bubble = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    isOwn: boolean;
    isByApp: boolean;
    type: string;
    /** The member named by its type. */
    content: unknown;
    /** What phones show. */
    text: string;
    media?: string;
    choices: readonly Choice[];
    context?: string;
    template?: Readonly<{ category: string }>;
    /** The app's whole request body. */
    asked?: Fields;
    /** Repeated in every status. */
    callback_data?: string;
    state: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';
    failure?: Readonly<{ code: number; details: string }>;
  }>;

/** A tappable part of a message. */
export type Choice = Readonly<{
  kind: 'button_reply' | 'list_reply' | 'button';
  id: string;
  title: string;
  description?: string;
}>;

export type Media = Doc & Readonly<{ page_id: string; blob: string; mime: string; sha256: string; until: number }>;

export type Template = Doc &
  Readonly<{
    page_id: string;
    name: string;
    language: string;
    category: string;
    previous_category?: string;
    status: string;
    rejected_reason: string;
    parameter_format: string;
    components: readonly Fields[];
    edits: readonly number[];
    inCampaign: boolean;
    deleted_at?: number;
  }>;

export type WhatsAppDocs = GraphDocs &
  Readonly<{
    number: PhoneNumber;
    customer: Customer;
    chat: Chat;
    bubble: Bubble;
    due: Due;
    media: Media;
    upload: Upload;
    template: Template;
  }>;
