import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { PlatformError } from '../errors.ts';
import { boundedWait, errorTable, type Failed, isInconclusive, waitOf, wordOf } from '../shared/errors.ts';
import { word } from '../shared/fields.ts';
import type { Answer } from '../shared/rest.ts';

/** Matches the text of an error about a daily quota, which renews at midnight UTC. */
const DAILY = /\bDAY limit\b/;

export const UNUSABLE_FILE = 'LinkedIn cannot use this file; try another one.';

/** LinkedIn's internal errors leave the outcome unknown, regardless of their text. */
export const table = errorTable<Failed>([
  [{ status: 429, text: DAILY }, 'throttled', 'rate_limit', 'The daily quota on LinkedIn is used up until 00:00 UTC.'],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [isInconclusive, 'unknown', 'api_error'],
  [
    { status: 426 },
    'refused',
    'version_ended',
    'LinkedIn has ended this version of its API: set a newer LINKEDIN_VERSION.',
  ],
  [{ status: 401 }, 'refused', 'auth'],
  [{ status: 403 }, 'refused', 'permission_denied'],
  [{ status: 404 }, 'refused', 'not_found'],
  [{ status: [400, 409, 422], text: /\bduplicate\b/i }, 'refused', 'duplicate'],
  [
    { status: [400, 422], name: 'MEDIA_ASSET_PROCESSING_FAILED' },
    'refused',
    'invalid_request',
    { message: UNUSABLE_FILE, spent: true },
  ],
  [{ status: [400, 422] }, 'refused', 'invalid_request'],
]);

const Body = z.object({
  message: word,
  code: word,
  errorDetails: z.object({ inputErrors: z.array(z.object({ code: word })) }).catch({ inputErrors: [] }),
});

/** Reads an error and adds when its quota renews, which LinkedIn does not report. */
export function errorOf({ status, headers, body }: Answer, now: number): PlatformError | undefined {
  if (status >= 200 && status <= 299) return undefined;
  const { message = '', code = '', errorDetails } = Body.safeParse(body).data ?? {};
  const name = wordOf(errorDetails?.inputErrors[0]?.code || code, 100);
  const daily = DAILY.test(message) ? boundedWait((DAY - (now % DAY)) / 1000) : undefined;
  return table.errorOf({ status, name, text: wordOf(message, 300), wait: waitOf(headers, now) ?? daily });
}
