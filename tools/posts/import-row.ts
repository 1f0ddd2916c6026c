import { z } from 'zod';
import { fail } from '../../src/kernel/errors.ts';
import { parseJsonField } from '../../src/kernel/text/json.ts';
import { localToUtc } from '../../src/kernel/text/local-time.ts';
import { instant } from '../fields.ts';
import { contentFields, newContent, targetsOf } from './post.ts';
import type { Draft } from '../../src/engine/publishing/create/accept.ts';
import type { Cells } from '../../src/engine/publishing/create/csv.ts';

const { text, title, visibility, first_comment, platform_data, account_ids } = contentFields;

/** A row after its cells were taken apart: each field is what create_post takes. */
const Row = z.object({
  text,
  title,
  visibility,
  first_comment,
  platform_data,
  account_ids,
  board_id: z.string().max(128).optional(),
  scheduled_at: instant.optional(),
});

export const COLUMNS: readonly string[] = Object.freeze(Object.keys(Row.shape));

/** The post a row of a CSV file asks for: scheduled where it names a time (without an offset, in the timezone), else a draft. */
export function draftOf(cells: Cells, timezone?: string): Draft {
  if ((cells['text'] ?? '').trim() === '') required('text');
  const listed = cells['account_ids']?.split('|').map((one) => one.trim());
  const trimmed = (name: string) => cells[name]?.trim() || undefined;
  const json = trimmed('platform_data');
  const time = trimmed('scheduled_at');
  const row = Row.safeParse({
    text: cells['text'],
    title: cells['title'],
    first_comment: cells['first_comment'],
    visibility: trimmed('visibility'),
    board_id: trimmed('board_id'),
    scheduled_at: time !== undefined && timezone !== undefined ? localToUtc(time, timezone) : time,
    platform_data: json === undefined ? undefined : parseJsonField(json, 'platform_data'),
    account_ids: listed?.filter((one) => one !== ''),
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

function required(field: string): never {
  fail('validation.field_required', { message: `${field} is required.`, meta: { field } });
}

function invalid(field: string, message: string): never {
  fail('validation.field_invalid', { message: `${field}: ${message}`, meta: { field } });
}
