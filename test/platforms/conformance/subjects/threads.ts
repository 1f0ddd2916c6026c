import { table } from '#platforms/threads/errors.ts';
import { threads } from '#platforms/threads/index.ts';
import { png } from '#test/harness/media-samples.ts';
import { comment, commentCase, replyCase } from '../answers.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { numberIn, picture, uprightVideo, video } from '../files.ts';
import { FAILED, graphError, graphProbe, LONG_LIVED, UNLISTED } from './graph.ts';
import { eventsOf, type Door, type PostCase, type Scene, type SendCase, type Subject } from '../subject.ts';

/** How often a post or a reply with a text was made public, and is now. */
const made = async (door: Door, text: string) => countsOf(await list(door, 'posts', (post) => post.text === text));
const seen: PostCase['seen'] = async (door, text) => [await made(door, text)];

const filesOf = async (door: Door, text: string) => [
  await picture(door, png(3, 2, numberIn(text))),
  await video(door, uprightVideo(5000 + numberIn(text))),
];

const posts: Subject['posts'] = {
  text: { input: () => ({}), seen, within: 'thread with a first comment' },
  carousel: { input: async (door, text) => ({ media_ids: await filesOf(door, text) }), seen, cutIn: 3 },
  'thread with a first comment': {
    cutIn: 3,
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

const { act, list } = twinOf('threads');

const answer = (scene: Scene, input: object) => act(scene, 'reply', { person: FRED, on: scene.platformPost, ...input });
const newest = async (scene: Scene) =>
  (await list(scene, 'posts', ({ parent_id, deleted_at }) => parent_id !== '' && deleted_at === undefined)).at(-1).id;
const ATTACHED = { gif_url: 'gif', link_attachment_url: 'link', poll_attachment: 'poll', text_attachment: 'text' };

const inbound: Subject['inbound'] = {
  replies: { becomes: 'comment', send: (scene) => answer(scene, { text: 'Is it rye?' }) },
  ...Object.fromEntries(
    Object.entries(ATTACHED).map(([name, attached]) => [
      name,
      { becomes: 'comment', send: (scene: Scene) => answer(scene, { attached }) } as const,
    ]),
  ),
  delete: { becomes: 'removal', send: async (scene) => act(scene, 'delete_reply', { reply: await newest(scene) }) },
  mentions: {
    becomes: 'mention',
    send: (scene) => act(scene, 'mention', { person: FRED, whom: scene.person, text: 'Look' }),
  },
  publish: {
    becomes: 'nothing',
    send: (scene) => act(scene, 'own_post', { person: scene.person, text: 'Open today' }),
  },
};

export const threadsSubject: Subject = {
  platform: threads,
  inbound,
  connect: connectOwner('threads', '/oauth/authorize'),
  refresh: LONG_LIVED,
  people: { comment: (scene, text) => act(scene, 'reply', { person: FRED, on: scene.platformPost, text }) },
  posts,
  sends,
  sendsAgain: true,
  events: { 'mention.received': (scene) => act(scene, 'mention', { person: FRED, whom: scene.person, text: 'Look' }) },
  without: eventsOf('review', 'page', 'dm'),
  refusal: graphError({ ...FAILED, status: 403, code: 200 }),
  unlisted: UNLISTED,
  probes: [
    graphProbe(table, comment, [
      'THREADS_API__LINK_LIMIT_EXCEEDED',
      'The media could not be fetched from this URI: https://us.example',
    ]),
  ],
  deauthorize: (scene) => act(scene, 'revoke_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
};
