import { table } from '../../../../src/platforms/youtube/api.ts';
import { youtube } from '../../../../src/platforms/youtube/index.ts';
import type { GoogleFailed } from '../../../../src/platforms/googleapis/errors.ts';
import type { Instead } from '../../../harness/platforms/gate.ts';
import { comment, commentCase, replyCase } from '../answers.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { video, wideVideo } from '../files.ts';
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

export const youtubeSubject: Subject = {
  platform: youtube,
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
      samples: [{ ...FAILED, status: 500 }, ...samplesOf(table.rows, FAILED)],
      answer: youtubeError,
      ask: comment,
    }),
  ],
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { person: scene.person });
    // Nothing is pushed: the next call shows it.
    await comment(scene, 'Still there?');
  },
};
