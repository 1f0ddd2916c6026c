import { expect } from 'vitest';
import { table } from '#platforms/twitter/errors.ts';
import { twitter } from '#platforms/twitter/index.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { messageCase, replyCase, say } from '../answers.ts';
import { connectByConsent, OWNERS } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture, video, wideVideo } from '../files.ts';
import type { Door, PostCase, Scene, Subject } from '../subject.ts';

const { list, ...twin } = twinOf('twitter');
const { act } = twin;

/** The apps that people of the simulator have from the first day. */
const appsOf = (door: Pick<Door, 'control'>) => list(door, 'apps');

/** An app of the simulator, as credentials; with its consumer pair X pushes. */
export const credentialsOf = (
  { id: client_id, client_secret, consumer_key, consumer_secret }: Json,
  isPushed = true,
): object => ({ client_id, client_secret, ...(isPushed && { consumer_key, consumer_secret }) });

async function setApp(door: Door, isPushed = true): Promise<void> {
  const [app] = await appsOf(door);
  await door.rest('PUT /v1/platforms/twitter/credentials', credentialsOf(app, isPushed));
}

async function connect(door: Door, nth: number) {
  await setApp(door);
  const person = OWNERS[nth]!;
  return { account: await connectByConsent(door, 'twitter', '/i/oauth2/authorize', { person }), person };
}

/** Posts of a text as the simulator has them; `words` are as they were sent. */
const made = (door: Pick<Door, 'control'>, text: string) => list(door, 'posts', ({ words }) => words === text);
const partOf = async (door: Door, text: string) => countsOf(await made(door, text));

const seen: PostCase['seen'] = async (door, text) => [await partOf(door, text)];
/** What is not on the timeline may be there later, so nobody is sure that nothing was posted. */
const kind = (input: PostCase['input'], also: PostCase['seen'] = async () => [], within?: string): PostCase => ({
  input,
  unfindable: true,
  seen: async (door, text) => [...(await seen(door, text)), ...(await also(door, text))],
  ...(within !== undefined && { within }),
});

/** The two posts below the first one; in one of them is what X writes otherwise. */
const below = (text: string) =>
  ['Two', 'Three'].map((n) => `${n} below ${text}${n === 'Three' ? ': bakery.example.org/?a=1&b=2' : ''}`);

const posts: Subject['posts'] = {
  text: kind(() => ({}), undefined, 'thread'),
  images: kind(async (door) => ({ media_ids: [await picture(door), await picture(door)] }), undefined, 'thread'),
  video: kind(async (door) => ({ media_ids: [await video(door, wideVideo())] }), undefined, 'thread'),
  thread: {
    cutIn: 3,
    ...kind(
      async (door, text) => ({
        media_ids: [await picture(door)],
        segments: below(text).map((words) => ({ text: words })),
        first_comment: `First below ${text}`,
      }),
      async (door, text) => [
        ...(await Promise.all(below(text).map((words) => partOf(door, words)))),
        { ...(await partOf(door, `First below ${text}`)), optional: true },
      ],
    ),
  },
};

const messages = async (door: Door, text: string) => (await list(door, 'messages', (one) => one.text === text)).length;

type XFailed = Parameters<typeof table.errorOf>[0];

/** A problem as X words it, its name as type or as title; its edge says nothing. */
function xError({ status, name, text }: XFailed): Instead {
  if (status === 413 || status === 431) return { status, body: '' };
  const problem = /^[A-Z]/.test(name)
    ? { title: name, detail: text, type: 'about:blank', status }
    : { title: 'Problem', detail: text, type: `https://api.x.com/2/problems/${name}` };
  return jsonAnswer(status, status === 200 ? { errors: [problem] } : problem);
}
const FAILED: XFailed = { status: 400, name: 'invalid-request', text: 'strange' };

const answer = ({ rest, post, comment }: Scene, text: string) =>
  rest(`POST /v1/inbox/comments/${post}`, { text, comment_id: comment });

const { rows } = probeOf(table, {
  samples: [
    ...samplesOf(table.rows, FAILED),
    { ...FAILED, status: 402, name: 'credits', makes: 'post' },
    { ...FAILED, status: 403, name: 'Forbidden', text: 'No duplicate content.' },
    ...[400, 409, 415].map((status) => ({ ...FAILED, status })),
    { ...FAILED, status: 403, text: 'This account is temporarily locked.' },
    {
      status: 403,
      name: 'unsupported-authentication',
      text: 'Authenticating with Unknown is forbidden for this endpoint.',
    },
    { ...FAILED, status: 500 },
  ],
  answer: xError,
  ask: say,
});

/** Longer than the 280 characters that X shows of a post by itself. */
const LONG = `${'Bread of the oldest kind. '.repeat(20)}The end`;

/** Log-in is not in X's description, and files of messages have a host of their own. */
const described = openDescription('x-v2.json', ({ pathname }) => /\/api(\/2\/(?!oauth2\/).+)$/.exec(pathname)?.[1]);

export const twitterSubject: Subject = {
  platform: twitter,
  described,
  // Films are worked on at once, so that a post can be published within a request.
  prepare: (door) => act(door, 'settings', { processing_ms: '0' }),
  connect,
  // Access tokens live for two hours, refresh tokens until they are used.
  refresh: { method: 'POST /2/oauth2/token', dueMs: 96 * 60_000, isSingleUse: true },
  people: {
    comment: (scene, text) => act(scene, 'reply', { person: FRED, post: scene.platformPost, text }),
    message: (scene, text) => act(scene, 'dm', { person: FRED, account: scene.person, text }),
  },
  posts,
  sends: {
    message: messageCase(messages),
    'reply to a comment': replyCase(async (door, text) => (await made(door, text)).length),
  },
  events: {
    'mention.received': (scene) => act(scene, 'mention', { person: FRED, account: scene.person, text: 'Good bread' }),
    async 'dm.status.read'(scene) {
      await say(scene, 'Until six.');
      return act(scene, 'read', { person: FRED, account: scene.person });
    },
  },
  inbound: {
    message_create: {
      becomes: 'message',
      send: (scene) => act(scene, 'dm', { person: FRED, account: scene.person, text: 'Hello' }),
    },
    'post.reply.create': {
      becomes: 'comment',
      send: (scene) => act(scene, 'reply', { person: FRED, post: scene.platformPost, text: 'Rye?' }),
    },
    note_tweet: {
      becomes: 'comment',
      send: (scene) => act(scene, 'reply', { person: FRED, post: scene.platformPost, text: LONG }),
      shows: { text: expect.stringContaining(LONG) },
    },
    'post.mention.create': {
      becomes: 'mention',
      send: (scene) => act(scene, 'mention', { person: FRED, account: scene.person, text: LONG }),
      shows: { content: { text: expect.stringContaining(LONG), media: [] } },
    },
  },
  without: ['dm.postback', 'dm.referral', 'dm.status.delivered', 'page.removed', 'review.received'],
  refusal: xError(FAILED),
  unlisted: xError({ ...FAILED, status: 403, name: 'unheard-of' }),
  probes: [
    { rows: rows.filter(({ reason, kind: how }) => reason === 'not_deliverable' || how === 'throttled'), ask: say },
    { rows: rows.filter(({ reason, kind: how }) => reason !== 'not_deliverable' && how !== 'throttled'), ask: answer },
  ],
  deauthorize: (scene) => act(scene, 'revoke_app', { account: scene.person }),
};
