import type { AccountCall } from './call.ts';
import type { Listed, Paging } from './interactions.ts';
import type { OutgoingMedia } from './media.ts';
import type { SentMessage } from './messages.ts';
import type { SendCall, Sending } from './sending.ts';

/** The public profile behind a phone number. */
export type NumberProfile = Readonly<{
  about?: string | undefined;
  address?: string | undefined;
  description?: string | undefined;
  email?: string | undefined;
  profile_picture_url?: string | undefined;
  vertical?: string | undefined;
  websites?: readonly string[] | undefined;
}>;

export type NumberProfileChange = Omit<NumberProfile, 'profile_picture_url'> &
  Readonly<{ profile_picture_handle?: string | undefined }>;

/** Phone numbers, where an account is one. */
export type Numbers = Readonly<{
  requestCode(call: AccountCall, ask: Readonly<{ method: 'SMS' | 'VOICE'; language: string }>): Promise<void>;
  verifyCode(call: AccountCall, code: string): Promise<void>;
  register(call: AccountCall, pin: string): Promise<void>;
  deregister(call: AccountCall): Promise<void>;
  status(call: AccountCall): Promise<Readonly<{ verified: boolean; registered: boolean }>>;
  profile(call: AccountCall): Promise<NumberProfile>;
  setProfile(call: AccountCall, change: NumberProfileChange): Promise<void>;
}>;

export type TemplateCategory = 'AUTHENTICATION' | 'MARKETING' | 'UTILITY';

/** A part of a template as callers define it: header, body, footer or buttons. */
export type TemplateComponent = Readonly<{
  type: string;
  format?: string | undefined;
  text?: string | undefined;
  buttons?: readonly Readonly<Record<string, unknown>>[] | undefined;
  example?: Readonly<Record<string, unknown>> | undefined;
}>;

export type TemplateDraft = Readonly<{
  name: string;
  category: TemplateCategory;
  language: string;
  components: readonly TemplateComponent[];
}>;

export type Template = TemplateDraft &
  Readonly<{ id: string; status: 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED' }>;

export type TemplateIssue = Readonly<{ field: string; message: string; component_index?: number }>;

/** A template to send, with the values of its parameters. */
export type TemplateRequest = Readonly<{
  to: string;
  template_name: string;
  language: string;
  components: readonly Readonly<{
    type: string;
    parameters: readonly Readonly<{ type: string; text: string }>[];
  }>[];
}>;

/** Messages that the platform approves beforehand. */
export type Templates = Readonly<{
  /** Pure; called before `create` too. */
  check(draft: TemplateDraft): Readonly<{ errors: readonly TemplateIssue[]; warnings: readonly TemplateIssue[] }>;
  list(call: AccountCall, page: Paging): Promise<Listed<Template>>;
  create(call: AccountCall, draft: TemplateDraft): Promise<Pick<Template, 'id' | 'status' | 'category'>>;
  read(call: AccountCall, id: string): Promise<Template>;
  update(call: AccountCall, id: string, components: readonly TemplateComponent[]): Promise<void>;
  /** Removes every language of a name. */
  remove(call: AccountCall, name: string): Promise<void>;
  send: Sending<TemplateRequest, SentMessage>;
}>;

export type PlaceMedia = Readonly<{ category: string; description?: string | undefined; media: OutgoingMedia }>;

export type AddedPlaceMedia = Readonly<{ id: string; url?: string | undefined }>;

/** Places of business, where an account is one. */
export type Places = Readonly<{ addMedia(call: SendCall, item: PlaceMedia): Promise<AddedPlaceMedia> }>;
