import type { GraphDocs } from '../graph/docs.ts';
import type { Upload } from '../graph/media/handles.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A phone number of a business; `page_id` is its WhatsApp account. */
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
    /** When registering was tried, and when with a wrong PIN. */
    tries: readonly number[];
    misses: readonly number[];
    profile: Fields;
  }>;

/** Somebody with a phone; a stranger is a number that is not on WhatsApp. */
export type Customer = Doc &
  Readonly<{
    digits: string;
    country: string;
    name: string;
    username?: string;
    /** Goes up with each new phone number; business-scoped ids follow from it. */
    phone_no: number;
    isStranger?: boolean;
    /** Wants no marketing any more. */
    isOptedOut?: boolean;
    /** Ids of the numbers that cannot reach them. */
    blocked: readonly string[];
  }>;

/** What a number, which is `page_id`, and a customer, who is `parent_id`, say to each other. */
export type Chat = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** The window is counted from it. */
    opened_at?: number;
  }>;

export type Bubble = Doc &
  Readonly<{
    page_id: string;
    /** The chat. */
    parent_id: string;
    isOwn: boolean;
    isByApp: boolean;
    type: string;
    /** The member of the message that its type names. */
    content: unknown;
    /** What phones show of it. */
    text: string;
    media?: string;
    choices: readonly Choice[];
    context?: string;
    template?: Readonly<{ category: string }>;
    /** The whole body in which the app asked for it. */
    asked?: Fields;
    /** Comes back in every status. */
    callback_data?: string;
    state: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';
    failure?: Readonly<{ code: number; details: string }>;
  }>;

/** Something to tap on in a message. */
export type Choice = Readonly<{
  kind: 'button_reply' | 'list_reply' | 'button';
  id: string;
  title: string;
  description?: string;
}>;

/** A file, of the number that is `page_id`. */
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
