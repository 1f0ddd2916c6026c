/** X's errors: "problems" of the API, and errors of the login. */
import { TwinError } from '../kit/api/errors.ts';
import type { RateState } from '../kit/api/rates.ts';
import { seconds } from '../kit/ids.ts';
import type { Fields } from './docs.ts';

const PROBLEMS = 'https://api.x.com/2/problems/';

export const rateHeaders = ({ limit, remaining, resetAt }: Omit<RateState, 'window_s'>) => ({
  'x-rate-limit-limit': String(limit),
  'x-rate-limit-remaining': String(remaining),
  'x-rate-limit-reset': String(seconds(resetAt)),
});

/** An error of the API; `type` is the last part of the problem's URL. */
export class Problem extends TwinError {
  readonly body: () => Fields;
  override readonly headers: () => Readonly<Record<string, string>>;

  constructor(status: number, title: string, detail: string, type = '', more: Fields = {}, headers = {}) {
    super(status, type === '' ? String(status) : type, detail);
    const kind = type === '' ? { type: 'about:blank', status } : { type: `${PROBLEMS}${type}` };
    this.body = () => ({ ...more, title, detail, ...kind });
    this.headers = () => headers;
  }
}

export class LoginError extends TwinError {
  body(): unknown {
    return { error: this.code, error_description: this.message };
  }
}

export const badToken = (what = 'token') =>
  new LoginError(400, 'invalid_request', `Value passed for the ${what} was invalid.`);

const INVALID = 'One or more parameters to your request was invalid.';
export const invalid = (message: string, parameters: Fields = {}): Problem =>
  new Problem(400, 'Invalid Request', INVALID, 'invalid-request', { errors: [{ parameters, message }] });
/** The error for an invalid parameter; `what` says why. */
export const badValue = (name: string, value: unknown, what = 'is not valid'): Problem =>
  invalid(`The \`${name}\` query parameter value [${String(value).slice(0, 80)}] ${what}`, { [name]: [value] });
export const unauthorized = () => new Problem(401, 'Unauthorized', 'Unauthorized');
export const forbidden = (detail = 'You are not permitted to perform this action.') =>
  new Problem(403, 'Forbidden', detail);
export const unsupported = (kind: string, other: string): Problem => {
  const detail = `Authenticating with OAuth 2.0 ${kind} is forbidden for this endpoint. Supported authentication types are [OAuth 2.0 ${other}].`;
  return new Problem(403, 'Unsupported Authentication', detail, 'unsupported-authentication', { status: 403 });
};
export const notEnrolled = (client_id: string): Problem => {
  const detail = 'You must use keys and tokens from an App whose plan includes this endpoint.';
  const reason = { client_id, reason: 'client-not-enrolled', required_enrollment: 'Enterprise' };
  return new Problem(403, 'Client Forbidden', detail, 'client-forbidden', reason);
};
export const usageCapped = (account_id: string): Problem => {
  const cap = { account_id, product_name: 'pay-per-use', period: 'Monthly', scope: 'Product' };
  return new Problem(429, 'UsageCapExceeded', 'Usage cap exceeded: Monthly product cap', 'usage-capped', cap);
};
export const noCredits = (account_id: string): Problem => {
  const detail = `Your enrolled account [${account_id}] does not have any credits to fulfill this request.`;
  return new Problem(402, 'CreditsDepleted', detail, 'credits', { account_id });
};
export const limited = (state: Omit<RateState, 'window_s'>): Problem =>
  new Problem(429, 'Too Many Requests', 'Too Many Requests', 'rate-limit-exceeded', {}, rateHeaders(state));
export const trouble = () => new Problem(503, 'Service Unavailable', 'Service Unavailable');

const about = (resource_type: string, parameter: string, value: string) => ({
  value,
  resource_type,
  parameter,
  resource_id: value,
});
/** Something missing, listed in `errors` next to what was found. */
export const missing = (kind: string, parameter: string, value: string): Fields => ({
  ...about(kind, parameter, value),
  title: 'Not Found Error',
  detail: `Could not find ${kind} with ${parameter}: [${value}].`,
  type: `${PROBLEMS}resource-not-found`,
});
export const lost = (kind: string, id: string): Problem =>
  new Problem(
    404,
    'Not Found Error',
    `Could not find ${kind} with id: [${id}].`,
    'resource-not-found',
    about(kind, 'id', id),
  );
/** The error for a private field of somebody else's post. */
export const notYours = (field: string, id: string): Fields => ({
  ...about('tweet', 'ids', id),
  title: 'Field Authorization Error',
  section: 'data',
  type: `${PROBLEMS}not-authorized-for-field`,
  detail: `Sorry, you are not authorized to access '${field}' on the Post with ids : [${id}].`,
});
