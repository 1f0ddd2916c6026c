import type * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import type { OpenedMedia } from '../media.ts';
import { type GraphRequest, Made, makeGraph, Success, GRAPH } from '../graph/api.ts';
import { isGraph } from '../graph/errors.ts';
import { refused } from '../shared/errors.ts';
import { makeRest } from '../shared/rest.ts';
import { versionIn } from '../app/versions.ts';
import { pageToken, sessionOf } from './accounts/session.ts';
import { errorOf, isFinalUpload } from './errors.ts';

export const { request: graph } = makeGraph(errorOf);

export function asUser<T extends z.ZodType>(call: AccountCall, request: GraphRequest, schema: T): Promise<z.output<T>> {
  return graph(call, { ...request, token: sessionOf(call.session).user_token }, schema);
}

export async function asPage<T extends z.ZodType>(
  call: AccountCall,
  page: string | undefined,
  request: GraphRequest,
  schema: T,
): Promise<z.output<T>> {
  try {
    return await graph(call, { ...request, token: pageToken(sessionOf(call.session), page) }, schema);
  } catch (error) {
    // The person may have lost the role on this one page; the other pages stay connected.
    if (!isGraph(error, 190, 492)) throw error;
    await assertLogin(call);
    throw refused('permission_denied', 'The login has lost its role on this Page.', error);
  }
}

/** Throws if the login itself has ended; if the check is inconclusive, nothing is thrown. */
async function assertLogin(call: AccountCall): Promise<void> {
  try {
    await asUser(call, { method: 'GET', path: '/me', query: { fields: 'id' } }, Made);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
  }
}

const uploads = makeRest<UnauthenticatedCall>({
  base: ({ hosts, settings }) => `${hosts['rupload']!}/video-upload/${versionIn(GRAPH, settings)}`,
  errorOf(answer) {
    const error = errorOf(answer);
    const isFinal = answer.status >= 400 && answer.status < 500 && isFinalUpload(answer.body);
    return isFinal ? refused('invalid_request', 'Facebook cannot use this video; try another file.', error) : error;
  },
});

/** Uploads a video to the upload host, starting at `offset`. */
export async function sendBytes(
  call: AccountCall,
  page: string | undefined,
  { video, media, offset }: Readonly<{ video: string; media: OpenedMedia; offset: number }>,
): Promise<void> {
  const headers = {
    // Only this host expects the token in this form.
    authorization: `OAuth ${pageToken(sessionOf(call.session), page)}`,
    offset: String(offset),
    file_size: String(media.size),
  };
  const content = { length: media.size - offset, open: () => media.stream(offset) };
  const body = { type: 'application/octet-stream', content };
  await uploads.request(call, { method: 'POST', path: '/{video}', ids: { video }, headers, body }, Success);
}
