import type { PlatformError } from '../errors.ts';
import {
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

/** What is wrong by X, and what the request was to create. */
type XFailed = Failed & Readonly<{ makes?: string | undefined }>;

const FORBIDDEN = 'Forbidden unsupported-authentication not-authorized-for-resource authenticity_token_error'.split(
  ' ',
);
const CAPPED = 'The app has used up what its plan or its credits on X allow.';
/** Errors about an exhausted allowance of the app. */
const CAPS = ['usage-capped', 'credits', 'CreditsDepleted'];
const SUMMONED =
  "The app's plan on X does not allow this, or X accepts answers only to people who mention the account.";
const LOCKED = 'X has locked the account: log in there, and do what it asks for.';
const SUSPENDED = 'X has suspended the account.';
const TOO_LARGE = 'X does not accept requests of this size.';
const UNDELIVERED = 'X does not deliver messages of this account to this person.';

/** By the last part of their type, or their title if the type says nothing. */
export const table = errorTable<XFailed>([
  [{ name: CAPS, makes: 'post' }, 'refused', 'publish_limit', CAPPED],
  [{ name: CAPS }, 'throttled', 'rate_limit', CAPPED],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  // Comes with 200 too, alone.
  [{ name: 'resource-not-found' }, 'refused', 'not_found'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ status: 410 }, 'refused', 'version_ended'],
  // From the edge of X, without a body.
  [{ status: [413, 431] }, 'refused', 'invalid_request', TOO_LARGE],
  [{ status: 401, name: 'Unauthorized' }, 'refused', 'auth', { expired: true }],
  // Sometimes X does not know a token that it issued.
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

/** The last part of a problem's type, or its title. */
function nameOf({ type, title, label }: Problem): string {
  const name = wordOf(type, 300).split('/').at(-1) ?? '';
  return name === '' || name === 'about:blank' || name === 'blank' ? wordOf(title ?? label, 100) : name;
}

/** An answer with 200 may hold partial results, and errors about the rest. */
export function errorOf({ status, headers, body }: Answer, now: number, makes?: string): PlatformError | undefined {
  const errorBody = (body ?? {}) as Problem;
  const errors = (Array.isArray(errorBody.errors) ? errorBody.errors : []) as readonly Problem[];
  const isSuccess = status >= 200 && status <= 299;
  if (isSuccess && (errors.length === 0 || errorBody.data !== undefined)) return undefined;
  const problem = isSuccess || nameOf(errorBody) === '' ? (errors[0] ?? errorBody) : errorBody;
  const texts = [problem.detail, ...errors.map(({ message }) => message)].filter((text) => typeof text === 'string');
  const text = texts.join(' ').slice(0, 300);
  return table.errorOf({ status, name: nameOf(problem), text, wait: waitOf(headers, now), makes });
}

/** Whether the app has used up its month. */
export const isCapped = (error: unknown): boolean => CAPS.some((name) => isNamed(error, name));

const tokenTable = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [{ name: ['invalid_client', 'unauthorized_client'] }, 'refused', 'permission_denied'],
  // A used refresh token is called an invalid request.
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
