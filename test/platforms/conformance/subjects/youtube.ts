import { table } from '../../../../src/platforms/youtube/api.ts';
import { youtube } from '../../../../src/platforms/youtube/index.ts';
import type { GoogleFailed } from '../../../../src/platforms/googleapis/errors.ts';
import { mp4 } from '../../../harness/media-samples.ts';
import type { Instead } from '../../../harness/platforms/gate.ts';
import type { Json } from '../../../harness/world.ts';
import { commentCase, replyCase } from '../answers.ts';
import { connectByConsent } from '../consent.ts';
import { probeOf, samplesOf } from '../errors.ts';
import { eventsOf, type Door, type PostCase, type Scene, type Subject } from '../subject.ts';

const OWNERS = ['olivia.sandbox.test', 'sam.sandbox.test'];
const FRED = 'fred.sandbox.test';

const act = ({ control }: Pick<Door, 'control'>, name: string, input: object) => control(`youtube/${name}`, input);

async function connect(door: Door, nth: number) {
  const person = OWNERS[nth]!;
  return { account: await connectByConsent(door, 'youtube', '/o/oauth2/v2/auth', { person }), person };
}

/** What the public sees of videos with a title; each that was ever made counts. */
async function seen({ control }: Door, text: string) {
  const videos = ((await control('youtube/videos')) as readonly Json[]).filter(({ about }) => about.title === text);
  return [{ now: videos.filter(({ deleted_at }) => deleted_at === undefined).length, ever: videos.length }];
}

async function written({ control }: Door, text: string): Promise<number> {
  const comments = (await control('youtube/comments')) as readonly Json[];
  return comments.filter((one) => one.text === text).length;
}

const video = (door: Door) =>
  door.upload('a.mp4', 'video/mp4', mp4({ tracks: [{ handler: 'vide', width: 1280, height: 720 }] }));
const kind = (more: (text: string) => object = () => ({}), also: PostCase['seen'] = async () => []): PostCase => ({
  input: async (door, text) => ({ title: text, media_ids: [await video(door)], ...more(text) }),
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

const youtubeError = ({ status, name, state, text, limit }: GoogleFailed): Instead => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    error: {
      code: status,
      message: text,
      ...(state !== '' && { status: state }),
      errors: [{ reason: name, domain: 'youtube', ...(limit !== '' && { metadata: { quota_limit_value: limit } }) }],
    },
  }),
});
const FAILED: GoogleFailed = { status: 400, name: 'strange', state: '', limit: '', text: 'strange' };

const comment = ({ rest, post }: Scene, text: string) => rest(`POST /v1/inbox/comments/${post}`, { text });

export const youtubeSubject: Subject = {
  platform: youtube,
  // Videos are processed at once, so that a post can be published within a request.
  prepare: (stage) => act(stage, 'settings', { processing_ms: '0' }),
  connect,
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
