import { expect } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import { TABLES } from '#platforms/bluesky/errors.ts';
import type { ErrorTable, Failed } from '#platforms/shared/errors.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { commentCase, messageCase, replyCase } from '../answers.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture } from '../files.ts';
import { twinOf } from '../twin.ts';
import type { Door, PostCase, Probe, Scene, Seen, SendCase, Subject } from '../subject.ts';

const { list } = twinOf('bluesky');
const people = ({ control }: Door): Promise<readonly Json[]> => control('people?network=bluesky');
/** The one who writes to the account. */
const follower = async (door: Door) => (await people(door))[2].id as string;

async function connect(door: Door, nth: number) {
  const { id, handle, credentials } = (await people(door))[nth];
  const metadata = { identifier: handle, app_password: credentials.app_password };
  const made = await door.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { account: made.body.account_id as string, person: id as string };
}

async function partOf({ control }: Door, text: string): Promise<Seen> {
  const found = ((await control('posts')) as readonly Json[]).filter((post) => post.text === text);
  return {
    now: found.filter(({ exists }) => exists).length,
    ever: found.reduce((sum, { versions }) => sum + versions.length, 0),
  };
}
const seen: PostCase['seen'] = async (door, text) => [await partOf(door, text)];
const seenTwice: PostCase['seen'] = async (door, text) => [
  await partOf(door, text),
  await partOf(door, `Below ${text}`),
];

const posts: Subject['posts'] = {
  text: { input: () => ({}), seen, within: 'first comment' },
  image: { input: async (door) => ({ media_ids: [await picture(door)] }), seen },
  thread: { input: (_door, text) => ({ segments: [{ text: `Below ${text}` }] }), seen: seenTwice },
  'first comment': { input: (_door, text) => ({ first_comment: `Below ${text}` }), seen: seenTwice },
};

const act = ({ control }: Door, action: string, input: object) =>
  control('act', { network: 'bluesky', action, ...input });

const write = async (scene: Scene, said: object) =>
  act(scene, 'message', { person: await follower(scene), whom: scene.person, ...said });
const lastMessage = async (scene: Scene) => (await list(scene, 'messages', () => true)).at(-1)!.id as string;

const everOf = async (door: Door, text: string) => (await partOf(door, text)).ever;
const sends: Readonly<Record<string, SendCase>> = {
  message: messageCase(async (door, text) => (await list(door, 'messages', (message) => message.text === text)).length),
  'reply to a comment': replyCase(everOf),
  comment: commentCase(everOf),
};

const xrpcError = ({ status, name, text }: Failed): Instead => jsonAnswer(status, { error: name, message: text });
const FAILED: Failed = { status: 400, name: 'Strange', text: 'no' };
/** Errors whose meaning depends on their text. */
const WORDED = [
  ['InvalidToken', 'Token has expired'],
  ['InvalidToken', 'Bad token method'],
  ['InvalidToken', 'Bad token scope'],
  ['InvalidRequest', 'Could not locate record: at://x'],
  ['InvalidRequest', 'recipient has disabled incoming messages'],
  ['InvalidRequest', 'No service configured for app.bsky'],
].map(([name, text]): Failed => ({ ...FAILED, name: name!, text: text! }));

const probe = (table: ErrorTable, { call, ask }: SendCase) =>
  probeOf(table, {
    samples: [...samplesOf(table.rows, FAILED), ...WORDED, { ...FAILED, status: 500 }],
    answer: xrpcError,
    ask: (scene, text) => scene.rest(call(scene), ask(scene, text)),
  });

/** Without the errors that only the chat service has. */
const inPublic = ({ rows, ask }: Probe): Probe => ({
  rows: rows.filter(({ reason }) => reason !== 'dm_scope_missing' && reason !== 'not_deliverable'),
  ask,
});

/** The directory of identities is no part of the lexicons. */
const described = openDescription('bluesky-lexicons.json', ({ pathname }) => /(\/xrpc\/[\w.]+)$/.exec(pathname)?.[1]);

export const blueskySubject: Subject = {
  platform: bluesky,
  described,
  connect,
  // Access tokens live for two hours.
  refresh: { method: 'com.atproto.server.refreshSession', dueMs: 96 * 60_000 },
  people: {
    comment: async (scene, text) =>
      act(scene, 'reply', { person: await follower(scene), post: scene.platformPost, text }),
    message: async (scene, text) => act(scene, 'message', { person: await follower(scene), whom: scene.person, text }),
  },
  posts,
  sends,
  sendsAgain: true,
  events: {
    'mention.received': async (scene) => {
      const { handle } = (await people(scene)).find(({ id }) => id === scene.person);
      return act(scene, 'post', { person: await follower(scene), text: `With @${handle}` });
    },
  },
  inbound: {
    'chat.bsky.convo.defs#messageView': { becomes: 'message', send: (scene) => write(scene, { text: 'Hello' }) },
    'app.bsky.richtext.facet#link': {
      becomes: 'message',
      send: (scene) =>
        write(scene, {
          text: 'See [our menu](https://bakery.example/menu?day=1) at [bakery.example/me…](https://bakery.example/menu)',
        }),
      shows: { text: 'See our menu (https://bakery.example/menu?day=1) at https://bakery.example/menu' },
    },
    'app.bsky.embed.record': { becomes: 'message', send: (scene) => write(scene, { share: scene.platformPost }) },
    'chat.bsky.convo.defs#logAddReaction': {
      becomes: 'reaction',
      send: async (scene) =>
        act(scene, 'react', { person: await follower(scene), message: await lastMessage(scene), emoji: '👍' }),
      shows: { metadata: expect.objectContaining({ reactions: [expect.objectContaining({ emoji: '👍' })] }) },
    },
    'chat.bsky.convo.defs#logRemoveReaction': {
      becomes: 'reaction',
      send: async (scene) =>
        act(scene, 'unreact', { person: await follower(scene), message: await lastMessage(scene), emoji: '👍' }),
    },
    'app.bsky.feed.post#reply': {
      becomes: 'comment',
      send: async (scene) =>
        act(scene, 'reply', {
          person: await follower(scene),
          post: scene.platformPost,
          text: '[Our menu](https://bakery.example/a)',
        }),
      shows: { text: 'Our menu (https://bakery.example/a)' },
    },
    'app.bsky.embed.external': {
      becomes: 'comment',
      send: async (scene) =>
        act(scene, 'reply', {
          person: await follower(scene),
          post: scene.platformPost,
          page: 'https://bakery.example/gif',
        }),
      shows: { content: { text: '', media: [{ type: 'link', url: 'https://bakery.example/gif' }] } },
    },
  },
  // The catalogue gives it dm.status.read as well, but the network tells nobody what others have read.
  without: ['dm.referral', 'dm.postback', 'review.received', 'dm.status.delivered', 'dm.status.read', 'page.removed'],
  refusal: xrpcError({ ...FAILED, name: 'InvalidRequest' }),
  unlisted: xrpcError(FAILED),
  probes: [inPublic(probe(TABLES.network, sends['comment']!)), probe(TABLES.chat, sends['message']!)],
  async deauthorize(scene) {
    const { handle } = (await people(scene)).find(({ id }) => id === scene.person);
    await scene.control('faults', { network: 'bluesky', person: handle, kind: 'revoked' });
    await scene.rest('POST /v1/posts', { text: 'Anybody?', account_ids: [scene.account], publish_now: true });
  },
};
