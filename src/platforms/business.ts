import type { AccountCall } from './call.ts';
import type { Listed, Paging } from './interactions.ts';
import type { MediaRef, OutgoingMedia } from './media.ts';
import type { SentMessage } from './messages.ts';
import type { Issue } from './posts.ts';
import type { Sending } from './sending.ts';

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

export type CodeRequest = Readonly<{ method: 'SMS' | 'VOICE'; language: string }>;

export type NumberStatus = Readonly<{ verified: boolean; registered: boolean }>;

export type Numbers = Readonly<{
  requestCode(call: AccountCall, request: CodeRequest): Promise<void>;
  verifyCode(call: AccountCall, code: string): Promise<void>;
  register(call: AccountCall, pin: string): Promise<void>;
  deregister(call: AccountCall): Promise<void>;
  status(call: AccountCall): Promise<NumberStatus>;
  profile(call: AccountCall): Promise<NumberProfile>;
  setProfile(call: AccountCall, change: NumberProfileChange): Promise<void>;
}>;

export const TEMPLATE_CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const;
type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];

/** A part of a template, such as header, body, footer or buttons; platforms define further members. */
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

/** A draft as its author wrote it, before any check. */
export type UncheckedTemplate = Omit<TemplateDraft, 'category'> & Readonly<{ category: string }>;

/** A template as the platform returns it, which may have categories and states that callers cannot set. */
export type Template = UncheckedTemplate & Readonly<{ id: string; status: string }>;

export type CreatedTemplate = Pick<Template, 'id' | 'status' | 'category'>;

type TemplateIssue = Readonly<{ field: string; message: string; component_index?: number }>;

export type TemplateIssues = Readonly<{ errors: readonly TemplateIssue[]; warnings: readonly TemplateIssue[] }>;

/** The value of one variable; platforms define further types and members. */
type TemplateParameter = Readonly<{
  type: string;
  text?: string | undefined;
  /** Only for templates whose variables have names instead of numbers. */
  parameter_name?: string | undefined;
}>;

export type TemplateRequest = Readonly<{
  /** The person's phone number, digits only, or the platform's id of the person. */
  to: string;
  template_name: string;
  language: string;
  components: readonly Readonly<{ type: string; parameters: readonly TemplateParameter[] }>[];
}>;

/** `conversation` is the conversation with the person, which may be new. */
export type SentTemplate = SentMessage &
  Readonly<{
    conversation: NonNullable<SentMessage['conversation']>;
    recipient: string;
    message_status?: string | undefined;
  }>;

/** Message templates that the platform must approve; unknown templates have an error code of the platform. */
export type Templates = Readonly<{
  /** A check without requests; also called before `create`. */
  check(draft: UncheckedTemplate): TemplateIssues;
  list(call: AccountCall, page: Paging): Promise<Listed<Template>>;
  create: Sending<TemplateDraft, CreatedTemplate>;
  read(call: AccountCall, id: string): Promise<Template>;
  update(call: AccountCall, id: string, components: readonly TemplateComponent[]): Promise<void>;
  remove(call: AccountCall, name: string): Promise<void>;
  send: Sending<TemplateRequest, SentTemplate>;
}>;

/** A photo or video of a location: a stored item, a URL, or the platform's name of an uploaded file. */
export type PlaceMedia = Readonly<{
  category: string;
  description?: string | undefined;
  media: OutgoingMedia & Readonly<{ source_type: MediaRef['source_type'] }>;
}>;

/** The person or business that the platform credits with the item. */
type PlaceMediaAttribution = Readonly<{
  profile_name?: string | undefined;
  profile_photo_url?: string | undefined;
  profile_url?: string | undefined;
  takedown_url?: string | undefined;
}>;

export type AddedPlaceMedia = Readonly<{
  id: string;
  category: string;
  description: string;
  created_at: number;
  width_pixels?: number | undefined;
  height_pixels?: number | undefined;
  thumbnail_url: string;
  media: Readonly<{ type: 'image' | 'video'; url: string }>;
  attribution?: PlaceMediaAttribution | undefined;
}>;

export type Places = Readonly<{
  /** Checks an item by the platform's rules, without a request to the platform. */
  check(item: PlaceMedia): readonly Issue[];
  addMedia: Sending<PlaceMedia, AddedPlaceMedia>;
}>;
