import { table } from '../../../../src/platforms/pinterest/errors.ts';
import { pinterest } from '../../../../src/platforms/pinterest/index.ts';
import type { Failed } from '../../../../src/platforms/shared/errors.ts';
import { jpeg, mp4, png } from '../../../harness/media-samples.ts';
import type { Instead } from '../../../harness/platforms/gate.ts';
import type { Json } from '../../../harness/world.ts';
import { connectByConsent } from '../consent.ts';
import { probeOf, samplesOf } from '../errors.ts';
import { eventsOf, type Door, type PostCase, type Scene, type Subject } from '../subject.ts';

const OWNERS = ['olivia.sandbox.test', 'sam.sandbox.test'];

const act = ({ control }: Pick<Door, 'control'>, name: string, input: object) => control(`pinterest/${name}`, input);

async function connect(door: Door, nth: number) {
  const person = OWNERS[nth]!;
  return { account: await connectByConsent(door, 'pinterest', '/oauth/', { person }), person };
}

/** Each account pins to the first of its boards, as get_constraints lists them. */
async function targets({ rest }: Pick<Door, 'rest'>, accounts: readonly string[]) {
  const target = async (account_id: string) => {
    const { data } = (await rest(`GET /v1/posts/validate?account_id=${account_id}`)).body;
    return { account_id, board_id: data.pinterest.board.boards[0].board_id as string };
  };
  return { targets: await Promise.all(accounts.map(target)) };
}

async function seen({ control }: Door, text: string) {
  const pins = (await control('pinterest/pins')) as readonly Json[];
  const made = pins.filter(({ fields }) => fields.description === text);
  return [{ now: made.filter(({ deleted_at }) => deleted_at === undefined).length, ever: made.length }];
}

const photo = (door: Door) => door.upload('a.jpg', 'image/jpeg', jpeg(720, 1280));
const video = (door: Door) =>
  door.upload('a.mp4', 'video/mp4', mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] }));
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
      media_ids: [await photo(door), await door.upload('b.png', 'image/png', png(600, 900))],
    })),
    within: 'image',
  },
  video: kind(async (door) => ({ media_ids: [await video(door)] })),
};

const pinterestError = ({ status, name, text }: Failed): Instead => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code: Number(name), message: text }),
});
const FAILED: Failed = { status: 400, name: '1', text: 'strange' };

const ask = ({ rest, account }: Scene) => rest(`GET /v1/posts/validate?account_id=${account}`);

export const pinterestSubject: Subject = {
  platform: pinterest,
  // Videos are there at once, so that a post can be published within a request.
  prepare: (door) => act(door, 'settings', { processing_ms: '0' }),
  connect,
  refresh: { method: 'POST /v5/oauth/token', dueMs: 24 * 86_400_000, isSingleUse: true },
  people: {},
  posts,
  sends: {},
  events: {},
  without: eventsOf('comment', 'dm', 'mention', 'page', 'review'),
  refusal: pinterestError(FAILED),
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
  async deauthorize(scene) {
    await act(scene, 'revoke_app', { account: scene.person });
    // Nothing is pushed: the next call shows it.
    await ask(scene);
  },
};
