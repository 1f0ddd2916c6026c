import { PLATFORM_REASONS, type PlatformReason } from '#kernel/errors.ts';
import { foreignText } from '#kernel/text/foreign.ts';
import { cut } from '#kernel/text/length.ts';
import { type AppCode, type FailureCode, type FailureKind, PlatformError, type ErrorDetails } from '../errors.ts';

/** An error response; names and texts are truncated because they are untrusted. */
export type Failed = Readonly<{
  status: number;
  /** The platform's name or number for the error; '' if it has none. */
  name: string;
  text: string;
  /** Numeric code and subcode, unless they are the name. */
  code?: number | undefined;
  subcode?: number | undefined;
  /** Seconds until a retry, if the platform says so. */
  wait?: number | undefined;
}>;

/** Matches if each listed field equals the value, is in the list or fits the pattern, or if the function says so. */
type When<F> = { readonly [Field in keyof F]?: F[Field] | readonly F[Field][] | RegExp } | ((failed: F) => boolean);

type More = Readonly<{
  /** The message for people, if the reason's own message is too general. */
  message?: string;
  /** The session has expired but is not revoked. */
  expired?: true;
  passing?: true;
  /** Results of earlier steps can no longer be used. */
  spent?: true;
  code?: FailureCode;
  /** The row is a catch-all for errors that no other row lists. */
  unlisted?: true;
}>;

/** A row of an error table: the errors it matches, the kind of failure, the reason, and a message or details. */
export type ErrorRow<F extends Failed = Failed> = readonly [
  when: When<F>,
  kind: FailureKind,
  reason: PlatformReason,
  more?: string | More,
];

export type Rest = readonly [reason: PlatformReason, message?: string];

export type ErrorTable<F extends Failed = Failed> = Readonly<{
  rows: readonly ErrorRow<F>[];
  rowOf(failed: F): ErrorRow<F> | undefined;
  errorOf(failed: F): PlatformError;
  /** Classifies a failure reported after acceptance: always `refused`, without a status; `rest` if no row matches. */
  failureOf(why: Omit<F, 'status'>, rest: Rest): PlatformError;
}>;

/** Classifies by the first matching row; unlisted errors are `unknown`, marked `unlisted` if clearly refused. */
export function errorTable<F extends Failed>(rows: readonly ErrorRow<F>[]): ErrorTable<F> {
  const rowOf = (failed: F) => rows.find(([when]) => isMatch(when, failed));
  function errorOf(failed: F): PlatformError {
    const rest: ErrorRow<F> = [{}, 'unknown', 'api_error', { ...(isOwnRefusal(failed) && { unlisted: true }) }];
    const [, kind, reason, more] = rowOf(failed) ?? rest;
    const { message, ...flags } = detailsOf(reason, more);
    return new PlatformError(kind, reason, message, {
      ...flags,
      status: failed.status,
      upstream: `${failed.name || 'HTTP'} ${failed.status}${failed.text && `: ${failed.text}`}`,
      retryAfter: kind === 'throttled' ? failed.wait : undefined,
      details: saidIn(failed),
    });
  }
  return Object.freeze({
    rows,
    rowOf,
    errorOf,
    failureOf(why: Omit<F, 'status'>, [reason, message]: Rest) {
      const listed = errorOf({ ...why, status: 400 } as unknown as F);
      const isListed = listed.kind === 'refused' || listed.kind === 'throttled';
      return failedLater(isListed ? listed.reason : reason, isListed ? listed.message : message, why, listed.code);
    },
  });
}

export function detailsOf(reason: PlatformReason, more: string | More = {}): More & Readonly<{ message: string }> {
  return { message: PLATFORM_REASONS[reason][1], ...(typeof more === 'string' ? { message: more } : more) };
}

/** Statuses below 500 after which the request may still take effect. */
const UNFINISHED: ReadonlySet<number> = new Set([408, 425, 499]);

/** Whether the platform itself, rather than a gateway, rejected the request as wrong. */
const isOwnRefusal = (failed: Failed): boolean =>
  !isInconclusive(failed) && !UNFINISHED.has(failed.status) && (failed.name !== '' || failed.text !== '');

const SLUG = /^[\w.:-]{1,64}$/;

export type Why = Partial<Pick<Failed, 'name' | 'text' | 'code' | 'subcode'>>;

function saidIn({ name = '', text = '', code, subcode }: Why): ErrorDetails {
  const slug = SLUG.test(name) ? name : undefined;
  const named = /^-?\d{1,15}$/.test(name) ? Number(name) : slug;
  const own = Number.isSafeInteger(code) ? code : named;
  const message = foreignText(text);
  return {
    ...(own !== undefined && { code: own }),
    ...(Number.isSafeInteger(subcode) && { subcode }),
    ...(message !== '' && { message }),
  };
}

function isMatch<F extends Failed>(when: When<F>, failed: F): boolean {
  if (typeof when === 'function') return when(failed);
  return Object.entries(when).every(([field, expected]) => {
    const value: unknown = failed[field as keyof F];
    if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value);
    return Array.isArray(expected) ? expected.includes(value) : value === expected;
  });
}

/** Whether the status is outside 4xx; error names in such a body are not trusted. */
export const isInconclusive = ({ status }: Failed): boolean => status < 400 || status > 499;

/** The value truncated to `most` characters; an empty string if it is not a string. */
export const wordOf = (value: unknown, most: number): string => (typeof value === 'string' ? cut(value, most) : '');

const LONGEST_WAIT_S = 86_400;
/** Numbers from here on are Unix times in seconds; smaller ones are waiting times in seconds. */
const FIRST_TIME_S = 1_000_000_000;

/** Headers that state a waiting time, the most exact first. */
const WAITS = ['retry-after', 'ratelimit-reset', 'x-rate-limit-reset', 'x-ratelimit-reset'] as const;

/** Seconds to wait, between 1 and a day, from a header with seconds, a Unix time or an HTTP date. */
export function waitOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const waits = WAITS.map((name) => secondsOf(headers[name] ?? '', now));
  return boundedWait(waits.find((wait) => !Number.isNaN(wait)) ?? Number.NaN);
}

/** Rounds to whole seconds between 1 and a day; undefined if it is not a number. */
export function boundedWait(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_S) : undefined;
}

function secondsOf(value: string, now: number): number {
  if (value.trim() === '') return Number.NaN;
  const number = Number(value);
  if (Number.isNaN(number)) return (Date.parse(value) - now) / 1000;
  return number >= FIRST_TIME_S ? number - now / 1000 : number;
}

/** The parts of the original error that stay when its message is replaced. */
type Instead = Readonly<Partial<Pick<PlatformError, 'status' | 'upstream' | 'details' | 'code' | 'spent'>>>;

/** A final refusal; keeps the details of the original error if one is given. */
export function refused(
  reason: PlatformReason,
  message?: string,
  instead?: Instead,
  code?: FailureCode,
): PlatformError {
  return restated(instead, 'refused', reason, message, code);
}

/** A final refusal of the app itself; keeps the details of the original error if one is given. */
export function refusedApp(code: AppCode, message: string, instead?: Instead): PlatformError {
  return restated(instead, 'refused', 'permission_denied', message, code);
}

/** A final failure that the platform reports after it accepted the request. */
export function failedLater(reason: PlatformReason, message?: string, why: Why = {}, code?: FailureCode) {
  const [name, text] = [wordOf(why.name, 100), wordOf(why.text, 300)];
  // Some platforms repeat the name in the text.
  const upstream = [...new Set([name || why.code, text])].filter(Boolean).join(': ');
  return refused(reason, message, {
    upstream: upstream || undefined,
    details: saidIn({ ...why, name, text }),
    code,
    spent: true,
  });
}

/** An unknown outcome; keeps the details of the original error if one is given. */
export function unclear(message?: string, instead?: Instead): PlatformError {
  return restated(instead, 'unknown', 'api_error', message);
}

/** A refusal of unsuitable content, either before sending or by the platform. */
export const unfit = (message: string): PlatformError => refused('invalid_request', message);

function restated(
  instead: Instead | undefined,
  kind: FailureKind,
  reason: PlatformReason,
  message: string = PLATFORM_REASONS[reason][1],
  code = instead?.code,
): PlatformError {
  const { status, upstream, details, spent } = instead ?? {};
  const cause = instead instanceof Error ? instead : undefined;
  return new PlatformError(kind, reason, message, { status, upstream, details, spent, code, cause });
}

/** Whether the platform refused for one of these reasons, or for any reason if none is given. */
export function isRefused(error: unknown, ...reasons: readonly PlatformReason[]): error is PlatformError {
  if (!(error instanceof PlatformError) || error.kind !== 'refused') return false;
  return reasons.length === 0 || reasons.includes(error.reason);
}

/** Whether the platform's own name or number for the error is this one. */
export function isNamed(error: unknown, name: string | number): error is PlatformError {
  return error instanceof PlatformError && error.details.code === name;
}

/** The result, or undefined if refused for one of these reasons (any but `auth` if none is given). */
export async function unlessRefused<T>(
  answer: Promise<T>,
  ...reasons: readonly PlatformReason[]
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isRefused(error, ...reasons) && (reasons.length > 0 || error.reason !== 'auth')) return undefined;
    throw error;
  }
}

export const isMissing = (error: unknown): boolean => isRefused(error, 'not_found');
