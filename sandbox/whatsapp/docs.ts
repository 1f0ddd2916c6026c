import type { GraphDocs } from '../graph/docs.ts';
import type { Upload } from '../graph/media/handles.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type PhoneNumber = Doc &
  Readonly<{
    page_id: string;
    /** The number in E.164 form, without the plus. */
    digits: string;
    display: string;
    verified_name: string;
    isVerified: boolean;
    code?: Readonly<{ value: string; until: number }>;
    isRegistered: boolean;
    isBanned?: boolean;
    pin?: string;
    /** When registration was tried; `misses` are the tries with a wrong PIN. */
    tries: readonly number[];
    misses: readonly number[];
    profile: Fields;
  }>;

/** A person with a phone. The number of a stranger is not on WhatsApp. */
export type Customer = Doc &
  Readonly<{
    digits: string;
    country: string;
    name: string;
    username?: string;
    /** Goes up with each new number; business-scoped ids are derived from it. */
    phone_no: number;
    isStranger?: boolean;
    /** Whether the person has opted out of marketing. */
    isOptedOut?: boolean;
    /** The ids of numbers that the person has blocked. */
    blocked: readonly string[];
  }>;

export type Chat = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** When the messaging window opened. */
    opened_at?: number;
  }>;

export type Bubble = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    isOwn: boolean;
    isByApp: boolean;
    type: string;
    /** The content, which messages have under the name of their type. */
    content: unknown;
    /** The text that phones show. */
    text: string;
    media?: string;
    choices: readonly Choice[];
    context?: string;
    template?: Readonly<{ category: string }>;
    /** The whole body of the app's request. */
    asked?: Fields;
    /** Returned to the app in each status. */
    callback_data?: string;
    state: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed';
    failure?: Readonly<{ code: number; details: string }>;
  }>;

/** A part of a message that a customer can tap. */
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
