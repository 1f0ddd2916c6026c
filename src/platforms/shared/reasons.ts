import { byCodeUnits } from '#kernel/text/order.ts';
import type { ErrorCode, PlatformReason } from '#kernel/errors.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { type FailureCode, type FailureKind, PlatformError } from '../errors.ts';
import { codeOf } from '../refusal.ts';
import { detailsOf } from './errors.ts';

/** The error tables of a platform by the part they apply to; '' is the general table. */
export type ErrorTables = Readonly<Record<string, Readonly<{ rows: readonly Row[] }>>>;

type More = Readonly<{ message?: string; code?: FailureCode; unlisted?: true }>;
/** The parts of an error-table row that can be displayed. */
type Row = readonly [when: object, kind: FailureKind, reason: PlatformReason, more?: string | More];

/** An error code and meaning in Rostra, and the platform's errors (`said`) that lead to them. */
export type KnownReason = Readonly<{ code: ErrorCode; meaning: string; said: readonly string[] }>;

/** The listed errors of a platform, sorted by our codes; rows that match a whole class of errors are left out. */
export function knownReasons(slug: PlatformSlug, tables: ErrorTables): readonly KnownReason[] {
  const found = new Map<string, { code: ErrorCode; meaning: string; said: Set<string> }>();
  const shown = new Set<Row>();
  for (const [label, { rows }] of Object.entries(tables)) {
    for (const row of rows) {
      const said = shown.has(row) ? undefined : saidBy(row[0]);
      shown.add(row);
      if (said === undefined || isRest(row)) continue;
      const { code, meaning } = reasonOf(slug, row);
      const one = found.get(`${code} ${meaning}`) ?? { code, meaning, said: new Set<string>() };
      one.said.add(label === '' ? said : `${said} (${label})`);
      found.set(`${code} ${meaning}`, one);
    }
  }
  return [...found.values()]
    .map(({ said, ...one }) => ({ ...one, said: [...said] }))
    .toSorted((one, other) => byCodeUnits(one.code, other.code));
}

function reasonOf(slug: PlatformSlug, [, kind, reason, more]: Row): Pick<KnownReason, 'code' | 'meaning'> {
  const { message, code } = detailsOf(reason, more);
  const meaning = kind === 'unknown' ? 'Whether this took effect is unknown.' : message;
  return { code: codeOf(slug, new PlatformError(kind, reason, message, { code })), meaning };
}

const isRest = ([, , , more]: Row): boolean => typeof more === 'object' && more.unlisted === true;

/** The displayed fields of a row, and the text put before their values. */
const SHOWN = tableOf({ name: '', code: 'code ', subcode: 'subcode ', status: 'HTTP ' });

/** Describes what a row matches; undefined if it matches no particular code, name or status. */
function saidBy(when: object): string | undefined {
  if (typeof when === 'function') return (when as Readonly<{ shown?: string }>).shown;
  const entries = Object.entries(when) as [string, RegExp | string | number | undefined | (string | number)[]][];
  const named = entries.flatMap(([field, value]) => {
    const before = SHOWN.get(field);
    if (before === undefined || value === undefined || value instanceof RegExp) return [];
    return [
      `${before}${[value]
        .flat()
        .map((one) => (field === 'status' ? String(one) : `\`${String(one)}\``))
        .join(', ')}`,
    ];
  });
  if (named.length === 0) return undefined;
  const others = entries.some(([field]) => !SHOWN.has(field));
  return `${named.toReversed().join(' with ')}${others ? ', by what it says' : ''}`;
}

/** Adds a description to a row that matches by a function. */
export const shownAs = <When extends object>(shown: string, when: When): When => Object.assign(when, { shown });
