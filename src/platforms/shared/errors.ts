import { PLATFORM_REASONS, type PlatformReason } from '#kernel/errors.ts';
import { foreignText } from '#kernel/text/foreign.ts';
import { type AppCode, type FailureCode, type FailureKind, PlatformError, type ErrorDetails } from '../errors.ts';

/** What the error of an answer says. It comes from outside, so names and texts are truncated. */
export type Failed = Readonly<{
  status: number;
  /** The platform's name or number of the error, '' if it has none. */
  name: string;
  text: string;
  /** The number and the more exact number of the error, where they are no name. */
  code?: number | undefined;
  subcode?: number | undefined;
  /** Seconds until the platform may be asked again, as far as it says so. */
  wait?: number | undefined;
}>;

/** Matches if every field named is equal, one of a list, matched by a pattern, or accepted by a function. */
type When<F> = { readonly [Field in keyof F]?: F[Field] | readonly F[Field][] | RegExp } | ((failed: F) => boolean);

type More = Readonly<{
  /** The sentence a person reads, where that of the reason is too general. */
  message?: string;
  /** The session is expired, not revoked. */
  expired?: true;
  /** Often passes. */
  passing?: true;
  /** What earlier steps made is of no use any more. */
  spent?: true;
  code?: FailureCode;
  /** Stands for all errors that no other row lists. */
  unlisted?: true;
}>;

/** One row of an error table: which errors, what became of the request, why, and the sentence or further details. */
export type ErrorRow<F extends Failed = Failed> = readonly [
  when: When<F>,
  kind: FailureKind,
  reason: PlatformReason,
  more?: string | More,
];

/** Why something failed that no row lists. */
export type Rest = readonly [reason: PlatformReason, message?: string];

export type ErrorTable<F extends Failed = Failed> = Readonly<{
  rows: readonly ErrorRow<F>[];
  /** The first row that matches. */
  rowOf(failed: F): ErrorRow<F> | undefined;
  errorOf(failed: F): PlatformError;
  /**
   * Why what the platform had accepted came to nothing, as it reports later: a refusal whatever its row says, by no
   * status. What no row lists is `rest`.
   */
  failureOf(why: Omit<F, 'status'>, rest: Rest): PlatformError;
}>;

/**
 * Classifies errors by the first row that matches; what no row lists may have taken effect, so it is `unknown`, and
 * `unlisted` where the platform itself says that it refused.
 */
export function errorTable<F extends Failed>(rows: readonly ErrorRow<F>[]): ErrorTable<F> {
  const rowOf = (failed: F) => rows.find(([when]) => isMatch(when, failed));
  function errorOf(failed: F): PlatformError {
    const rest: ErrorRow<F> = [{}, 'unknown', 'api_error', { ...(isOwnRefusal(failed) && { unlisted: true }) }];
    const [, kind, reason, more] = rowOf(failed) ?? rest;
    const { message, expired, passing, spent, code, unlisted } = detailsOf(reason, more);
    return new PlatformError(kind, reason, message, {
      status: failed.status,
      upstream: `${failed.name || 'HTTP'} ${failed.status}${failed.text && `: ${failed.text}`}`,
      retryAfter: kind === 'throttled' ? failed.wait : undefined,
      details: saidIn(failed),
      ...(expired && { expired }),
      ...(passing && { passing }),
      ...(spent && { spent }),
      ...(unlisted && { unlisted }),
      code,
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

/** What a row says besides its reason, with the sentence for people. */
export function detailsOf(reason: PlatformReason, more: string | More = {}): More & Readonly<{ message: string }> {
  return { message: PLATFORM_REASONS[reason][1], ...(typeof more === 'string' ? { message: more } : more) };
}

/** Statuses below 500 of requests that may yet take effect. */
const UNFINISHED: ReadonlySet<number> = new Set([408, 425, 499]);

/** Whether the platform itself, and nothing on the way to it, says that the request was wrong. */
const isOwnRefusal = (failed: Failed): boolean =>
  !isInconclusive(failed) && !UNFINISHED.has(failed.status) && (failed.name !== '' || failed.text !== '');

/** Names that are no sentence. */
const SLUG = /^[\w.:-]{1,64}$/;

/** What a platform says of a failure. */
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

/** A status of the platform's own fault or unrelated to errors, with which no error name is believed. */
export const isInconclusive = ({ status }: Failed): boolean => status < 400 || status > 499;

/** A word or text of an answer, truncated; '' if it is none. */
export const wordOf = (value: unknown, most: number): string => (typeof value === 'string' ? value.slice(0, most) : '');

const LONGEST_WAIT_S = 86_400;
/** Numbers from here on are unix times in seconds; smaller ones are seconds to wait. */
const FIRST_TIME_S = 1_000_000_000;

/** Headers in which platforms say how long to wait, the most exact first. */
const WAITS = ['retry-after', 'ratelimit-reset', 'x-rate-limit-reset', 'x-ratelimit-reset'] as const;

/**
 * Seconds to wait by the headers of an answer, 1 to a day: a number of seconds, a unix time or an HTTP date, whichever
 * the platform sends; undefined if none can be read.
 */
export function waitOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const waits = WAITS.map((name) => secondsOf(headers[name] ?? '', now));
  return boundedWait(waits.find((wait) => !Number.isNaN(wait)) ?? Number.NaN);
}

/** Whole seconds, 1 to a day; undefined for no number. */
export function boundedWait(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT_S) : undefined;
}

function secondsOf(value: string, now: number): number {
  if (value.trim() === '') return Number.NaN;
  const number = Number(value);
  if (Number.isNaN(number)) return (Date.parse(value) - now) / 1000;
  return number >= FIRST_TIME_S ? number - now / 1000 : number;
}

/** What is kept of an error that is said in other words. */
type Instead = Readonly<Partial<Pick<PlatformError, 'status' | 'upstream' | 'details' | 'code' | 'spent'>>>;

/** A final refusal, in place of an error if one is given. */
export function refused(reason: PlatformReason, message?: string, instead?: Instead): PlatformError {
  return restated(instead, 'refused', reason, message);
}

/** A final refusal of the app that asks, in place of an error if one is given. */
export function refusedApp(code: AppCode, message: string, instead?: Instead): PlatformError {
  return restated(instead, 'refused', 'permission_denied', message, code);
}

/** The failure of what a platform had accepted, as it reports later: final, and with what it says of it. */
export function failedLater(reason: PlatformReason, message?: string, why: Why = {}, code?: FailureCode) {
  const [name, text] = [wordOf(why.name, 100), wordOf(why.text, 300)];
  // Some say the same twice.
  const upstream = [...new Set([name || why.code, text])].filter(Boolean).join(': ');
  return refused(reason, message, {
    ...(upstream && { upstream }),
    details: saidIn({ ...why, name, text }),
    code,
    spent: true,
  });
}

/** A result that nobody knows, in place of an error if one is given. */
export function unclear(message?: string, instead?: Instead): PlatformError {
  return restated(instead, 'unknown', 'api_error', message);
}

/** A refusal of content that cannot be what it should be, seen before or by the platform. */
export const unfit = (message: string): PlatformError => refused('invalid_request', message);

function restated(
  instead: Instead | undefined,
  kind: FailureKind,
  reason: PlatformReason,
  message: string = PLATFORM_REASONS[reason][1],
  code = instead?.code,
): PlatformError {
  const { status, upstream, details, spent } = instead ?? {};
  return new PlatformError(kind, reason, message, {
    ...(status !== undefined && { status }),
    ...(upstream !== undefined && { upstream }),
    ...(details && { details }),
    ...(spent && { spent }),
    code,
    ...(instead instanceof Error && { cause: instead }),
  });
}

/** Whether the platform refused for one of these reasons, or for any if none is given. */
export function isRefused(error: unknown, ...reasons: readonly PlatformReason[]): error is PlatformError {
  if (!(error instanceof PlatformError) || error.kind !== 'refused') return false;
  return reasons.length === 0 || reasons.includes(error.reason);
}

/** Whether the platform gave the error this name. */
export function isNamed(error: unknown, name: string): error is PlatformError {
  return error instanceof PlatformError && (error.upstream ?? '').startsWith(`${name} `);
}

/** The answer, or undefined if the platform refused for one of these reasons; without reasons, for any but `auth`. */
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

/** Whether the object does not exist or may not be seen. */
export const isMissing = (error: unknown): boolean => isRefused(error, 'not_found');
