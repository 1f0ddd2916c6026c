import { table } from '#platforms/zalo/errors.ts';
import { zalo } from '#platforms/zalo/index.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { FRED, twinOf } from '../twin.ts';
import { connectOwner } from '../consent.ts';
import { webp } from '#test/harness/media-samples.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { messageCase, say } from '../answers.ts';
import { picture, video } from '../files.ts';
import { expect } from 'vitest';
import type { Door, PostCase, Subject } from '../subject.ts';

const { act, list } = twinOf('zalo');

/** An article is public from the moment it is shown; until then it is a draft. */
async function seen(door: Door, text: string) {
  const made = await list(door, 'articles', ({ body }) => [body.description, body.body?.[0]?.content].includes(text));
  const shown = made.flatMap(({ versions }) => versions as readonly Json[]);
  const now = made.filter(({ status, deleted_at }) => status === 'show' && deleted_at === undefined);
  return [{ now: now.length, ever: shown.filter(({ action }) => action === 'create').length }];
}

const kind = (input: PostCase['input']): PostCase => ({ input, seen });
const posts: Subject['posts'] = {
  article: kind(async (door, text) => ({ title: text, media_ids: [await picture(door)] })),
  video: kind(async (door, text) => ({
    title: text,
    media_ids: [await video(door)],
    platform_data: { zalo: { cover: { source: await picture(door), source_type: 'media_id' } } },
  })),
};

const said = (door: Door, text: string) =>
  list(door, 'messages', (message) => message.src === 0 && message.text === text);

/** Zalo answers 200 to whatever it refuses. */
const zaloError = ({ status, name, text }: Failed): Instead =>
  jsonAnswer(status, { error: Number(name), message: text });
const FAILED: Failed = { status: 200, name: '-201', text: 'strange' };

const FILE = { content: webp.toString('base64'), name: 'file.webp' };
/** Every kind of message of a person, and what it needs. */
const SENT: Readonly<Record<string, object>> = {
  text: { text: 'Hello' },
  image: FILE,
  gif: FILE,
  sticker: {},
  audio: FILE,
  video: FILE,
  file: FILE,
  link: { url: 'https://bakery.example/menu' },
  location: { latitude: '10.5', longitude: '106.7' },
  business_card: {},
};

export const zaloSubject: Subject = {
  platform: zalo,
  // Articles are there at once, so that a post can be published within a request; videos are waited for.
  prepare: (stage) => act(stage, 'settings', { article_ms: '0' }),
  connect: connectOwner('zalo', '/v4/oa/permission'),
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
  inbound: Object.fromEntries(
    Object.entries(SENT).map(([kind, more]) => [
      `user_send_${kind}`,
      {
        becomes: 'message',
        send: (scene) => act(scene, 'write', { person: FRED, account: scene.person, kind, ...more }),
        ...(kind === 'location' && {
          shows: {
            text: 'Shared a location: 10.5, 106.7',
            metadata: expect.objectContaining({ location: { latitude: 10.5, longitude: 106.7 } }),
          },
        }),
      },
    ]),
  ),
  without: ['comment.received', 'dm.referral', 'mention.received', 'page.removed', 'review.received'],
  refusal: zaloError(FAILED),
  unlisted: zaloError({ ...FAILED, name: '-999' }),
  probes: [
    probeOf(table, {
      samples: [
        { ...FAILED, status: 500 },
        { ...FAILED, name: '-999' },
        { ...FAILED, name: '-223', text: 'Your OA has reach the limit quota create article' },
        ...samplesOf(table.rows, FAILED),
      ],
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
