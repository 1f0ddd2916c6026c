import { randomUUID } from 'node:crypto';
import { TwinError } from '../kit/api/errors.ts';
import type { OrderedError } from '../kit/api/front.ts';
import type { RateState } from '../kit/api/rates.ts';
import type { Flaw } from '../kit/api/shapes.ts';

/** The headers that LinkedIn's servers add to every response. */
export const fabric = () => ({ 'x-li-fabric': 'prod-sandbox', 'x-li-uuid': randomUUID() });

class LinkedInError extends TwinError {
  readonly more: object;

  constructor(status: number, code: string, message: string, more: object = {}) {
    super(status, code, message);
    this.more = more;
  }

  body(): unknown {
    return { status: this.status, code: this.code, message: this.message, ...this.more };
  }

  override headers(): Readonly<Record<string, string>> {
    return { ...fabric(), 'x-restli-error-response': 'true' };
  }
}

export class OAuthError extends LinkedInError {
  override body(): unknown {
    return { error: this.code, error_description: this.message };
  }
}

const says = (status: number, code: string, more?: object) => (message: string) =>
  new LinkedInError(status, code, message, more);
const token = (code: string, serviceErrorCode: number, message: string) => () =>
  says(401, code, { serviceErrorCode })(message);

export const badToken = token('INVALID_ACCESS_TOKEN', 65_600, 'Invalid access token');
export const revokedToken = token('REVOKED_ACCESS_TOKEN', 65_601, 'The token used in the request has been revoked');
export const expiredToken = token('EXPIRED_ACCESS_TOKEN', 65_602, 'The token used in the request has expired');
export const denied = says(403, 'ACCESS_DENIED', { serviceErrorCode: 100 });
/** The error for a call to which the caller has no right. */
export const notPermitted = (what: string) => denied(`Not enough permissions to access: ${what}`);
export const illegal = says(400, 'ILLEGAL_ARGUMENT');
export const notFound = (what: string) => says(404, 'RESOURCE_NOT_FOUND')(`Could not find ${what.slice(0, 200)}`);
/** The error for a file that cannot be posted in its state. */
export const notReady = (state: string, urn: string) => says(400, `MEDIA_ASSET_${state}`)(`${urn} is ${state}`);
export const noActivity = (urn: string) => says(404, 'RESOURCE_NOT_FOUND')(`Unable to obtain activity for ${urn}`);
export const badVersion = (version: string) =>
  version === ''
    ? says(400, 'VERSION_MISSING')('A version must be present. Please add the LinkedIn-Version header.')
    : says(426, 'NONEXISTENT_VERSION')(`Requested version ${version.slice(0, 20)} is not active`);
const THROTTLED = 'Resource level throttle MEMBER DAY limit for calls to this resource is reached.';
export const throttled = () => says(429, 'TOO_MANY_REQUESTS', { serviceErrorCode: 101 })(THROTTLED);
/** LinkedIn may also refuse calls for a short time to protect itself, even if quota is left. */
const protecting = () => says(429, 'TOO_MANY_REQUESTS')('Too many requests to this resource');

export function badInput(fieldPath: string, code: string, description: string, status = 422): LinkedInError {
  const errorDetails = { inputErrors: [{ code, description, input: { inputPath: { fieldPath } } }] };
  const errorDetailType = 'com.linkedin.common.error.BadRequest';
  const message = code === 'DUPLICATE_POST' ? description : `ERROR :: /${fieldPath} :: ${description}`;
  return new LinkedInError(status, 'UNPROCESSABLE_ENTITY', message, { errorDetailType, errorDetails });
}

export function badField({ place, isMissing, code, words }: Flaw): LinkedInError {
  if (isMissing) return badInput(place, 'MISSING_FIELD', 'field is required but not found and has no default value');
  return badInput(place, code === 'too_big' ? 'FIELD_LENGTH_TOO_LONG' : 'INVALID_VALUE_FOR_FIELD', words);
}

export const WORDS = Object.freeze({
  invalid: illegal,
  noSuchPath: () => notFound('a resource for the path'),
  badToken,
  expired: expiredToken,
  noScope: () => notPermitted('this resource'),
  tooMany: (rate?: RateState) => (rate === undefined ? protecting() : throttled()),
  trouble: () => says(500, 'INTERNAL_SERVER_ERROR')('Internal Server Error'),
  ordered: ({ status, code, message }: OrderedError) => new LinkedInError(status, code, message),
});
