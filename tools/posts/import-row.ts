import { z } from 'zod';
import { fail } from '#kernel/errors.ts';
import { parseJsonField } from '#kernel/text/json.ts';
import { localToUtc } from '#kernel/text/local-time.ts';
import { asSeen } from '#kernel/text/blank.ts';
import { instant } from '../fields.ts';
import { contentFields, newContent, sourceTypeOf, targetsOf } from './post.ts';
import type { Draft } from '#engine/publishing/create/accept.ts';
import type { Cells } from '#engine/publishing/create/csv.ts';

const { text, title, media, visibility, first_comment, platform_data, account_ids } = contentFields;

/** A parsed row, with the fields of create_post. */
const Row = z.object({
  text,
  title,
  media,
  account_ids,
  scheduled_at: instant.optional(),
  visibility,
  first_comment,
  platform_data,
  board_id: z.string().max(128).optional(),
});

export const COLUMNS: readonly string[] = Object.freeze(Object.keys(Row.shape));

/** The draft of a CSV row: scheduled if it has a time (without an offset, in the timezone). */
export function draftOf(given: Cells, timezone?: string): Draft {
  const cells: Cells = Object.fromEntries(Object.entries(given).filter(([, cell]) => asSeen(cell) !== ''));
  if (cells['text'] === undefined && cells['media'] === undefined) required('text');
  const trimmed = (name: string) => cells[name]?.trim() || undefined;
  const json = trimmed('platform_data');
  const time = trimmed('scheduled_at');
  const row = Row.safeParse({
    text: cells['text'],
    title: cells['title'],
    media: listIn(cells['media'])?.map(mediaOf),
    first_comment: cells['first_comment'],
    visibility: trimmed('visibility'),
    board_id: trimmed('board_id'),
    scheduled_at: time === undefined ? undefined : instantOf(time, timezone),
    platform_data: json === undefined ? undefined : parseJsonField(json, 'platform_data'),
    account_ids: listIn(cells['account_ids']),
  });
  if (!row.success) {
    const { path, message } = row.error.issues[0]!;
    invalid(path.map(String).join('.'), message);
  }
  const { board_id, scheduled_at, ...content } = row.data;
  const targets = targetsOf(content) ?? [];
  if (targets.length === 0 && (scheduled_at !== undefined || board_id !== undefined)) required('account_ids');
  return {
    content: newContent(content),
    targets: board_id === undefined ? targets : targets.map((target) => ({ ...target, board_id })),
    scheduledAt: scheduled_at,
    publishNow: false,
    skipDuplicateCheck: false,
    skipValidation: false,
  };
}

function listIn(cell: string | undefined): readonly string[] | undefined {
  return cell
    ?.split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const mediaOf = (source: string) => ({ source, source_type: sourceTypeOf(source) }) as const;

/** Dates that begin with day or month, as spreadsheets write them. */
const DAY_FIRST = /^\d{1,2}([./-])\d{1,2}\1\d{2,4}\b/;

/** A readable time; a reformatted one is refused with an example. */
function instantOf(text: string, timezone: string | undefined): string {
  const form = timezone === undefined ? '2026-12-31T14:00:00Z' : '2026-12-31 14:00';
  if (DAY_FIRST.test(text)) invalid('scheduled_at', `${text} is not clear; write the year first, such as ${form}`);
  return timezone === undefined ? text : localToUtc(text, timezone);
}

function required(field: string): never {
  fail('validation.field_required', { message: `${field} is required.`, meta: { field } });
}

function invalid(field: string, message: string): never {
  fail('validation.field_invalid', { message: `${field}: ${message}`, meta: { field } });
}
