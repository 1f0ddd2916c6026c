import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GoogleRequest, type GoogleCall, googleCall, googleRest, tokenFields } from '../googleapis/api.ts';
import { googleErrors } from '../googleapis/errors.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { Quotas } from '../app/quotas.ts';
import { sessionParser } from '../shared/session.ts';
import type { Answer } from '../shared/rest.ts';

/** The session: the id of the channel, and the playlist of its uploads. */
export const sessionOf = sessionParser(
  z.object({ ...tokenFields, channel: z.string().min(1), uploads: z.string().min(1) }),
);

/** Google's quotas renew daily at midnight in its own time zone. */
const DAY = Object.freeze({ every: 'day', zone: 'America/Los_Angeles', per: 'app' });

/** Daily quotas of a Google project: one for general units, one for uploads. */
export const quotas = Object.freeze<Quotas>({
  units: { ...DAY, limit: 10_000, setting: 'YOUTUBE_DAILY_UNITS' },
  uploads: { ...DAY, limit: 100, setting: 'YOUTUBE_DAILY_UPLOADS' },
});

/** The units that a change costs; a read costs one. */
export const CHANGE_UNITS = 50;

export const { table, errorOf } = googleErrors(
  [
    [{ name: 'uploadLimitExceeded' }, 'refused', 'publish_limit', 'The channel may upload no more videos today.'],
    [{ name: 'commentsDisabled' }, 'refused', 'permission_denied', 'Comments are turned off for this video.'],
    [
      {
        name: [
          'authenticatedUserAccountClosed',
          'authenticatedUserAccountSuspended',
          'channelClosed',
          'channelSuspended',
        ],
      },
      'refused',
      'blocked',
      'YouTube has closed or suspended this channel.',
    ],
  ],
  (now) => windowAt(DAY, now).end,
);

const rest = googleRest(errorOf);

type ApiRequest = Omit<GoogleRequest, 'host' | 'cost'> &
  Readonly<{ units?: number; cost?: GoogleRequest['cost']; host?: string }>;

const priced = ({ units = 1, cost = { bucket: 'units', units }, ...options }: ApiRequest): GoogleRequest => ({
  host: 'googleapis',
  ...options,
  cost,
});

export const requestWith = <T extends z.ZodType>(
  call: GoogleCall,
  options: ApiRequest,
  schema: T,
): Promise<z.output<T>> => rest.request(call, priced(options), schema);

/** Sends a request, which costs one unit unless stated otherwise. */
export const request = <T extends z.ZodType>(call: AccountCall, options: ApiRequest, schema: T): Promise<z.output<T>> =>
  requestWith(googleCall(call), options, schema);

/** Sends a request whose response headers are used. */
export const answerTo = (call: AccountCall, options: ApiRequest): Promise<Answer> =>
  rest.answerTo(googleCall(call), priced(options));

/** Sends a change whose response is not used. */
export async function change(call: AccountCall, options: Omit<ApiRequest, 'units'>): Promise<void> {
  await answerTo(call, { ...options, units: CHANGE_UNITS });
}
