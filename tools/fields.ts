import { z } from 'zod';
import { onlyIn } from '#call/input.ts';
import { isPlatform, PLATFORMS, type PlatformSlug } from '#kernel/platforms.ts';

/** Input fields that many operations share, and the shapes that all answers are made of. */

export const id = (what: string) => z.string().min(1).max(128).describe(`Id of the ${what}.`);

const NO_PLATFORM = `Invalid option: expected one of ${PLATFORMS.map((slug) => `"${slug}"`).join('|')}`;
/** Not an enum, because tests make further platforms known; shown as one. */
export const platformSlug = z
  .string(NO_PLATFORM)
  .refine(isPlatform, NO_PLATFORM)
  .meta({ type: 'string', enum: [...PLATFORMS] }) as z.ZodType<string, string> as z.ZodType<PlatformSlug, PlatformSlug>;

/** A platform to be connected: what is none is refused by the engine, with a code of its own. */
export const connectedPlatform = z
  .string()
  .min(1)
  .max(32)
  .describe(`Platform slug: ${PLATFORMS.join(', ')}.`);

/** The account of a comment, review or message: found by the thing, and checked when it is named. */
export const ownAccount = z.string().min(1).max(128).optional().describe('Optional; inferred.');

/** Filters by where something of the inbox is. */
export const inboxFilters = {
  account_id: z.string().max(128).optional().describe('Only this account.'),
  brand_id: z.string().max(128).optional().describe('Only this brand.'),
  page_id: z.string().max(512).optional().describe('Only this page.'),
  platform: platformSlug.optional().describe('Only this platform.'),
};

/** How many bytes a field may hold whose shape is its receiver's affair. */
const FREE_FORM_BYTES = 65_536;

/** Bounds a field of any shape. */
export const freeForm = <T extends z.ZodType>(field: T) =>
  field.refine(
    (value) => value === undefined || value === null || Buffer.byteLength(JSON.stringify(value)) <= FREE_FORM_BYTES,
    `must be at most ${FREE_FORM_BYTES} bytes of JSON`,
  );

/** How assistants write a field: as an object of which these members are shown. Some hosts refuse one without any. */
export const withMembers = (members: Readonly<Record<string, object>>) => ({
  shown_as: { type: 'object', properties: members },
});

/** How assistants write a field whose shape is open, or too long to show: as JSON text, or as what it says. */
export const asJsonText = { shown_as: { type: 'string' } };

/** A text that people will read. */
export const words = (max: number) => z.string().trim().min(1).max(max);

const MOST_ITEMS = 100;
/** How many items a page has: clamped to 100 from above, refused below 1. No `z.int()`, which refuses huge numbers. */
const pageSize = z
  .number()
  .min(1)
  .refine((count) => count > MOST_ITEMS || Number.isInteger(count), 'must be a whole number')
  .meta({ type: 'integer' });

const clamped = (count: number) => Math.min(count, MOST_ITEMS);

export const limit = (usual: number) =>
  pageSize.default(usual).transform(clamped).describe(`Items per page, at most 100 (default ${usual}).`);

/** The last page answers an empty cursor, so an empty one is none. */
const cursorOf = (what: string) =>
  z
    .string()
    .max(4096)
    .optional()
    .transform((text) => (text === '' ? undefined : text))
    .describe(what);

export const cursor = cursorOf('next_cursor of the page before; filters may be left out then.');

/** A list that is whole unless a part of it is asked for. */
export const wholeList = {
  limit: pageSize.transform(clamped).optional().describe('Items per page; all of them when left out.'),
  cursor: cursorOf('next_cursor of the page before.'),
};

/** RFC 3339 has four digits for a year, also after the offset is taken off. */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const withSeconds = (time: string) => time.replace(/(T\d\d:\d\d)(?=[Z+-])/, '$1:00');

/**
 * An instant, as milliseconds. RFC 3339 allows lower case, and a space for the `T`; seconds may be left out. REST gives
 * what comes without an offset that of the workspace's timezone before it is read here; everybody else is refused.
 */
export const instant = z
  .string()
  .max(64)
  .meta({ format: 'date-time' })
  .transform((text) => withSeconds(text.replace(' ', 'T').toUpperCase()))
  .pipe(
    z.iso.datetime({
      offset: true,
      error: 'must be RFC 3339 with an offset, such as 2026-01-31T09:00:00Z or 2026-01-31T09:00:00+02:00',
    }),
  )
  .transform((text) => Date.parse(text))
  .refine((at) => at >= FIRST && at <= LAST, 'must be in the years 0000 to 9999 of UTC');

/** What an assistant repeats before something is deleted for good, so that it deletes nothing by a slip. */
export const confirmation = (what: string) =>
  onlyIn('mcp', z.string().trim().min(1).max(254).describe(`${what}, repeated to confirm.`));

/** A list in JSON, commas in a query. */
export const idList = (what: string) => z.array(z.string().min(1).max(128)).max(100).describe(`Ids of ${what}.`);

export const time = z.string().meta({ format: 'date-time' });

/** Marks what the tool list of assistants leaves out of an answer, or of an input that takes it: it tells them little. */
export const minor = { minor: true };

/** A field that repeats another one under a second name, which assistants are spared. */
export const aliasOf = <T extends z.ZodType>(other: string, field: T) => field.meta({ alias_of: other });

/** Marks a field that is left out for assistants where it is that of the record around it. */
export const inherits = { inherits: true };

export const Done = z.looseObject({ success: z.boolean(), ok: aliasOf('success', z.boolean()), id: z.string() });

export const pageShape = {
  pagination: z.looseObject({ has_more: z.boolean(), next_cursor: z.string(), limit: z.int() }),
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
