import { table } from '#platforms/instagram/errors.ts';
import { instagram } from '#platforms/instagram/index.ts';
import { INSTAGRAM_KINDS } from '#sandbox/graph/messaging/kinds.ts';
import { jpeg, sha256Of } from '#test/harness/media-samples.ts';
import { comment, commentCase, messageCase, replyCase, say } from '../answers.ts';
import { connectByConsent } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { numberIn, uprightVideo, video } from '../files.ts';
import { commentCases, messageCases } from './graph-inbound.ts';
import { FAILED, graphError, graphProbe, LONG_LIVED, UNLISTED } from './graph.ts';
import type { Door, PostCase, Probe, Refresh, Scene, SendCase, Subject } from '../subject.ts';

/** Accounts, and who connects them by Facebook login, with the Page they are linked to. */
const ACCOUNTS = [
  { username: 'harbour.coffee', person: 'olivia.sandbox.test', pages: 'Harbour Coffee' },
  { username: 'single.origin.studio', person: 'sam.sandbox.test', pages: 'Single Origin Studio' },
] as const;

const { act, list } = twinOf('instagram');

/** The id of an account by its username. */
const idOf = async (door: Pick<Scene, keyof Door>, username: string): Promise<string> =>
  (await list(door, 'accounts')).find((account) => account.username === username).id;

const seen: PostCase['seen'] = async (door, text) => [
  countsOf(await list(door, 'posts', ({ caption }) => caption === text)),
];
const commentsOf = async (door: Door, text: string) =>
  countsOf(await list(door, 'comments', (comment) => comment.text === text));

/** No two files are alike. */
/** A photo with a comment in it: what stands behind its end goes to nobody. */
function photoOf(text: string): Buffer<ArrayBuffer> {
  const [photo, comment] = [jpeg(1080, 1080), Buffer.from(text)];
  const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([photo.subarray(0, 2), head, comment, photo.subarray(2)]);
}
const photo = (door: Door, text: string) => door.upload('photo.jpg', 'image/jpeg', photoOf(text));
const film = (door: Door, text: string) => video(door, uprightVideo(5000 + numberIn(text)));

/** Stories carry no text: they are known by their file. */
const story: PostCase = {
  input: async (door, text) => ({
    media_ids: [await photo(door, text)],
    platform_data: { instagram: { media_type: 'stories' } },
  }),
  async seen(door, text) {
    const hash = sha256Of(photoOf(text));
    return [countsOf(await list(door, 'posts', (post) => post.product === 'STORY' && post.sha256.includes(hash)))];
  },
};

const posts = {
  image: { input: async (door, text) => ({ media_ids: [await photo(door, text)] }), seen, within: 'first comment' },
  carousel: {
    input: async (door, text) => ({ media_ids: [await photo(door, text), await film(door, text)] }),
    seen,
    cutIn: 2,
  },
  reel: { input: async (door, text) => ({ media_ids: [await film(door, text)] }), seen },
  story,
  'first comment': {
    input: async (door, text) => ({ media_ids: [await photo(door, text)], first_comment: `Below ${text}` }),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      { ...(await commentsOf(door, `Below ${text}`)), optional: true },
    ],
  },
} satisfies Subject['posts'];
/** What is made alike by both logins is cut by one of them. */
const alike: Subject['posts'] = {
  ...posts,
  carousel: { ...posts.carousel, within: 'first comment' },
  reel: { ...posts.reel, within: 'first comment' },
};

const commented = async (door: Door, text: string) => (await commentsOf(door, text)).now;

const sends: Readonly<Record<string, SendCase>> = {
  message: messageCase(async (door, text) => (await list(door, 'messages', (message) => message.text === text)).length),
  'reply to a comment': replyCase(commented),
  comment: commentCase(commented),
};

/** The rows of some reasons, met by what can have them. */
function rowsOf(isOne: (reason: string) => boolean, ask: Probe['ask']): Probe {
  const { rows } = graphProbe(table, ask);
  return { rows: rows.filter(({ reason }) => isOne(reason)), ask };
}

/** A button of ours, tapped. */
async function tapButton(scene: Scene) {
  const text = 'What would you like?';
  const { body } = await say(scene, text, { buttons: [{ type: 'postback', title: 'Menu', payload: 'MENU' }] });
  const message = (await list(scene, 'messages')).at(-1).id as string;
  return act(scene, 'tap', { message: body.platform_message_id ?? message, payload: 'MENU' });
}

/** What Fred does with the account of a scene. */
const follow = async (scene: Pick<Scene, keyof Door | 'person'>, name: string, input: object = {}) =>
  act(scene, name, { person: FRED, page: await idOf(scene, scene.person), ...input });

const { cases, unsend } = messageCases(twinOf('instagram'), follow, INSTAGRAM_KINDS);
const { write } = commentCases(twinOf('instagram'));

/** A story of the account, which Fred answers. */
async function answerStory(scene: Scene) {
  const page = await idOf(scene, scene.person);
  const { id: story } = await act(scene, 'own_post', { page, text: 'Today', story: true });
  return act(scene, 'story_reply', { person: FRED, story, text: 'Lovely' });
}

const inbound: Subject['inbound'] = {
  ...cases,
  'reply_to.story': { becomes: 'message', together: true, send: answerStory },
  story_mention: { becomes: 'message', together: true, send: (scene) => follow(scene, 'story_mention') },
  'message.referral': {
    becomes: 'message',
    together: true,
    send: (scene) => follow(scene, 'referral', { ref: 'ad', text: 'Hello' }),
  },
  is_deleted: { becomes: 'removal', before: (scene) => follow(scene, 'message', { text: 'Oops' }), send: unsend },
  comments: { becomes: 'comment', together: true, send: (scene) => write(scene, { text: 'Is it rye?' }) },
  'comments, a GIF': { becomes: 'comment', together: true, send: (scene) => write(scene, {}) },
  'comments, from without an id': {
    becomes: 'comment',
    before: (scene) => act(scene, 'settings', { author_ids: false }),
    send: (scene) => write(scene, { text: 'And spelt?' }),
  },
  mentions: { becomes: 'mention', send: (scene) => follow(scene, 'mention', { text: 'I was there' }) },
};

type Account = (typeof ACCOUNTS)[number];
/** A login: the path of its consent page, what somebody chooses there, and its kinds of post. */
type Login = Readonly<{
  cuts: Subject['posts'];
  path: string;
  without?: Subject['without'];
  refresh?: Refresh;
  inbound?: Subject['inbound'];
  whoOf(account: Account): Readonly<{ person: string; pages?: string }>;
}>;

/** Accounts of one login, each known by its username. */
function subjectOf(name: string, { path, cuts, without = [], refresh, inbound: received, whoOf }: Login): Subject {
  const personOf = (scene: Scene) => whoOf(ACCOUNTS.find(({ username }) => username === scene.person)!).person;
  return {
    platform: instagram,
    name,
    async connect(door, nth) {
      const account = ACCOUNTS[nth]!;
      return { account: await connectByConsent(door, 'instagram', path, whoOf(account)), person: account.username };
    },
    ...(refresh && { refresh }),
    ...(received && { inbound: received }),
    people: {
      comment: (scene, text) => act(scene, 'comment', { person: FRED, on: scene.platformPost, text }),
      message: (scene, text) => follow(scene, 'message', { text }),
    },
    posts: cuts,
    sends,
    events: {
      'dm.referral': (scene) => follow(scene, 'referral', { ref: 'spring' }),
      'dm.postback': tapButton,
      'mention.received': (scene) => follow(scene, 'mention', { text: 'I was there' }),
      'dm.status.read': (scene) => follow(scene, 'read'),
    },
    without: ['review.received', 'dm.status.delivered', 'page.removed', ...without],
    refusal: graphError({ ...FAILED, status: 403, code: 200 }),
    unlisted: UNLISTED,
    probes: [
      rowsOf((reason) => reason !== 'publish_limit', say),
      rowsOf((reason) => reason === 'publish_limit', comment),
    ],
    deauthorize: (scene) => act(scene, 'revoke_app', { person: personOf(scene) }),
    deleteData: (scene) => act(scene, 'delete_data', { person: personOf(scene) }),
  };
}

/** By Instagram login, and by Facebook login. */
export const instagramSubjects: readonly Subject[] = [
  subjectOf('instagram', {
    path: '/oauth/authorize',
    cuts: posts,
    without: ['post.unpublished'],
    refresh: LONG_LIVED,
    inbound,
    whoOf: ({ username: person }) => ({ person }),
  }),
  subjectOf('instagram:facebook', {
    path: '/dialog/oauth',
    cuts: alike,
    whoOf: ({ person, pages }) => ({ person, pages }),
  }),
];
