import { cutPage } from '../../googleapis/paging.ts';
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { route } from '../../kit/api/routes.ts';
import type { Channel, Fields } from '../docs.ts';
import { badParameter, missing, refuse } from '../errors.ts';
import { resource, type Views } from '../views.ts';
import type { Channels, Videos, World } from '../world.ts';
import type { Hub } from '../hub.ts';

export type Parts = Readonly<{ world: World; channels: Channels; videos: Videos; views: Views; hub: Hub }>;

const ROOT = 'https://www.googleapis.com/auth/';
/** The scopes of each kind of call, of which one is enough. */
export const RIGHTS = Object.freeze({
  read: ['youtube.readonly', 'youtube', 'youtube.force-ssl'],
  write: ['youtube', 'youtube.force-ssl'],
  upload: ['youtube.upload', 'youtube', 'youtube.force-ssl'],
  comment: ['youtube.force-ssl'],
});
export const SCOPES: readonly string[] = [...new Set(Object.values(RIGHTS).flat())].map((name) => `${ROOT}${name}`);

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const on = (
  verb: string,
  path: string,
  right: keyof typeof RIGHTS,
  run: (call: GoogleCall) => unknown,
  terms: Partial<GoogleRoute> = {},
): GoogleRoute =>
  route(verb, path, { effect: verb !== 'GET', ...terms }, (call) => {
    if (!RIGHTS[right].some((name) => call.caller.scopes.includes(`${ROOT}${name}`)))
      throw refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', 'global');
    return run(call);
  });

/** A parameter that can be repeated and can hold several words, separated by commas. */
export const wordsOf = ({ ctx }: Pick<GoogleCall, 'ctx'>, name: string): readonly string[] =>
  ctx.URL.searchParams.getAll(name).flatMap((value) =>
    value
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  );

export function partIn(call: GoogleCall): readonly string[] {
  const parts = wordsOf(call, 'part');
  if (parts.length === 0) throw missing('part');
  return parts;
}

export function channelOf({ channels }: Pick<Parts, 'channels'>, { caller }: GoogleCall): Channel {
  const channel = channels.get(caller.profiles[0] ?? '');
  if (channel === undefined) throw refuse(401, 'youtubeSignupRequired', 'Unauthorized', 'youtube.header');
  return channel;
}

export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (value !== undefined && !isRecord(value)) throw badParameter(name);
  return value ?? {};
}

/** A page of a list, with its items as the API shows them. */
export function listed<T>(
  call: GoogleCall,
  kind: string,
  all: readonly T[],
  { most, usual }: Readonly<{ most: number; usual: number }>,
  show: (one: T, at: number) => Fields,
): Fields {
  const size = call.params.whole('maxResults') ?? usual;
  if (size > most) throw badParameter('maxResults');
  const { pageToken: _, ...request } = call.params.query;
  const numbered = all.map((one, at) => [one, at] as const);
  const page = cutPage(numbered, { size, token: call.params.text('pageToken'), bound: JSON.stringify(request) });
  if (page === undefined) throw refuse(400, 'invalidPageToken', 'The request specifies an invalid page token.');
  const { items, ...tokens } = page;
  return resource(`${kind}ListResponse`, {
    ...tokens,
    pageInfo: { totalResults: all.length, resultsPerPage: size },
    items: items.map(([one, at]) => show(one, at)),
  });
}
