import { z } from 'zod';
import { onlyIn } from '#call/input.ts';
import { PLATFORMS } from '#kernel/platforms.ts';

/** Input fields that many operations share, and common parts of answers. */

export const id = (what: string) => z.string().min(1).max(128).describe(`Id of the ${what}.`);

export const platformSlug = z.enum(PLATFORMS);

/** A platform to connect; the engine refuses unknown ones with its own code. */
export const connectedPlatform = z
  .string()
  .min(1)
  .max(32)
  .describe(`Platform slug: ${PLATFORMS.join(', ')}.`);

/** The account of a comment, review or message. Inferred from it, and checked if the caller names one. */
export const ownAccount = z.string().min(1).max(128).optional().describe('Optional; inferred.');

export const inboxFilters = {
  account_id: z.string().max(128).optional().describe('Only this account.'),
  brand_id: z.string().max(128).optional().describe('Only this brand.'),
  page_id: z.string().max(512).optional().describe('Only this page.'),
  platform: platformSlug.optional().describe('Only this platform.'),
};

const FREE_FORM_BYTES = 65_536;

export const freeForm = <T extends z.ZodType>(field: T) =>
  field.refine(
    (value) => value === undefined || value === null || Buffer.byteLength(JSON.stringify(value)) <= FREE_FORM_BYTES,
    `must be at most ${FREE_FORM_BYTES} bytes of JSON`,
  );

/** Documents members of an object for assistants, as some hosts refuse one without any. */
export const withMembers = (members: Readonly<Record<string, object>>) => ({
  shown_as: { type: 'object', properties: members },
});

/** Documents an open or long field as JSON text for assistants. */
export const asJsonText = { shown_as: { type: 'string' } };

export const words = (max: number) => z.string().trim().min(1).max(max);

const MOST_ITEMS = 100;
/** Page size, clamped to 100, refused below 1; `z.int()` would refuse huge numbers. */
const pageSize = z
  .number()
  .min(1)
  .refine((count) => count > MOST_ITEMS || Number.isInteger(count), 'must be a whole number')
  .meta({ type: 'integer' });

const clamped = (count: number) => Math.min(count, MOST_ITEMS);

export const limit = (usual: number) =>
  pageSize.default(usual).transform(clamped).describe(`Items per page, at most 100 (default ${usual}).`);

/** The last page returns an empty cursor, which counts as no cursor. */
const cursorOf = (what: string) =>
  z
    .string()
    .max(4096)
    .optional()
    .transform((text) => (text === '' ? undefined : text))
    .describe(what);

export const cursor = cursorOf('next_cursor of the page before; filters may be left out then.');

/** A list that is returned whole unless the caller requests a part. */
export const wholeList = {
  limit: pageSize.transform(clamped).optional().describe('Items per page; all of them when left out.'),
  cursor: cursorOf('next_cursor of the page before.'),
};

/** RFC 3339 years have four digits, also after subtracting the offset. */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const withSeconds = (time: string) => time.replace(/(T\d\d:\d\d)(?=[Z+-])/, '$1:00');

/** Why a text is no instant: its day or time does not exist, or it is written in another way. */
function whyNoInstant(text: string): string {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)/.exec(text) ?? [];
  if (day !== '' && !z.iso.date().safeParse(day).success) return `must be a day that exists, which ${day} does not`;
  if (day !== '' && !z.iso.time().safeParse(time).success) return `must be a time that exists, which ${time} does not`;
  return 'must be RFC 3339 with an offset, such as 2026-01-31T09:00:00Z or 2026-01-31T09:00:00+02:00';
}

/** An instant in milliseconds, by RFC 3339 with optional seconds; REST has added a missing offset before. */
export const instant = z
  .string()
  .max(64)
  .meta({ format: 'date-time' })
  .transform((text) => withSeconds(text.replace(' ', 'T').toUpperCase()))
  .pipe(z.iso.datetime({ offset: true, error: ({ input }) => whyNoInstant(String(input)) }))
  .transform((text) => Date.parse(text))
  .refine((at) => at >= FIRST && at <= LAST, 'must be in the years 0000 to 9999 of UTC');

/** What an assistant has to repeat before it deletes something for good. */
export const confirmation = (what: string) =>
  onlyIn('mcp', z.string().trim().min(1).max(254).describe(`${what}, repeated to confirm.`));

/** A list in JSON; comma-separated in a query. */
export const idList = (what: string) => z.array(z.string().min(1).max(128)).max(100).describe(`Ids of ${what}.`);

/** Treats an empty list, such as an empty value in a query, as no list. */
export const filled = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);

export const time = z.string().meta({ format: 'date-time' });

/** Marks fields that the assistants' tool list omits. */
export const minor = { minor: true };

/** Marks text by outsiders: hidden characters are removed from it for assistants. */
export const untrusted = { untrusted: true };

/** A duplicate field under another name, which assistants do not see. */
export const aliasOf = <T extends z.ZodType>(other: string, field: T) => field.meta({ alias_of: other });

/** Marks fields that assistants do not receive if the surrounding record has the same value. */
export const inherits = { inherits: true };

/** A record in responses, with its component name in the OpenAPI document. */
export const named = <S extends z.ZodRawShape>(component: string, shape: S) => z.looseObject(shape).meta({ component });

/** A part of an input, with its component name in the OpenAPI document. */
export const namedInput = <S extends z.ZodRawShape>(component: string, shape: S) => z.object(shape).meta({ component });

export const Done = named('Done', { success: z.boolean(), ok: aliasOf('success', z.boolean()), id: z.string() });

/** A person on a platform. */
export const Person = named('Person', {
  id: z.string(),
  name: z.string().meta(untrusted),
  username: z.string().nullable().meta(untrusted),
  avatar_url: z.string().nullable(),
});

/** A picture, video or other file on a platform. */
export const MediaFile = named('MediaFile', { type: z.string(), url: z.string() });

/** What a person wrote on a platform. */
export const Content = named('Content', { text: z.string().meta(untrusted), media: z.array(MediaFile) });

/** Why one of several things failed although others succeeded. */
export const Failure = named('Failure', { code: z.string(), message: z.string() });

export const pageShape = {
  pagination: named('Pagination', { has_more: z.boolean(), next_cursor: z.string(), limit: z.int() }),
  next_cursor: aliasOf('pagination.next_cursor', z.string()),
};

function isByteStream(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The file part of a multipart body, which only REST can send. */
export const filePart = (what: string) =>
  onlyIn(
    'rest',
    z
      .custom<AsyncIterable<Uint8Array>>(isByteStream, 'must be sent as a file part of a multipart form')
      .meta({ type: 'string', format: 'binary', description: what })
      .optional(),
  );

type Timed = Readonly<{
  scheduled_at?: number | null | undefined;
  targets?: readonly Readonly<{ scheduled_at?: number | null | undefined }>[] | null | undefined;
}>;

/** Whether a post, or any of its targets, is given a time to go out. */
export function hasTime({ scheduled_at, targets }: Timed): boolean {
  return [scheduled_at, ...(targets ?? []).map((target) => target.scheduled_at)].some((at) => typeof at === 'number');
}
