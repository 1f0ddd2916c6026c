import { expect } from 'vitest';
import { table } from '#platforms/pinterest/errors.ts';
import { pinterest } from '#platforms/pinterest/index.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import { jpeg, png } from '#test/harness/media-samples.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture, uprightVideo, video } from '../files.ts';
import { eventsOf, type Door, type PostCase, type Scene, type Subject } from '../subject.ts';

const { act, list } = twinOf('pinterest');

/** Each account pins to the first of its boards, as get_constraints lists them. */
async function targets({ rest }: Pick<Door, 'rest'>, accounts: readonly string[]) {
  const target = async (account_id: string) => {
    const { data } = (await rest(`GET /v1/posts/validate?account_id=${account_id}`)).body;
    return { account_id, board_id: data.pinterest.board.boards[0].board_id as string };
  };
  return { targets: await Promise.all(accounts.map(target)) };
}

/** Whether an object has such members; undefined stands for none. */
const has = (one: Json, members: object) => Object.entries(members).every(([name, value]) => one[name] === value);

/** The pins that have such fields, and such members beside them. */
const seenAs = async (door: Door, fields: object, members: object = {}) => [
  countsOf(await list(door, 'pins', (pin) => has(pin.fields, fields) && has(pin, members))),
];
const seen: PostCase['seen'] = (door, description) => seenAs(door, { description });

const ABOUT = Object.freeze({ link: 'https://example.org/rye', alt_text: 'Bread', dominant_color: '#AABBCC' });
const option = (data: object) => ({ platform_data: { pinterest: data } });
const photo = (door: Door) => door.upload('a.jpg', 'image/jpeg', jpeg(720, 1280));
const kind = (media: (door: Door) => Promise<object>): PostCase => ({
  input: async (door, _text, accounts) => ({ ...(await media(door)), ...(await targets(door, accounts)) }),
  seen,
  // Pins are looked for on their board, which nobody says to be complete.
  unfindable: true,
});
const posts: Subject['posts'] = {
  image: kind(async (door) => ({ title: 'Bread', media_ids: [await photo(door)] })),
  'several images': {
    ...kind(async (door) => ({
      media_ids: [await photo(door), await picture(door, png(600, 900))],
      ...option({ ...ABOUT, titles: ['One', null], links: [null, ABOUT.link] }),
    })),
    within: 'image',
  },
  'image without words': {
    input: async (door, text, accounts) => ({
      ...(await targets(door, accounts)),
      text: '',
      media_ids: [await photo(door)],
      ...option({ alt_text: text }),
    }),
    seen: (door, text) => seenAs(door, { alt_text: text, title: undefined, description: undefined }),
    unfindable: true,
    within: 'image',
  },
  video: {
    ...kind(async (door) => ({ media_ids: [await video(door, uprightVideo(5000))], ...option({ cover_time: 2 }) })),
    seen: (door, description) => seenAs(door, { description }, { cover_time: 2 }),
  },
  'video with an image for its cover': {
    ...kind(async (door) => ({
      media_ids: [await video(door, uprightVideo(5000))],
      ...option({ cover: { source: await photo(door), source_type: 'media_id' } }),
    })),
    within: 'video',
  },
};

const pinterestError = ({ status, name, text }: Failed): Instead =>
  jsonAnswer(status, { code: Number(name), message: text });
const FAILED: Failed = { status: 400, name: '1', text: 'strange' };

const ask = ({ rest, account }: Scene) => rest(`GET /v1/posts/validate?account_id=${account}`);

/** The storage that videos go up to has an address of its own, which the answer to their registration names. */
const described = openDescription('pinterest-v5.json', ({ pathname }) => /\/api\/v5(\/.+)$/.exec(pathname)?.[1]);

export const pinterestSubject: Subject = {
  platform: pinterest,
  described,
  // Videos are there at once, so that a post can be published within a request.
  prepare: (door) => act(door, 'settings', { processing_ms: '0' }),
  connect: connectOwner('pinterest', '/oauth/'),
  refresh: { method: 'POST /v5/oauth/token', dueMs: 24 * 86_400_000, isSingleUse: true },
  people: {},
  posts,
  sends: {},
  events: {},
  without: eventsOf('comment', 'dm', 'mention', 'page', 'review'),
  refusal: pinterestError(FAILED),
  unlisted: pinterestError({ ...FAILED, status: 422 }),
  probes: [
    probeOf(table, {
      samples: [
        { ...FAILED, status: 500 },
        { ...FAILED, status: 403, text: 'Apps with Trial access may not create Pins.' },
        ...samplesOf(table.rows, FAILED),
      ],
      answer: pinterestError,
      ask,
    }),
  ],
  scenes: {
    async 'counts what becomes of a pin, lists it, and takes it down'({ hear }, { rest, account, post }) {
      const { data } = (await rest(`GET /v1/posts/${post}/metrics`)).body;
      expect(data.targets).toMatchObject([{ metrics: { extra: { impressions: expect.any(Number) } } }]);
      await rest(`POST /v1/accounts/${account}/sync`);
      await hear();
      expect((await rest('GET /v1/posts')).body.data).toHaveLength(1);
      expect((await rest(`POST /v1/posts/${post}/unpublish`)).status).toBe(200);
    },
  },
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { account: scene.person });
    // Nothing is pushed: the next call shows it.
    await ask(scene);
  },
};
