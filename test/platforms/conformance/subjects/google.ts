import { expect } from 'vitest';
import { table } from '#platforms/google/api.ts';
import { google } from '#platforms/google/index.ts';
import type { GoogleFailed } from '#platforms/googleapis/errors.ts';
import { png } from '#test/harness/media-samples.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture } from '../files.ts';
import { reviewReplyCase } from '../answers.ts';
import { eventsOf, type Door, type PostCase, type Scene, type SendCase, type Subject } from '../subject.ts';

/** Owners of one location each; Nora gets hers first. */
const OWNERS = ['sam.sandbox.test', 'nora.sandbox.test'];
/** Each of them has one review of a place, which they may edit. */
const REVIEWERS = ['fred.sandbox.test', 'mia.sandbox.test'] as const;

const { act, list } = twinOf('google');

/** The number of the location that an account is. */
async function placeOf({ rest }: Door, account: string): Promise<string> {
  const { data } = (await rest('GET /v1/accounts')).body;
  const { metadata } = (data as readonly Json[]).find(({ id }) => id === account)!;
  return (metadata.location as string).split('/').at(-1)!;
}

const seen: PostCase['seen'] = async (door, text) => [
  countsOf(await list(door, 'posts', ({ fields }) => fields.summary === text)),
];
/** One whose answer is lost is found; that it is not there proves nothing, so one that never arrived fails. */
const kind = (input: PostCase['input']): PostCase => ({ input, seen, unfindable: true });
const WEEK = { start_date: '2026-12-01', start_time: '08:00', end_date: '2026-12-07' };

const posts: Subject['posts'] = {
  'standard post': kind(() => ({})),
  'post with a photo and a button': kind(async (door) => ({
    media_ids: [await picture(door, png(400, 300, 20_000))],
    platform_data: { google: { call_to_action: { action_type: 'ORDER', url: 'https://bakery.example/rye' } } },
  })),
  event: kind(() => ({ title: 'Rye week', platform_data: { google: { event: WEEK } } })),
  offer: kind(() => ({
    platform_data: { google: { event: { ...WEEK, title: 'Rye week' }, offer: { coupon_code: 'RYE' } } },
  })),
};

/** A review shows one reply, the last one. */
const replies: SendCase['seen'] = async (door, text) =>
  (await list(door, 'reviews', ({ reply }) => reply?.comment === text)).length;

const googleError = ({ status, name, state, limit, text }: GoogleFailed): Instead =>
  jsonAnswer(status, {
    error: {
      code: status,
      message: text,
      ...(state && { status: state }),
      details: [{ reason: name, metadata: { ...(limit && { quota_limit_value: limit }) } }],
    },
  });
const FAILED: GoogleFailed = { status: 400, name: 'STRANGE', state: 'FAILED_PRECONDITION', limit: '', text: 'No.' };

const answer = ({ rest, review }: Scene, text: string) => rest(`POST /v1/inbox/reviews/${review}/reply`, { text });

/** Each API has a host of its own. Log-in is in no description, and the bytes of files have a path of their own. */
const described = openDescription(
  'google-business.json',
  ({ pathname }) =>
    /(\/(?:accountmanagement|businessinformation|mybusiness|notifications)\/v\d\/.+)$/.exec(pathname)?.[1],
);

export const googleSubject: Subject = {
  platform: google,
  described,
  prepare: (stage) => act(stage, 'add_location', { account: 'Nora Nowhere', title: 'Nora Tailors' }),
  connect: connectOwner('google', '/o/oauth2/v2/auth', OWNERS),
  refresh: { method: 'POST /token', dueMs: 48 * 60_000 },
  people: {
    async review(scene, text) {
      const { length } = await list(scene, 'reviews');
      const place = { location: await placeOf(scene, scene.account), person: REVIEWERS[length] };
      return act(scene, 'write_review', { ...place, stars: '4', text });
    },
  },
  posts,
  sends: { 'reply to a review': reviewReplyCase(replies) },
  sendsAgain: true,
  events: {},
  without: eventsOf('comment', 'mention', 'page', 'dm'),
  refusal: googleError(FAILED),
  unlisted: googleError({ ...FAILED, status: 422 }),
  probes: [
    probeOf(table, {
      samples: [
        { ...FAILED, status: 400, text: 'Please migrate all the usages to another API' },
        ...samplesOf(table.rows, FAILED),
        { ...FAILED, status: 500 },
      ],
      answer: googleError,
      ask: answer,
    }),
  ],
  scenes: {
    async 'adds photos, and reads and takes back replies as described'(stage, scene) {
      const { rest, account, review } = scene;
      const media = [{ type: 'image', source_type: 'media_id', source: await picture(stage, png(400, 300, 20_000)) }];
      const reply = `/v1/inbox/reviews/${review}/reply` as const;
      for (const [call, body, status] of [
        [
          `POST /v1/platforms/google/accounts/${account}/media`,
          { category: 'COVER', description: 'Front', media },
          201,
        ],
        [`POST ${reply}`, { text: 'Thanks' }, 200],
        [`GET /v1/inbox/reviews?account_id=${account}`, undefined, 200],
        [`DELETE ${reply}`, undefined, 200],
      ] as const)
        expect([call, (await rest(call, body)).status]).toEqual([call, status]);
    },
  },
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { person: scene.person });
    // Google tells nobody: it is noticed when something is asked of it.
    await scene.rest(`GET /v1/inbox/reviews?account_id=${scene.account}`);
  },
};
