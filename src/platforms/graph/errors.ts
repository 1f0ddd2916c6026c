import type { PlatformAnswer } from '../call.ts';
import type { PlatformError } from '../errors.ts';
import { shownAs } from '../shared/reasons.ts';
import { boundedWait, type ErrorRow, errorTable, type Failed, isNamed, type Rest, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

/** The fields of an untrusted error body, truncated. */
export type GraphError = Readonly<{
  code: number | undefined;
  subcode: number | undefined;
  text: string;
  isTransient: boolean;
}>;

export type GraphFailed = Failed & GraphError;
export type GraphRow = ErrorRow<GraphFailed>;

const TOO_MANY: GraphRow = [{ status: 429 }, 'throttled', 'rate_limit'];
const NO_CODE: GraphRow = [{ code: undefined }, 'unknown', 'api_error'];
const THROTTLED: GraphRow = [{ code: [4, 17, 32, 341, 613, 80001, 80002, 80006] }, 'throttled', 'rate_limit'];
/** Internal errors of Meta, after which the request may have taken effect. */
const TROUBLE: GraphRow = [{ code: [1, 2] }, 'unknown', 'api_error'];
// Throttling errors have this flag too, so their rows come first; any other flagged error may have taken effect.
const TRANSIENT: GraphRow = [({ isTransient, status }) => isTransient || status >= 500, 'unknown', 'api_error'];

const UNAVAILABLE = 'This person cannot be messaged now.';

const CHECKPOINT = 'The person has to log in on the platform and do what it asks for there.';

const MESSAGING: readonly GraphRow[] = [
  [{ subcode: [2018278, 2534022] }, 'refused', 'window_closed'],
  [{ subcode: 1545041 }, 'refused', 'window_closed', UNAVAILABLE],
  [{ code: 551 }, 'refused', 'window_closed', UNAVAILABLE],
  [{ subcode: 1893063 }, 'refused', 'blocked', 'Meta has restricted the messages of this account for a while.'],
];

/** The error for a version of the Graph API that has ended, which a setting can cause. */
const ENDED: GraphRow = [
  { code: 2635 },
  'refused',
  'version_ended',
  'Meta has ended this version of its API: set a newer GRAPH_VERSION.',
];

/** Errors common to all Graph APIs; rows with subcodes come first because they are more specific. */
const COMMON: readonly GraphRow[] = [
  [{ code: 100, subcode: 33 }, 'refused', 'not_found'],
  [{ code: 100 }, 'refused', 'invalid_request'],
  [{ code: 190, subcode: [459, 464, 490] }, 'refused', 'auth', CHECKPOINT],
  [{ code: [102, 190] }, 'refused', 'auth'],
  [{ code: 803 }, 'refused', 'not_found'],
  [{ code: [3, 10] }, 'refused', 'permission_denied'],
  [shownAs('code `200` to `299`', ({ code = 0 }) => code >= 200 && code <= 299), 'refused', 'permission_denied'],
];

/** The errors of a Graph API that has messages: its own rows, the common ones, then `last` as fallbacks. */
export const graphErrors = (own: readonly GraphRow[], ...last: readonly GraphRow[]) =>
  postErrors([...own, ENDED, ...MESSAGING], ...last);

export function postErrors(own: readonly GraphRow[], ...last: readonly GraphRow[]) {
  const isThrottle = ([, kind]: GraphRow) => kind === 'throttled';
  const [throttled, others] = [own.filter(isThrottle), own.filter((row) => !isThrottle(row))];
  const opening = [...throttled, TOO_MANY, NO_CODE, THROTTLED, TRANSIENT];
  const table = errorTable([...opening, ...others, TROUBLE, ...COMMON, ...last]);

  /** Classifies a refusal; `error` is undefined if the body contains none. */
  function refusalOf(answer: Pick<PlatformAnswer, 'status' | 'headers'>, error: GraphError | undefined): PlatformError {
    return table.errorOf({ status: answer.status, ...failedOf(error), wait: waitIn(answer) });
  }

  return Object.freeze({
    table,
    refusalOf,
    /** Classifies a failure that was reported later. */
    failureOf: (error: unknown, rest: Rest): PlatformError => table.failureOf(failedOf(graphErrorIn({ error })), rest),
    errorOf(answer: Answer): PlatformError | undefined {
      const error = graphErrorIn(answer.body);
      return error || answer.status < 200 || answer.status > 299 ? refusalOf(answer, error) : undefined;
    },
  });
}

const NONE: GraphError = { code: undefined, subcode: undefined, text: '', isTransient: false };

function failedOf(error: GraphError = NONE) {
  const { code, subcode } = error;
  return { ...error, name: code === undefined ? '' : `(#${code}${subcode === undefined ? '' : `/${subcode}`})` };
}

export function graphErrorIn(body: unknown): GraphError | undefined {
  const { error } = (body ?? {}) as { error?: unknown };
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, error_subcode: subcode, is_transient } = error as Record<string, unknown>;
  const number = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  return { code: number(code), subcode: number(subcode), text: textIn(error), isTransient: is_transient === true };
}

type Words = Readonly<{ message?: unknown; error_user_msg?: unknown; error_data?: { details?: unknown } | null }>;

/** Joins the error message with the text for users and the details, without repetition. */
function textIn({ message, error_user_msg: userMessage, error_data }: Words): string {
  const texts = [message, userMessage, error_data?.details].map((text) => wordOf(text, 300)).filter(Boolean);
  return wordOf([...new Set(texts)].join(' '), 300);
}

/** Seconds until the last exhausted quota renews; Meta sends minutes in a header of its own. */
function waitIn({ headers }: Pick<PlatformAnswer, 'headers'>): number | undefined {
  try {
    const usage = JSON.parse(headers['x-business-use-case-usage'] ?? '{}') as Record<string, unknown>;
    const minutes = Object.values(usage)
      .flat()
      .map((use) => Number((use as Record<string, unknown> | null)?.['estimated_time_to_regain_access']))
      .filter((time) => Number.isFinite(time) && time > 0);
    return minutes.length > 0 ? boundedWait(Math.max(...minutes) * 60) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the error has this Graph code (and subcode, if given). */
export function isGraph(error: unknown, code: number, subcode?: number): error is PlatformError {
  return isNamed(error, code) && (subcode === undefined || error.details.subcode === subcode);
}
