import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GoogleRequest, type GoogleCall, googleCall, googleRest, tokenFields } from '../googleapis/api.ts';
import { googleErrors } from '../googleapis/errors.ts';
import type { Quotas } from '../app/quotas.ts';
import { path } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';

/** `account` is the number of the Business Profile account through which the location was found. */
export const sessionOf = sessionParser(z.object({ ...tokenFields, account: z.string(), location: z.string() }));

/** Google limits requests per project, and edits per location. */
export const quotas = Object.freeze<Quotas>({
  requests: { every: 'minute', limit: 300, per: 'app' },
  edits: { every: 'minute', limit: 10, per: 'account' },
});

const REQUEST = Object.freeze({ bucket: 'requests', units: 1 });
const EDIT = Object.freeze({ bucket: 'edits', units: 1 });
export const POLL_COST = REQUEST;

const { table, errorOf } = googleErrors([
  [
    { name: ['INVALID_PUBSUB_TOPIC', 'PUBLISH_PERMISSIONS_MISSING_FOR_PUBSUB_TOPIC'] },
    'refused',
    'invalid_request',
    'Google cannot publish to the topic in GOOGLE_PUBSUB_TOPIC.',
  ],
]);
export { table };

const rest = googleRest(errorOf);

/** One request; `edit` means that it changes what people see of the location. */
type ApiRequest = Omit<GoogleRequest, 'cost'> & Readonly<{ edit?: true }>;

export function request<T extends z.ZodType>(
  call: GoogleCall,
  { edit, ...options }: ApiRequest,
  schema: T,
): Promise<z.output<T>> {
  return rest.request(call, { ...options, cost: edit ? [EDIT, REQUEST] : [REQUEST] }, schema);
}

export function asAccount<T extends z.ZodType>(
  call: AccountCall,
  options: ApiRequest,
  schema: T,
): Promise<z.output<T>> {
  return request(googleCall(call), options, schema);
}

/** A request on the session's location; `below` is the path after that of the location. */
export function atLocation<T extends z.ZodType>(
  call: AccountCall,
  below: Readonly<{ path: string; ids?: Readonly<Record<string, string>> }>,
  options: Omit<ApiRequest, 'host' | 'path' | 'ids'>,
  schema: T,
): Promise<z.output<T>> {
  const { account, location } = sessionOf(call.session);
  const locationPath = path`/v4/accounts/${{ account }}/locations/${{ location }}`;
  const where = { path: locationPath.path + below.path, ids: { ...locationPath.ids, ...below.ids } };
  return asAccount(call, { ...options, host: 'mybusiness', ...where }, schema);
}

export const Nothing = z.object({});

/** The last part of a resource name, such as the `3` of `accounts/1/locations/2/reviews/3`. */
export const lastOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Parses a resource name to its last part. */
export const Named = z.string().transform(lastOf).pipe(z.string().min(1));
