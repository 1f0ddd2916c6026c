import { facebook } from '#platforms/facebook/index.ts';
import { table } from '#platforms/facebook/errors.ts';
import { MESSENGER_KINDS } from '#sandbox/graph/messaging/kinds.ts';
import { png, sha256Of } from '#test/harness/media-samples.ts';
import type { Json } from '#test/harness/world.ts';
import { FRED, twinOf } from '../twin.ts';
import { commentCase, messageCase, replyCase, say } from '../answers.ts';
import { connectByConsent, OWNERS } from '../consent.ts';
import { numberIn, uprightVideo } from '../files.ts';
import { casesOf, commentCases, messageCases } from './graph-inbound.ts';
import { FAILED, graphError, graphProbe, UNLISTED } from './graph.ts';
import type { Door, PostCase, Scene, Seen, SendCase, Subject } from '../subject.ts';

/** Writes to no Page before she taps a button. */
const MIA = 'mia.sandbox.test';

async function connect(door: Door, nth: number) {
  const person = OWNERS[nth]!;
  const given = { person, ...(nth === 0 && { pages: 'Harbour Coffee' }) };
  return { account: await connectByConsent(door, 'facebook', '/dialog/oauth', given), person };
}

const partOf = (made: readonly Json[], isPublic: (row: Json) => boolean): Seen => ({
  now: made.filter((row) => row.deleted_at === undefined && isPublic(row)).length,
  ever: made.filter(({ versions }) => versions === undefined || versions.some(({ record }: Json) => isPublic(record)))
    .length,
});

const isPublished = ({ is_published }: Json) => is_published === true;

const seen: PostCase['seen'] = async (door, text) => [
  partOf(await list(door, 'posts', ({ message }) => message === text), isPublished),
];

const photoOf = (text: string, n = 0) => png(3, 2, numberIn(text) * 10 + n);
const videoOf = (text: string) => uprightVideo(5000 + numberIn(text));
const photo = (door: Door, text: string, n = 0) => door.upload('photo.png', 'image/png', photoOf(text, n));
const video = (door: Door, text: string) => door.upload('video.mp4', 'video/mp4', videoOf(text));

/** Stories carry no text: they are known by their file. */
function story(
  upload: (door: Door, text: string) => Promise<string>,
  fileOf: (text: string) => Uint8Array,
  filesOf: (door: Door, is: (file: Json) => boolean) => Promise<readonly Json[]>,
): PostCase {
  return {
    input: async (door, text) => ({
      media_ids: [await upload(door, text)],
      platform_data: { facebook: { media_type: 'stories' } },
    }),
    async seen(door, text) {
      const hash = sha256Of(fileOf(text));
      const files = await filesOf(door, ({ sha256 }) => sha256 === hash);
      const hasIt = ({ photos, video: film }: Json) => files.some(({ id }) => film === id || photos.includes(id));
      return [partOf(await list(door, 'posts', (post) => post.story !== undefined && hasIt(post)), isPublished)];
    },
  };
}

const posts: Subject['posts'] = {
  text: { input: () => ({}), seen, within: 'first comment' },
  link: {
    input: () => ({ platform_data: { facebook: { link: 'https://example.org/news' } } }),
    seen,
    within: 'first comment',
  },
  photo: { input: async (door, text) => ({ media_ids: [await photo(door, text)] }), seen, within: 'photos' },
  photos: { input: async (door, text) => ({ media_ids: [await photo(door, text), await photo(door, text, 1)] }), seen },
  video: { input: async (door, text) => ({ media_ids: [await video(door, text)] }), seen },
  reel: {
    input: async (door, text) => ({
      media_ids: [await video(door, text)],
      platform_data: { facebook: { media_type: 'reel' } },
    }),
    seen,
  },
  // Nobody can look for a photo story: none carries what it was made of.
  'photo story': { ...story(photo, photoOf, (door, is) => list(door, 'photos', is)), unfindable: true },
  'video story': story(video, videoOf, (door, is) => list(door, 'videos', is)),
  'first comment': {
    input: (_door, text) => ({ first_comment: `Below ${text}` }),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      {
        ...partOf(await list(door, 'comments', ({ message }) => message === `Below ${text}`), () => true),
        optional: true,
      },
    ],
  },
};

const commentsOf = async (door: Door, text: string) =>
  (await list(door, 'comments', ({ message, deleted_at }) => message === text && deleted_at === undefined)).length;
const messagesOf = async (door: Door, text: string) =>
  (await list(door, 'messages', (row) => row.from_page && row.text === text)).length;

const sends: Readonly<Record<string, SendCase>> = {
  message: messageCase(messagesOf),
  'reply to a comment': replyCase(commentsOf),
  comment: commentCase(commentsOf),
};

const { act, list } = twinOf('facebook');

const play = (scene: Scene, name: string, input: object = {}) =>
  act(scene, name, { person: FRED, page: scene.page, ...input });
const { cases } = messageCases(twinOf('facebook'), play, MESSENGER_KINDS);
const { newest, write } = commentCases(twinOf('facebook'));

const inbound: Subject['inbound'] = {
  ...cases,
  delivery: {
    becomes: 'receipt',
    async before(scene) {
      await act(scene, 'settings', { auto_delivery: false });
      await say(scene, 'Until six.');
    },
    send: (scene) => play(scene, 'deliver'),
  },
  optin: { becomes: 'nothing', send: (scene) => play(scene, 'optin') },
  comment: { becomes: 'comment', together: true, send: (scene) => write(scene, { message: 'Is it rye?' }) },
  ...casesOf('comment', ['sticker comment', 'animated_image_share', 'video_inline', 'poll'], (scene, name) =>
    write(scene, { attachment_type: name.replace(' comment', '') }),
  ),
  'comment edited': {
    becomes: 'edit',
    send: async (scene) => act(scene, 'edit_comment', { comment: await newest(scene), message: 'Is it spelt?' }),
  },
  'comment remove': {
    becomes: 'removal',
    send: async (scene) => act(scene, 'delete_comment', { comment: await newest(scene) }),
  },
  'feed reaction': {
    becomes: 'nothing',
    send: (scene) => act(scene, 'react', { person: FRED, on: scene.platformPost, type: 'LOVE' }),
  },
  'feed post': { becomes: 'nothing', send: (scene) => play(scene, 'visitor_post', { message: 'Nice place' }) },
  mention: { becomes: 'mention', send: (scene) => play(scene, 'mention', { message: 'I was there' }) },
};

export const facebookSubject: Subject = {
  platform: facebook,
  inbound,
  connect,
  people: {
    comment: (scene, message) => act(scene, 'comment', { person: FRED, on: scene.platformPost, message }),
    message: (scene, text) => act(scene, 'message', { person: FRED, page: scene.page, text }),
  },
  posts,
  sends,
  events: {
    'dm.referral': (scene) => act(scene, 'referral', { person: FRED, page: scene.page, ref: 'spring' }),
    'dm.postback': (scene) => act(scene, 'referral', { person: MIA, page: scene.page, ref: 'spring' }),
    'mention.received': (scene) => act(scene, 'mention', { person: FRED, page: scene.page, message: 'I was there' }),
    'dm.status.read': (scene) => act(scene, 'read', { person: FRED, page: scene.page }),
    'dm.status.delivered': (scene) => say(scene, 'Until six.'),
    'page.removed': (scene) => act(scene, 'remove_page', { person: scene.person, page: scene.page }),
  },
  without: ['review.received'],
  refusal: graphError({ ...FAILED, status: 403, code: 200 }),
  unlisted: UNLISTED,
  probes: [graphProbe(table, say)],
  deauthorize: (scene) => act(scene, 'revoke_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
};
