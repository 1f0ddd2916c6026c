import { expect } from 'vitest';
import { table } from '#platforms/youtube/api.ts';
import { youtube } from '#platforms/youtube/index.ts';
import type { GoogleFailed } from '#platforms/googleapis/errors.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import { openDescription } from '#test/oracles/described.ts';
import { comment, commentCase, replyCase } from '../answers.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture, video, wideVideo } from '../files.ts';
import { eventsOf, type Door, type PostCase, type Subject } from '../subject.ts';

const { act, list } = twinOf('youtube');

/** What the public sees of videos with a title; each that was ever made counts. */
const seen: PostCase['seen'] = async (door, text) => [
  countsOf(await list(door, 'videos', ({ about }) => about.title === text)),
];
const written = async (door: Door, text: string) => (await list(door, 'comments', (one) => one.text === text)).length;

const kind = (more: (text: string) => object = () => ({}), also: PostCase['seen'] = async () => []): PostCase => ({
  input: async (door, text) => ({ title: text, media_ids: [await video(door, wideVideo())], ...more(text) }),
  seen: async (door, text) => [...(await seen(door, text)), ...(await also(door, text))],
});
const posts: Subject['posts'] = {
  video: kind(),
  'video with a comment': kind(
    (text) => ({ first_comment: `First on ${text}` }),
    async (door, text) => {
      const count = await written(door, `First on ${text}`);
      return [{ now: count, ever: count, optional: true }];
    },
  ),
};

const youtubeError = ({ status, name, state, text, limit }: GoogleFailed): Instead =>
  jsonAnswer(status, {
    error: {
      code: status,
      message: text,
      ...(state !== '' && { status: state }),
      errors: [{ reason: name, domain: 'youtube', ...(limit !== '' && { metadata: { quota_limit_value: limit } }) }],
    },
  });
const FAILED: GoogleFailed = { status: 400, name: 'strange', state: '', limit: '', text: 'strange' };

/** Log-in and the hub are not in Google's description of the Data API. */
const described = openDescription(
  'youtube-v3.json',
  ({ pathname }) => /\/googleapis((?:\/upload)?\/youtube\/v3\/.+)$/.exec(pathname)?.[1],
);

export const youtubeSubject: Subject = {
  platform: youtube,
  described,
  // Videos are processed at once, so that a post can be published within a request.
  prepare: (stage) => act(stage, 'settings', { processing_ms: '0' }),
  connect: connectOwner('youtube', '/o/oauth2/v2/auth'),
  refresh: { method: 'POST /token', dueMs: 48 * 60_000 },
  people: {
    comment: (scene, text) => act(scene, 'comment', { person: FRED, video: scene.platformPost, text }),
  },
  posts,
  sends: {
    'comment on a video': commentCase(written),
    'reply to a comment': replyCase(written),
  },
  events: {},
  without: eventsOf('dm', 'mention', 'page', 'review'),
  refusal: youtubeError(FAILED),
  unlisted: youtubeError({ ...FAILED, status: 422 }),
  probes: [
    probeOf(table, {
      samples: [
        { ...FAILED, status: 500 },
        { ...FAILED, status: 400, text: 'Please migrate all the usages to another API' },
        ...samplesOf(table.rows, FAILED),
      ],
      answer: youtubeError,
      ask: comment,
    }),
  ],
  scenes: {
    async 'publishes with every option, and reads, holds and deletes comments as described'(stage, scene) {
      const { rest, comment: id, post } = scene;
      const options = {
        privacy_status: 'unlisted',
        tags: ['rye bread', 'sour'],
        category_id: '26',
        made_for_kids: false,
        contains_synthetic_media: true,
        notify_subscribers: false,
        embeddable: false,
        public_stats_viewable: false,
        license: 'creativeCommon',
        default_language: 'en',
        thumbnail: { source: await picture(stage), source_type: 'media_id' },
      };
      const media_ids = [await video(stage, wideVideo())];
      const asked = { title: 'Rye', text: 'A loaf', media_ids, platform_data: { youtube: options } };
      const made = await rest('POST /v1/posts', { ...asked, account_ids: [scene.account], publish_now: true });
      expect(made.status).toBe(201);
      expect(made.body.results[0].metadata).not.toHaveProperty('thumbnail_error');
      const place = `/v1/inbox/comments/${post}` as const;
      for (const [call, body] of [
        [`GET ${place}?moderation_status=held_for_review&order=relevance&q=rye`],
        [`POST ${place}`, { text: 'It is.', comment_id: id }],
        [`GET ${place}/${id}/replies`],
        [`POST ${place}/${id}/hide`, {}],
        [`DELETE ${place}/${id}/hide`],
        [`DELETE ${place}/${id}`],
        [`GET /v1/posts/${post}/metrics`],
      ] as const)
        expect([call, (await rest(call, body)).status]).toEqual([call, 200]);
    },
  },
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { person: scene.person });
    // Nothing is pushed: the next call shows it.
    await comment(scene, 'Still there?');
  },
};
