import { expect } from 'vitest';
import { table } from '../../../../src/platforms/zalo/errors.ts';
import { zalo } from '../../../../src/platforms/zalo/index.ts';
import type { Failed } from '../../../../src/platforms/shared/errors.ts';
import { mp4, png } from '../../../harness/media-samples.ts';
import type { Instead } from '../../../harness/platforms/gate.ts';
import type { Json } from '../../../harness/world.ts';
import { messageCase } from '../answers.ts';
import { connectByConsent } from '../consent.ts';
import { probeOf, samplesOf } from '../errors.ts';
import type { Door, PostCase, Scene, Subject } from '../subject.ts';

const OWNERS = ['olivia.sandbox.test', 'sam.sandbox.test'];
const FRED = 'fred.sandbox.test';

const act = ({ control }: Pick<Door, 'control'>, name: string, input: object) => control(`zalo/${name}`, input);

async function connect(door: Door, nth: number) {
  const person = OWNERS[nth]!;
  return { account: await connectByConsent(door, 'zalo', '/v4/oa/permission', { person }), person };
}

/** An article is public from the moment it is shown; until then it is a draft. */
async function seen({ control }: Door, text: string) {
  const articles = (await control('zalo/articles')) as readonly Json[];
  const made = articles.filter(({ body }) => [body.description, body.body?.[0]?.content].includes(text));
  const shown = made.flatMap(({ versions }) => versions as readonly Json[]);
  const now = made.filter(({ status, deleted_at }) => status === 'show' && deleted_at === undefined);
  return [{ now: now.length, ever: shown.filter(({ action }) => action === 'create').length }];
}

const photo = (door: Door) => door.upload('a.png', 'image/png', png());
const video = (door: Door) =>
  door.upload('a.mp4', 'video/mp4', mp4({ tracks: [{ handler: 'vide', width: 720, height: 1280 }] }));
const kind = (input: PostCase['input']): PostCase => ({ input, seen });
const posts: Subject['posts'] = {
  article: kind(async (door, text) => ({ title: text, media_ids: [await photo(door)] })),
  video: kind(async (door, text) => ({
    title: text,
    media_ids: [await video(door)],
    platform_data: { zalo: { cover: { source: await photo(door), source_type: 'media_id' } } },
  })),
};

async function said({ control }: Door, text: string): Promise<readonly Json[]> {
  const messages = (await control('zalo/messages')) as readonly Json[];
  return messages.filter((message) => message.src === 0 && message.text === text);
}
const say = ({ rest, conversation }: Scene, text: string, more: object = {}) =>
  rest(`POST /v1/inbox/conversations/${conversation}/messages`, { text, ...more });

/** Zalo answers 200 to whatever it refuses. */
const zaloError = ({ status, name, text }: Failed): Instead => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: Number(name), message: text }),
});
const FAILED: Failed = { status: 200, name: '-201', text: 'strange' };

export const zaloSubject: Subject = {
  platform: zalo,
  // Articles are there at once, so that a post can be published within a request; videos are waited for.
  prepare: (stage) => act(stage, 'settings', { article_ms: '0' }),
  connect,
  // Access tokens live for 25 hours.
  refresh: { method: 'POST /v4/oa/access_token', dueMs: 20 * 3_600_000, isSingleUse: true },
  people: {
    message: (scene, text) => act(scene, 'write', { person: FRED, account: scene.person, text }),
  },
  posts,
  sends: { message: messageCase(async (door, text) => (await said(door, text)).length) },
  events: {
    async 'dm.postback'(scene) {
      await say(scene, 'Rye?', { buttons: [{ type: 'url', title: 'Shop', url: 'https://bakery.example.org/' }] });
      const [message] = await said(scene, 'Rye?');
      return act(scene, 'press', { message: message!.id, button: 'Shop' });
    },
    async 'dm.status.delivered'(scene) {
      await say(scene, 'Until six.');
    },
    'dm.status.read': (scene) => act(scene, 'read', { person: FRED, account: scene.person }),
  },
  without: ['comment.received', 'dm.referral', 'mention.received', 'page.removed', 'review.received'],
  refusal: zaloError(FAILED),
  probes: [
    probeOf(table, {
      samples: [{ ...FAILED, status: 500 }, ...samplesOf(table.rows, FAILED)],
      answer: zaloError,
      ask: say,
    }),
  ],
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { account: scene.person });
    // Nothing is pushed: the next call shows it.
    const { status, body } = await say(scene, 'Still there?');
    expect([status, body.error.code]).toEqual([401, 'platform.zalo.auth']);
  },
  scenes: {
    async 'a person who presses a button of ours has said what it says'({ control, rest, hear }, scene) {
      const buttons = [{ type: 'postback', title: 'Yes', payload: 'YES' }];
      const { body } = await say(scene, 'Wheat?', { buttons });
      await control('zalo/press', { message: body.message_id, button: 'Yes' });
      await hear();
      const { data } = (await rest(`GET /v1/inbox/conversations/${scene.conversation}/messages`)).body;
      expect((data as readonly Json[]).map(({ text, direction }) => [text, direction])).toContainEqual([
        'YES',
        'incoming',
      ]);
    },
  },
};
