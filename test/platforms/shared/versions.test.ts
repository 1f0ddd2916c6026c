/** What platforms answer to a version that has ended, in the words of their documentation and of reports. */
import { expect, it } from 'vitest';
import { googleErrors } from '#platforms/googleapis/errors.ts';
import * as telegram from '#platforms/telegram/errors.ts';
import * as twitter from '#platforms/twitter/errors.ts';
import * as zalo from '#platforms/zalo/errors.ts';
import { platforms } from '#platforms/index.ts';

const NOW = Date.UTC(2026, 10, 28);
const answer = (status: number, body: unknown) => ({ status, headers: {}, body });

const MOVED = 'This API will soon be deprecated. Please migrate all the usages to My Business Account Management API';
const invalid = {
  error: {
    code: 400,
    message: 'Request contains an invalid argument.',
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
        errorDetails: [{ message: MOVED }],
      },
    ],
  },
};

it.each([
  ['X', () => twitter.errorOf(answer(410, undefined), NOW)],
  [
    'Telegram',
    () => telegram.errorOf(answer(404, { ok: false, error_code: 404, description: 'Not Found: method not found' })),
  ],
  [
    'Zalo',
    () => zalo.errorOf(answer(200, { error: -240, message: 'MessageV2 API has been shut down' }), { now: () => NOW }),
  ],
  ['Google', () => googleErrors().errorOf(answer(400, invalid), NOW)],
])('of %s is an error of its own', (_, errorOf) => {
  expect(errorOf()).toMatchObject({ kind: 'refused', reason: 'version_ended' });
});

it('a bot that Telegram does not know has lost its login', () => {
  const unknown = { ok: false, error_code: 404, description: 'Not Found' };
  expect(telegram.errorOf(answer(404, unknown))).toMatchObject({ kind: 'refused', reason: 'auth' });
});

it('is said of every API, or that nothing is documented', () => {
  const all = [...platforms.values()].flatMap(({ slug, versions = [] }) => versions.map((one) => [slug, one] as const));
  const silent = all.filter(([, { gone, api }]) => gone === undefined && !api.endsWith(', deprecated'));
  expect(new Set(silent.map(([slug]) => slug))).toEqual(
    new Set(['tiktok', 'google', 'bluesky', 'youtube', 'pinterest']),
  );
});
