import { PLATFORM_REASONS, type PlatformReason } from '../../kernel/errors.ts';
import type { PlatformAnswer } from '../call.ts';
import { type FailureKind, PlatformError } from '../errors.ts';

type Row = readonly [outcome: FailureKind, reason: PlatformReason, message?: string];

const THROTTLED: Row = ['throttled', 'rate_limit'];
const UNKNOWN: Row = ['unknown', 'api_error'];
const WINDOW: Row = ['refused', 'window_closed'];
const INELIGIBLE: Row = ['refused', 'private_reply_ineligible'];
const UNAVAILABLE: Row = ['refused', 'window_closed', 'This person cannot be written to now.'];
const BAD_VIDEO: Row = ['refused', 'invalid_request', 'Facebook cannot use this video; try another file.'];

/** Graph error codes. Any other code is `unknown`. */
const BY_CODE: Readonly<Record<number, Row>> = Object.freeze({
  1: UNKNOWN,
  2: UNKNOWN,
  3: ['refused', 'permission_denied'],
  4: THROTTLED,
  10: ['refused', 'permission_denied'],
  17: THROTTLED,
  32: THROTTLED,
  100: ['refused', 'invalid_request'],
  102: ['refused', 'auth'],
  190: ['refused', 'auth'],
  324: ['refused', 'invalid_request', 'Facebook cannot use this photo; try another file.'],
  341: THROTTLED,
  352: BAD_VIDEO,
  368: ['refused', 'blocked', 'Facebook has blocked this for the Page for a while, as against its rules.'],
  382: BAD_VIDEO,
  383: BAD_VIDEO,
  386: BAD_VIDEO,
  506: ['refused', 'duplicate', 'Facebook says that the Page has just posted the same.'],
  551: UNAVAILABLE,
  613: THROTTLED,
  803: ['refused', 'not_found'],
  1200: UNKNOWN,
  2200: ['refused', 'invalid_request', 'Facebook did not reach the address for its pushes.'],
  6000: BAD_VIDEO,
  10900: INELIGIBLE,
  10901: INELIGIBLE,
  10902: INELIGIBLE,
  10903: INELIGIBLE,
  80001: THROTTLED,
  80002: THROTTLED,
  80006: THROTTLED,
  1609005: ['refused', 'invalid_request', 'Facebook cannot read the page that the link leads to.'],
});

/** Subcodes whose meaning does not depend on the code. */
const BY_SUBCODE: Readonly<Record<number, Row>> = Object.freeze({
  1346003: ['refused', 'blocked', 'Facebook takes the content for abusive.'],
  1349125: ['refused', 'invalid_request', 'Facebook does not take this kind of file.'],
  1363047: UNKNOWN,
  1366046: ['refused', 'invalid_request', 'The photo is too large for Facebook, or of a kind that it does not take.'],
  1366051: ['refused', 'duplicate', 'Facebook says that these photos are posted already.'],
  1390008: ['throttled', 'rate_limit', 'Facebook says that the Page posts too fast.'],
  1404006: ['refused', 'blocked', 'Facebook wants a security check: log in there as the Page and follow it.'],
  // Concerns one Page and its person: reconnecting the login would not help.
  1404078: ['refused', 'permission_denied', 'Facebook wants a Page publishing authorisation: log in there to give it.'],
  1404102: ['refused', 'blocked', 'Facebook says that the content is against its rules.'],
  1404112: ['refused', 'blocked', 'Facebook has limited what this Page may do.'],
  1545041: UNAVAILABLE,
  1609005: ['refused', 'invalid_request', 'Facebook cannot read the page that the link leads to.'],
  1609008: ['refused', 'invalid_request', 'Facebook does not take a link to facebook.com here.'],
  1609010: UNKNOWN,
  2018001: ['refused', 'not_found', 'Facebook knows no such person for this Page.'],
  2018108: ['refused', 'blocked', 'This person takes no messages from the Page.'],
  2018278: WINDOW,
  2061006: ['refused', 'invalid_request', 'Facebook does not take this address.'],
  2069019: ['refused', 'invalid_request', 'Facebook cannot read this file.'],
  2534022: WINDOW,
  4854002: ['refused', 'blocked', 'Facebook wants somebody of the Page to confirm who they are: log in there.'],
});

const MISSING: Row = ['refused', 'not_found'];
const LONGEST_WAIT_S = 86_400;

/** The fields of an error body, truncated; the body is untrusted. */
export type GraphError = Readonly<{
  code: number | undefined;
  subcode: number | undefined;
  text: string;
  isTransient: boolean;
}>;

/** The error of a body, or undefined if it has none. */
export function graphErrorIn(body: unknown): GraphError | undefined {
  const { error } = (body ?? {}) as { error?: unknown };
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, error_subcode: subcode, message, is_transient } = error as Record<string, unknown>;
  const number = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  const text = typeof message === 'string' ? message.slice(0, 300) : '';
  return { code: number(code), subcode: number(subcode), text, isTransient: is_transient === true };
}

/** Whether the upload host refuses a file permanently; its errors have their own format. */
export function isFinalUpload(body: unknown): boolean {
  const { debug_info: info } = (body ?? {}) as { debug_info?: unknown };
  return (info as Readonly<Record<string, unknown>> | null | undefined)?.['retriable'] === false;
}

/** Classifies a refusal by Graph error codes; `error` is undefined if the body has none. */
export function refusalOf(answer: PlatformAnswer, error: GraphError | undefined): PlatformError {
  const [outcome, reason, message = PLATFORM_REASONS[reason][1]] = rowOf(answer.status, error);
  const { code, subcode, text } = error ?? { text: '' };
  const name = code === undefined ? 'HTTP' : `(#${code}${subcode === undefined ? '' : `/${subcode}`})`;
  return new PlatformError(outcome, reason, message, {
    status: answer.status,
    upstream: `${name} ${answer.status}${text && `: ${text}`}`,
    retryAfter: outcome === 'throttled' ? waitOf(answer.headers) : undefined,
  });
}

function rowOf(status: number, error: GraphError | undefined): Row {
  if (error?.code === undefined) return status === 429 ? THROTTLED : UNKNOWN;
  const { code, subcode = 0, isTransient } = error;
  const row = code === 100 && subcode === 33 ? MISSING : (own(BY_SUBCODE, subcode) ?? own(BY_CODE, code));
  // Throttling errors are marked transient too; the mark is not trusted for other errors.
  if (row?.[0] === 'throttled' || status === 429) return row?.[0] === 'throttled' ? row : THROTTLED;
  if (isTransient || status >= 500) return UNKNOWN;
  return row ?? (code >= 200 && code <= 299 ? ['refused', 'permission_denied'] : UNKNOWN);
}

function own(table: Readonly<Record<number, Row>>, key: number): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/**
 * Seconds until the last of our quotas is available again; sent in minutes in a header of its own, not in Retry-After.
 */
function waitOf(headers: PlatformAnswer['headers']): number | undefined {
  try {
    const usage = JSON.parse(headers['x-business-use-case-usage'] ?? '{}') as Record<string, unknown>;
    const minutes = Object.values(usage)
      .flat()
      .map((use) => Number((use as Record<string, unknown> | null)?.['estimated_time_to_regain_access']))
      .filter((time) => Number.isFinite(time) && time > 0);
    return minutes.length > 0 ? Math.min(Math.ceil(Math.max(...minutes) * 60), LONGEST_WAIT_S) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the error has this Graph code (and subcode, if given). */
export function isGraph(error: unknown, code: number, subcode?: number): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  const [, named, sub] = /^\(#(\d+)(?:\/(\d+))?\)/.exec(error.upstream ?? '') ?? [];
  return named === String(code) && (subcode === undefined || sub === String(subcode));
}

/** Whether the object does not exist or may not be seen. */
export function isMissing(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'refused' && error.reason === 'not_found';
}
