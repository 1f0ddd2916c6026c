import type { Instead } from '../harness/platforms/gate.ts';
import type { Answer } from '../harness/world.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import { messageCase, replyCase } from '../platforms/conformance/answers.ts';
import { probeOf, samplesOf } from '../platforms/conformance/errors.ts';
import type { Door, Scene, SendCase, Subject } from '../platforms/conformance/subject.ts';
import { capabilities, scenes, setApp } from './capabilities.ts';
import { act, connect, list, partOf, posts } from './door.ts';
import { table } from './platform/api.ts';
import { plaza } from './platform/index.ts';
import { ABOUT } from './twin/about.ts';
import { openPlaza } from './twin/index.ts';

const everOf = (kind: string) => async (door: Door, text: string) => partOf(await list(door, kind), text).ever;
const sends: Readonly<Record<string, SendCase>> = {
  message: messageCase(everOf('message')),
  'reply to a comment': replyCase(everOf('comment')),
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
  samples: [
    { ...FAILED, status: 200, name: 'daily_limit' },
    ...samplesOf(table.rows, FAILED),
    { ...FAILED, status: 500 },
  ],
  answer: plazaError,
  ask: say,
});

export const plazaSubject: Subject = {
  platform: plaza,
  prepare: setApp,
  twin: { ...ABOUT, make: openPlaza },
  connect,
  // Access tokens live for an hour.
  refresh: { method: 'POST /token', dueMs: 48 * 60_000, isSingleUse: true },
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
  unlisted: plazaError({ ...FAILED, name: 'unheard_of' }),
  probes: [
    { rows: rows.filter(({ reason }) => reason !== 'publish_limit'), ask: say },
    { rows: rows.filter(({ reason }) => reason === 'publish_limit'), ask: publish },
  ],
  deauthorize: (scene) => act(scene, 'remove_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
  capabilities,
  scenes,
};
