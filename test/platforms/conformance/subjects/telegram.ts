import { expect } from 'vitest';
import { table } from '#platforms/telegram/errors.ts';
import { telegram } from '#platforms/telegram/index.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import { pdf, png } from '#test/harness/media-samples.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { countsOf, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture, video } from '../files.ts';
import { messageCase, replyCase, say } from '../answers.ts';
import { telegramInbound } from '../inbound/telegram.ts';
import type { Door, PostCase, Subject } from '../subject.ts';

const FRED = 'Fred Follower';

const { act, list } = twinOf('telegram');

async function connect(door: Door, nth: number) {
  const people = (await door.control('people?network=telegram')) as readonly Json[];
  const { id, credentials } = people[nth]!;
  const metadata = { bot_token: credentials['Bot token'], channel: credentials['Channel'] };
  const { status, body } = await door.rest('POST /v1/accounts/connect', { platform: 'telegram', metadata });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { account: body.account_id as string, person: id as string };
}

/** What was said with a text, besides what was forwarded into a discussion group. */
const said = (door: Door, text: string) =>
  list(door, 'messages', (one) => [one.text, one.caption].includes(text) && one.forwarded === undefined);
const seen: PostCase['seen'] = async (door, text) => [countsOf(await said(door, text))];
const times = async (door: Door, text: string) => (await said(door, text)).length;

/** No look-up finds what was published. */
const kind = (input: PostCase['input']): PostCase => ({ input, seen, unfindable: true });
const posts: Subject['posts'] = {
  text: kind(() => ({})),
  image: kind(async (door) => ({ media_ids: [await picture(door)] })),
  document: kind(async (door) => ({ media_ids: [await door.upload('a.pdf', 'application/pdf', pdf)] })),
  album: kind(async (door) => ({ media_ids: [await picture(door), await video(door)] })),
};

const telegramError = ({ status, text, wait }: Failed): Instead =>
  jsonAnswer(status, {
    ok: false,
    error_code: status,
    description: text,
    ...(wait !== undefined && { parameters: { retry_after: wait } }),
  });
const FAILED: Failed = { status: 400, name: '400', text: 'Bad Request: strange' };
/** Errors whose meaning stands in their text. */
const WORDED: readonly Failed[] = [
  { ...FAILED, status: 403, text: 'Forbidden: bot was blocked by the user' },
  { ...FAILED, status: 404, text: 'Not Found: method not found' },
  { ...FAILED, text: 'Bad Request: chat not found' },
  { ...FAILED, text: 'Bad Request: not enough rights to send text messages to the chat' },
  { ...FAILED, text: "Bad Request: message can't be deleted" },
  { ...FAILED, text: "Bad Request: can't parse entities: Unexpected end tag" },
];

/** The token of a bot stands before the method; files have a path of their own. */
const described = openDescription('telegram-bot-api.json', ({ pathname }) => /\/bot[^/]+(\/\w+)$/.exec(pathname)?.[1]);

export const telegramSubject: Subject = {
  platform: telegram,
  described,
  connect,
  people: {
    comment: (scene, text) =>
      act(scene, 'comment', { person: FRED, message: scene.platformPost.replace(':', '#'), text }),
    async message(scene, text) {
      const to = { person: FRED, bot: scene.person };
      const starts = await list(scene, 'messages', ({ text: words }) => words === '/start');
      // Nobody writes to a bot that they have not started.
      if (starts.length === 0) await act(scene, 'start', to);
      return act(scene, 'write', { ...to, text });
    },
  },
  inbound: telegramInbound,
  posts,
  sends: {
    message: { ...messageCase(times), unfindable: true },
    'reply to a comment': { ...replyCase(times), unfindable: true },
  },
  events: {
    'dm.referral': (scene) => act(scene, 'start', { person: FRED, bot: scene.person, payload: 'spring' }),
    async 'dm.postback'(scene) {
      const buttons = [{ type: 'postback', title: 'Yes', payload: 'YES' }];
      await say(scene, 'Rye?', { buttons });
      const [asked] = await said(scene, 'Rye?');
      return act(scene, 'press', { message: asked!.id, button: 'Yes' });
    },
  },
  without: ['mention.received', 'review.received', 'dm.status.delivered', 'dm.status.read', 'page.removed'],
  refusal: telegramError(FAILED),
  unlisted: telegramError({ ...FAILED, status: 422 }),
  probes: [
    probeOf(table, {
      samples: [...WORDED, ...samplesOf(table.rows, FAILED), { ...FAILED, status: 500 }],
      answer: telegramError,
      ask: say,
    }),
  ],
  scenes: {
    async 'refuses photos whose sides Telegram does not take, before it is asked'(stage, scene) {
      stage.gate.arm();
      for (const [width, height] of [
        [9000, 1001],
        [210, 10],
      ] as const) {
        const media_id = await stage.upload('a.png', 'image/png', png(width, height));
        const post = { account_ids: [scene.account], text: 'Wide', media_ids: [media_id] };
        const { body } = await stage.rest('POST /v1/posts/validate', post);
        // A post's pictures are scaled; these are not whole, and the second is too wide.
        const why = width === 9000 ? 'cannot be read' : 'an image takes an aspect ratio of 1:20 to 20:1 (210 x 10)';
        const errors = [{ field: expect.stringContaining('media'), message: expect.stringContaining(why) }];
        expect(body.errors).toMatchObject(errors);
        const attachments = [{ type: 'image', source: media_id, source_type: 'media_id' }];
        const said = await say(scene, '', { attachments });
        expect([said.status, said.body.error.code]).toEqual([400, 'platform.telegram.invalid_request']);
      }
      expect(stage.gate.calls()).toEqual([]);
    },
  },
  async deauthorize(scene) {
    const chat = scene.platformPost.split(':')[0];
    return act(scene, 'remove_bot', { bot: scene.person, chat });
  },
};
