import type { PlatformError } from '../errors.ts';
import {
  boundedWait,
  errorTable,
  type Failed,
  isInconclusive,
  isNamed,
  isRefused,
  refusedApp,
  waitOf,
  wordOf,
} from '../shared/errors.ts';
import { wrongCode } from '../shared/oauth.ts';
import type { Answer } from '../shared/rest.ts';

/** An error of X, and what the failed request was to create. */
type XFailed = Failed & Readonly<{ makes?: string | undefined }>;

const FORBIDDEN = 'Forbidden unsupported-authentication not-authorized-for-resource authenticity_token_error'.split(
  ' ',
);
const CAPPED = 'The app has used up what its plan or its credits on X allow.';
/** Names of errors that mean the app's allowance is used up. */
const CAPS = ['usage-capped', 'credits', 'CreditsDepleted'];
const SUMMONED =
  "The app's plan on X does not allow this, or X accepts answers only to people who mention the account.";
const LOCKED = 'X has locked the account: log in there, and do what it asks for.';
const SUSPENDED = 'X has suspended the account.';
const TOO_LARGE = 'X does not accept requests of this size.';
const UNDELIVERED = 'X does not deliver messages of this account to this person.';

/** Errors by the last part of their type, or by their title if the type is general. */
export const table = errorTable<XFailed>([
  [{ name: CAPS, makes: 'post' }, 'refused', 'publish_limit', CAPPED],
  [{ name: CAPS }, 'throttled', 'rate_limit', CAPPED],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  // X also returns this with status 200, as the only content; the second for posts of protected or suspended accounts.
  [{ name: 'resource-not-found' }, 'refused', 'not_found'],
  [{ status: 200, name: 'not-authorized-for-resource' }, 'refused', 'not_found'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ status: 410 }, 'refused', 'version_ended'],
  // X's gateway returns these without a body.
  [{ status: [413, 431] }, 'refused', 'invalid_request', TOO_LARGE],
  [{ status: 401, name: 'Unauthorized' }, 'refused', 'auth', { expired: true }],
  // X sometimes does not recognize a token that it has issued.
  [
    { status: 403, name: 'unsupported-authentication', text: /^Authenticating with Unknown/i },
    'refused',
    'auth',
    { expired: true },
  ],
  [{ status: 403, text: /duplicate content/i }, 'refused', 'duplicate', 'X says that this was posted already.'],
  [{ status: 403, text: /\b(?:locked|unlock)\b/i }, 'refused', 'blocked', LOCKED],
  [{ status: 403, name: 'user-suspended' }, 'refused', 'blocked', SUSPENDED],
  [{ status: 403, name: 'client-forbidden' }, 'refused', 'permission_denied', SUMMONED],
  [{ status: 403, name: 'Forbidden', makes: 'message' }, 'refused', 'not_deliverable', UNDELIVERED],
  [{ status: 403, name: FORBIDDEN }, 'refused', 'permission_denied'],
  [{ status: 404, name: 'Not Found' }, 'refused', 'not_found'],
  [{ status: [400, 409, 415], name: /./ }, 'refused', 'invalid_request'],
]);

type Problem = Readonly<
  Partial<Record<'type' | 'title' | 'detail' | 'message' | 'label' | 'errors' | 'data', unknown>>
>;

/** The name of an error: the last part of its type, or its title. */
function nameOf({ type, title, label }: Problem): string {
  const name = wordOf(type, 300).split('/').at(-1) ?? '';
  return name === '' || name === 'about:blank' || name === 'blank' ? wordOf(title ?? label, 100) : name;
}

/** Whose quota of a day a response may call used up; waiting for the shorter window would not help then. */
const OF_A_DAY = ['x-app-limit-24hour', 'x-user-limit-24hour'] as const;

function waitIn(headers: Answer['headers'], now: number): number | undefined {
  const spent = OF_A_DAY.filter((name) => headers[`${name}-remaining`] === '0');
  const ends = spent.map((name) => Number(headers[`${name}-reset`] || Number.NaN)).filter(Number.isFinite);
  return ends.length > 0 ? boundedWait(Math.max(...ends) - now / 1000) : waitOf(headers, now);
}

/** Reads the error of a response; with status 200, errors next to data are about missing parts and ignored. */
export function errorOf({ status, headers, body }: Answer, now: number, makes?: string): PlatformError | undefined {
  const errorBody = (body ?? {}) as Problem;
  const errors = (Array.isArray(errorBody.errors) ? errorBody.errors : []) as readonly Problem[];
  const isSuccess = status >= 200 && status <= 299;
  if (isSuccess && (errors.length === 0 || errorBody.data !== undefined)) return undefined;
  const problem = isSuccess || nameOf(errorBody) === '' ? (errors[0] ?? errorBody) : errorBody;
  const texts = [problem.detail, ...errors.map(({ message }) => message)].filter((text) => typeof text === 'string');
  const text = wordOf(texts.join(' '), 300);
  return table.errorOf({ status, name: nameOf(problem), text, wait: waitIn(headers, now), makes });
}

/** Whether the app's allowance for the month is used up. */
export const isCapped = (error: unknown): boolean => CAPS.some((name) => isNamed(error, name));

const tokenTable = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [{ name: ['invalid_client', 'unauthorized_client'] }, 'refused', 'permission_denied'],
  // X reports a used refresh token as an invalid request.
  [{ name: ['invalid_grant', 'invalid_request'] }, 'refused', 'auth'],
]);

const WRONG_APP = 'X does not accept the app credentials: store them again with set_twitter_credentials.';

export function tokenErrorOf({ status, body }: Answer, grant: 'code' | 'refresh'): PlatformError | undefined {
  const { error, error_description } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (status >= 200 && status <= 299 && error === undefined) return undefined;
  const failed = tokenTable.errorOf({ status, name: wordOf(error, 100), text: wordOf(error_description, 300) });
  if (isRefused(failed, 'permission_denied')) return refusedApp('byok.credentials_invalid', WRONG_APP, failed);
  return isRefused(failed, 'auth') && grant === 'code' ? wrongCode({ title: 'X' }, failed) : failed;
}
