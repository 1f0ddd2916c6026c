import type { MediaRef } from '#db/schema/database.ts';
import { z } from 'zod';
import { fail } from '#kernel/errors.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { PAGE_ERRORS } from '../platform-calls.ts';
import { aliasOf, asJsonText, freeForm, instant, minor, named, namedInput, pageShape, time } from '../fields.ts';
import type { TargetInput } from '#engine/publishing/content/addressing.ts';
import type { Content } from '#engine/publishing/content/content.ts';
import { Media, Target } from './target.ts';

export const POST_STATUSES = ['draft', 'scheduled', 'publishing', 'published', 'partial', 'failed'] as const;

/** `targets` and `results` are the same array under both names that clients read. */
export const Post = named('Post', {
  id: z.string(),
  post_id: aliasOf('id', z.string()),
  status: z.enum(POST_STATUSES),
  text: z.string().nullable(),
  title: z.string().nullable().meta(minor),
  visibility: z.string().meta(minor),
  first_comment: z.string().nullable().meta(minor),
  media: Media.meta(minor),
  media_ids: z.array(z.string()).meta(minor),
  segments: z.array(named('Segment', { media: Media, media_ids: z.array(z.string()) })).meta(minor),
  platform_data: z.record(z.string(), z.unknown()).meta(minor),
  scheduled_at: time.nullable(),
  published_at: time.nullable(),
  hidden: z.boolean().meta(minor),
  source: z.string().meta(minor),
  retry_count: z.int().meta(minor),
  targets: z.array(Target),
  results: aliasOf('targets', z.array(Target)),
  created_at: time.meta(minor),
  updated_at: time.meta(minor),
});

export const PostPage = named('PostPage', { data: z.array(Post), ...pageShape });

/** Refuses a change to a post that has changed since the caller read it. */
export const asRead = instant
  .optional()
  .describe('The updated_at you read; resource.conflict if the post changed since.')
  .meta(minor);

const mediaItem = namedInput('MediaInput', {
  source: z.string().min(1).max(4096),
  source_type: z.enum(['url', 'media_id', 'platform_attachment_id']).optional(),
  type: z.enum(['image', 'video', 'audio', 'file']).optional().meta(minor),
  fit: z.enum(['none', 'pad', 'crop']).optional().describe('Where the shape is refused.'),
  background: z
    .string()
    .max(7)
    .regex(/^#[\da-f]{6}$/i, 'must be a colour such as #ffffff')
    .optional()
    .meta(minor),
  focus: z
    .object({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) })
    .optional()
    .describe('What stays in a cropped picture, as shares of its width and height.')
    .meta(minor),
});

const text = z.string().max(100_000);
const mediaIds = z.array(z.string().min(1).max(128)).max(50);
const media = z.array(mediaItem).max(50);
const visibility = z.enum(['public', 'private', 'connections_only', 'logged_in']);
const title = z.string().max(1000);
const platformOptions = freeForm(z.record(z.string().max(64), z.unknown()));

const segment = namedInput('SegmentInput', {
  text: text.nullish(),
  media: media.nullish().meta(minor),
  media_ids: mediaIds.nullish(),
});

const target = namedInput('TargetInput', {
  account_id: z.string().min(1).max(128),
  page_id: z.string().max(128).nullish(),
  board_id: z.string().max(128).nullish(),
  text: text.nullish(),
  title: title.nullish(),
  media: media.nullish().meta(minor),
  media_ids: mediaIds.nullish(),
  first_comment: text.nullish(),
  visibility: visibility.nullish().meta(minor),
  scheduled_at: instant.nullish(),
  platform_data: platformOptions.nullish().meta(minor),
});

const optionsByPlatform = z
  .record(z.string(), platformOptions)
  .refine((options) => Object.keys(options).every(isPlatform), {
    error: ({ input }) => `Unrecognized key: "${Object.keys(input as object).find((key) => !isPlatform(key))}"`,
  });

/** The content of a post; in an edit, null clears a field. */
export const contentFields = {
  text: text.nullish().describe('Text.'),
  title: title.nullish().describe('Title.'),
  media: media.nullish().describe('Media.'),
  media_ids: mediaIds.nullish().describe('Or uploaded media.'),
  visibility: visibility.nullish().describe('Default public.'),
  first_comment: text.nullish().describe('Reply made right after.'),
  platform_data: freeForm(optionsByPlatform)
    .nullish()
    .describe('By platform, as JSON: {"<slug>": {"langs": ["en"]}}.')
    .meta(asJsonText),
  segments: z.array(segment).max(50).nullish().describe('More thread posts.'),
  targets: z.array(target).max(100).nullish().describe('Accounts, with overrides.'),
  account_ids: z.array(z.string().max(128)).max(100).nullish().describe('Account ids.'),
  skip_validation: z.boolean().default(false).describe('Skip validation.'),
};

type ContentInput = {
  [K in Exclude<keyof typeof contentFields, 'skip_validation'>]?: z.output<(typeof contentFields)[K]>;
};

type GivenMedia = Omit<MediaRef, 'source_type'> & { source_type?: MediaRef['source_type'] | undefined };

type Named<T> = {
  media?: readonly GivenMedia[] | null | undefined;
  media_ids?: readonly string[] | null | undefined;
} & T;

/** Whether a source is a URL of any scheme, or the id of a media item. */
export const sourceTypeOf = (source: string) => (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(source) ? 'url' : 'media_id');

/** Whether an empty list stands beside another name for the same: clients with typed inputs send all of them. */
const yieldsTo = (list: readonly unknown[], other: readonly unknown[] | null | undefined): boolean =>
  list.length === 0 && Boolean(other?.length);

/** The media, whichever way the caller named them; undefined if neither was used. */
function refs({ media: given, media_ids }: Named<object>): readonly MediaRef[] | null | undefined {
  if (given && !yieldsTo(given, media_ids))
    return given.map((one) => ({ ...one, source_type: one.source_type ?? sourceTypeOf(one.source) }));
  if (media_ids) return media_ids.map((source) => ({ source, source_type: 'media_id' as const }));
  return given === null ? null : media_ids;
}

const known = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** The targets, whichever way the caller named them; undefined if neither was used. */
export function targetsOf({ targets, account_ids }: ContentInput): readonly TargetInput[] | undefined {
  if (!targets || yieldsTo(targets, account_ids)) return account_ids?.map((account_id) => ({ account_id }));
  return targets.map((input) => ({
    account_id: input.account_id,
    page_id: known(input.page_id),
    scheduled_at: known(input.scheduled_at),
    board_id: known(input.board_id),
    text: known(input.text),
    title: known(input.title),
    media: known(refs(input)),
    first_comment: known(input.first_comment),
    visibility: known(input.visibility),
    platform_data: known(input.platform_data),
  }));
}

/** The content fields that the caller named: undefined means not named, null clears. */
export function namedContent(input: ContentInput): { [K in keyof Content]?: Content[K] | null | undefined } {
  const { text: body, title: heading, visibility: who, first_comment, platform_data, segments } = input;
  return {
    text: body,
    title: heading,
    media: refs(input),
    visibility: who,
    first_comment,
    platform_data,
    segments:
      segments?.map((part) => ({ text: known(part.text), media: known(refs(part)) })) ?? (segments as null | undefined),
  };
}

/** A new post's content, where unnamed fields are empty. */
export function newContent(input: ContentInput): Content {
  const named = namedContent(input);
  return {
    text: known(named.text),
    title: known(named.title),
    media: named.media ?? [],
    visibility: named.visibility ?? 'public',
    first_comment: known(named.first_comment),
    platform_data: named.platform_data ?? {},
    segments: named.segments ?? [],
  };
}

/** Fields that an edit can clear: over REST by null, by assistants by name. */
export const CLEARABLE = [
  'text',
  'title',
  'media',
  'media_ids',
  'visibility',
  'first_comment',
  'platform_data',
  'segments',
  'targets',
  'scheduled_at',
] as const;

type Clearable = (typeof CLEARABLE)[number];

/** Alternative inputs for the same content: a field cannot be cleared while its alternative sets it. */
const ALTERNATIVES: Partial<Record<Clearable, Clearable | 'account_ids'>> = {
  targets: 'account_ids',
  media: 'media_ids',
  media_ids: 'media',
};

/** The cleared fields as nulls, as REST sends them. */
export function nullsOf(
  input: Readonly<{ [K in Clearable | 'account_ids']?: unknown }>,
  clear: readonly Clearable[] = [],
): { [K in Clearable]?: null } {
  const both = clear.flatMap((name) => [name, ALTERNATIVES[name] ?? name]).find((name) => input[name] !== undefined);
  if (both !== undefined) {
    fail('validation.field_invalid', {
      message: `clear: ${both} is also set. Send only one of the two.`,
      meta: { field: 'clear' },
    });
  }
  return Object.fromEntries(clear.map((name) => [name, null]));
}

export function publishStatus(status: (typeof POST_STATUSES)[number]): number {
  return status === 'partial' ? 207 : 201;
}

/** The errors that a post's accounts, pages and media may cause. */
export const CONTENT_ERRORS = [
  'account.not_found',
  ...PAGE_ERRORS,
  'resource.not_found',
  'account.pages_not_supported',
  'billing.platform_not_available',
  'account.reconnection_required',
  'media.not_found',
  'media.not_ready',
  'publishing.duplicate_target',
  'publishing.media.unsupported_source',
  'publishing.media.mixing_unsupported',
  'platform.*.media_required',
  'resource.not_supported',
  'validation.post_limit_exhausted',
] as const;
