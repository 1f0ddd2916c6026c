import { mp4, png } from '../harness/media-samples.ts';
import type { Instead } from '../harness/platforms/gate.ts';
import type { Answer, Json } from '../harness/world.ts';
import type { Failed } from '../../src/platforms/shared/errors.ts';
import { probeOf, samplesOf } from '../platforms/conformance/errors.ts';
import type { Door, PostCase, Scene, Seen, SendCase, Subject } from '../platforms/conformance/subject.ts';
import { table } from './platform/api.ts';
import { plaza } from './platform/index.ts';
import { SLUG } from './slug.ts';
import { openPlaza } from './twin/index.ts';

const PEOPLE = ['ada', 'ben'] as const;

const act = ({ control }: Door, name: string, input: object): Promise<Json> => control(`${SLUG}/${name}`, input);
const list = ({ control }: Door, name: string): Promise<readonly Json[]> => control(`${SLUG}/${name}`);

/** Goes through consent as a browser does; answers where it ends. */
export async function consent(door: Door, person: string, ask: object = {}): Promise<URLSearchParams> {
  const redirect_uri = 'https://app.example.org/done';
  const begun = await door.rest('POST /v1/accounts/connect', { platform: SLUG, redirect_uri, ...ask });
  const page = await fetch(begun.body.auth_url);
  const url = /href="([^"]*\/www\?[^"]*)"/.exec(await page.text())![1]!.replaceAll('&amp;', '&');
  const { location } = await act(door, 'consent', { url, person });
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
  const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
  return new URL(back.headers.get('location')!).searchParams;
}

async function connect(door: Door, nth: number) {
  const person = PEOPLE[nth]!;
  const end = await consent(door, person);
  if (end.get('status') !== 'success') throw new Error(end.toString());
  return { account: end.get('account_id')!, person };
}

const partOf = (all: readonly Json[], text: string): Seen => {
  const found = all.filter((one) => one.text === text);
  return { now: found.filter(({ gone }) => gone !== true).length, ever: found.length };
};
const seen: PostCase['seen'] = async (door, text) => [partOf(await list(door, 'post'), text)];

const numberIn = (text: string) => Number(/\d+$/.exec(text)![0]);
const posts: Subject['posts'] = {
  text: { input: () => ({}), seen },
  images: {
    input: async (door, text) => ({
      media_ids: [
        await door.upload('a.png', 'image/png', png(3, 2, 70_000 + numberIn(text))),
        await door.upload('b.png', 'image/png', png(3, 2, numberIn(text))),
      ],
    }),
    seen,
  },
  video: {
    input: async (door, text) => ({
      media_ids: [
        await door.upload(
          'a.mp4',
          'video/mp4',
          mp4({ ms: 1000 + numberIn(text), tracks: [{ handler: 'vide', width: 9, height: 9 }] }),
        ),
      ],
    }),
    seen,
  },
  'thread with a first comment': {
    input: (_door, text) => ({ segments: [{ text: `Below ${text}` }], first_comment: `First below ${text}` }),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      ...(await seen(door, `Below ${text}`)),
      { ...partOf(await list(door, 'comment'), `First below ${text}`), optional: true },
    ],
  },
};

const everOf = (kind: string) => async (door: Door, text: string) => partOf(await list(door, kind), text).ever;
const sends: Readonly<Record<string, SendCase>> = {
  message: {
    call: ({ conversation }) => `POST /v1/inbox/conversations/${conversation}/messages`,
    ask: (_scene, text) => ({ text }),
    seen: everOf('message'),
  },
  'reply to a comment': {
    call: ({ post }) => `POST /v1/inbox/comments/${post}`,
    ask: ({ comment }, text) => ({ text, comment_id: comment }),
    seen: everOf('comment'),
  },
};

const plazaError = ({ status, name, text }: Failed): Instead => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code: name, message: text } }),
});
const FAILED: Failed = { status: 400, name: 'strange', text: 'no' };

const say = ({ rest, conversation }: Scene, text: string) =>
  rest(`POST /v1/inbox/conversations/${conversation}/messages`, { text });

/** Publishes, and answers the error of the one target as an operation would. */
async function publish({ rest, account }: Scene, text: string): Promise<Answer> {
  const answer = await rest('POST /v1/posts', { text, account_ids: [account], publish_now: true });
  return { ...answer, body: { error: { code: answer.body.results[0].error_code } } };
}

const { rows } = probeOf(table, {
  samples: [...samplesOf(table.rows, FAILED), { ...FAILED, status: 500 }],
  answer: plazaError,
  ask: say,
});

export const plazaSubject: Subject = {
  platform: plaza,
  twin: openPlaza,
  connect,
  people: {
    comment: (scene, text) => act(scene, 'comment', { post: scene.platformPost, text }),
    message: (scene, text) => act(scene, 'message', { stall: scene.page, text }),
  },
  posts,
  sends,
  events: {
    'dm.referral': (scene) => act(scene, 'refer', { stall: scene.page }),
    'dm.postback': (scene) => act(scene, 'tap', { stall: scene.page }),
    'mention.received': (scene) => act(scene, 'mention', { stall: scene.page, text: 'I was there' }),
    'review.received': (scene) => act(scene, 'review', { stall: scene.page, text: 'Good bread' }),
    'dm.status.read': (scene) => act(scene, 'read', { stall: scene.page }),
    'dm.status.delivered': (scene) => say(scene, 'Until six.'),
    'page.removed': (scene) => act(scene, 'settings', { stalls_given_away: scene.page }),
  },
  without: [],
  refusal: plazaError({ ...FAILED, name: 'bad_request' }),
  probes: [
    { rows: rows.filter(({ reason }) => reason !== 'publish_limit'), ask: say },
    { rows: rows.filter(({ reason }) => reason === 'publish_limit'), ask: publish },
  ],
  deauthorize: (scene) => act(scene, 'remove_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
};
