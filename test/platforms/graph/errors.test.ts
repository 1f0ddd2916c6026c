import { expect, it } from 'vitest';
import { errorOf as facebook } from '#platforms/facebook/errors.ts';
import { errorOf as instagram, failureOf, isUnready } from '#platforms/instagram/errors.ts';
import { errorOf as threads } from '#platforms/threads/errors.ts';

const ERRORS = { facebook, instagram, threads };

const refusal = (code: number, error_subcode: number) => ({
  status: 400,
  headers: {},
  body: { error: { code, error_subcode, message: 'no' } },
});

const says = (words: string) => expect.stringContaining(words);

it.each([
  ['instagram', -1, 2_207_001, { kind: 'unknown', reason: 'api_error' }],
  ['instagram', -2, 2_207_020, { kind: 'refused', reason: 'invalid_request', message: says('expired') }],
  ['instagram', -2, 2_207_003, { kind: 'refused', reason: 'invalid_request', passing: true }],
  ['instagram', 9004, 2_207_052, { kind: 'refused', reason: 'invalid_request', passing: true }],
  ['instagram', 110, 2_207_018, { kind: 'refused', reason: 'invalid_request', message: says('does not know a user') }],
  ['instagram', 10, 1_893_063, { kind: 'refused', reason: 'blocked' }],
  ['facebook', 10, 1_893_063, { kind: 'refused', reason: 'blocked' }],
  [
    'threads',
    1,
    2_207_052,
    { kind: 'refused', reason: 'invalid_request', passing: true, message: says('cannot fetch a') },
  ],
] as const)('what Meta says on %s is taken as its lists of errors mean it: %d/%d', (slug, code, subcode, as) => {
  expect(ERRORS[slug](refusal(code, subcode))).toMatchObject(as);
});

it('media that Instagram has no more are prepared anew where they are published', () => {
  expect([2_207_001, 2_207_020].map((code) => isUnready(instagram(refusal(-2, code))!))).toEqual([false, true]);
});

it('a container of Instagram that failed with a code fails as a request that is refused with it', () => {
  expect(failureOf('Error: Media upload has failed with error code 36003')).toMatchObject({
    message: expect.stringContaining('aspect ratio'),
    details: { code: 36_003 },
  });
});

it.each([2_207_001, 2_207_003, 2_207_020, 2_207_052])(
  'a container of Instagram that failed with %d is made anew',
  (code) => {
    expect(failureOf(`Error: Media upload has failed with error code ${code}`)).toMatchObject({ kind: 'pending' });
  },
);
