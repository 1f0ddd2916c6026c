import { table } from '../../../../src/platforms/threads/errors.ts';
import { threads } from '../../../../src/platforms/threads/index.ts';
import { mp4, png } from '../../../harness/media-samples.ts';
import type { Json } from '../../../harness/world.ts';
import { commentCase, replyCase } from '../answers.ts';
import { connectByConsent } from '../consent.ts';
import { FAILED, graphError, graphProbe, LONG_LIVED } from './graph.ts';
import { eventsOf, type Door, type PostCase, type Scene, type Seen, type SendCase, type Subject } from '../subject.ts';

const PEOPLE = ['olivia.sandbox.test', 'sam.sandbox.test'] as const;
const FRED = 'fred.sandbox.test';

async function connect(door: Door, nth: number) {
  const person = PEOPLE[nth]!;
  return { account: await connectByConsent(door, 'threads', '/oauth/authorize', { person }), person };
}

/** How often a post or a reply with a text was made public, and is now. */
async function made({ control }: Door, text: string): Promise<Seen> {
  const posts = ((await control('threads/posts')) as readonly Json[]).filter((post) => post.text === text);
  return { now: posts.filter(({ deleted_at }) => deleted_at === undefined).length, ever: posts.length };
}
const seen: PostCase['seen'] = async (door, text) => [await made(door, text)];

const numberIn = (text: string) => Number(/\d+$/.exec(text)![0]);
const photo = (door: Door, text: string) => door.upload('photo.png', 'image/png', png(3, 2, numberIn(text)));
const video = (door: Door, text: string) =>
  door.upload(
    'video.mp4',
    'video/mp4',
    mp4({ ms: 5000 + numberIn(text), tracks: [{ handler: 'vide', width: 720, height: 1280 }] }),
  );

const posts: Subject['posts'] = {
  text: { input: () => ({}), seen, within: 'thread with a first comment' },
  carousel: { input: async (door, text) => ({ media_ids: [await photo(door, text), await video(door, text)] }), seen },
  'thread with a first comment': {
    input: (_door, text) => ({ segments: [{ text: `Then ${text}` }], first_comment: `Below ${text}` }),
    seen: async (door, text) => [
      await made(door, text),
      await made(door, `Then ${text}`),
      { ...(await made(door, `Below ${text}`)), optional: true },
    ],
  },
};

const times = async (door: Door, text: string) => (await made(door, text)).ever;
const sends: Readonly<Record<string, SendCase>> = {
  'reply to a comment': replyCase(times),
  comment: commentCase(times),
};

const act = ({ control }: Pick<Scene, keyof Door>, name: string, input: object) => control(`threads/${name}`, input);
const answer = ({ rest, post }: Scene, text: string) => rest(`POST /v1/inbox/comments/${post}`, { text });

export const threadsSubject: Subject = {
  platform: threads,
  connect,
  refresh: LONG_LIVED,
  people: { comment: (scene, text) => act(scene, 'reply', { person: FRED, on: scene.platformPost, text }) },
  posts,
  sends,
  events: { 'mention.received': (scene) => act(scene, 'mention', { person: FRED, whom: scene.person, text: 'Look' }) },
  without: eventsOf('review', 'page', 'dm'),
  refusal: graphError({ ...FAILED, status: 403, code: 200 }),
  probes: [
    graphProbe(table, answer, [
      'THREADS_API__LINK_LIMIT_EXCEEDED',
      'The media could not be fetched from this URI: https://us.example',
    ]),
  ],
  deauthorize: (scene) => act(scene, 'revoke_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
};
