import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import type { Browser } from '../../harness/calls/browser.ts';
import { askRest, type Json } from '../../harness/calls/requests.ts';
import { openProcesses, until, type Seat } from '../../harness/processes.ts';
import { kind, openFacebook, type Kind } from '../../harness/repeated.ts';
import { placeOf } from '../../platforms/conformance/process.ts';
import { googleSubject } from '../../platforms/conformance/subjects/google.ts';
import { DATABASES } from '../two-servers.ts';
import { limitedKey, signUp } from './asking.ts';
import { AFTER_LEASES_MS } from './world.ts';

/** How far the clock goes while an action is done, and how often. */
const HURRY = { everyMs: 200, ms: 5000 };

/** The points that an approved action passes, in their order. */
const around = (...points: readonly CrashPointName[]): readonly CrashPointName[] => [
  'action.started',
  ...points,
  'request.performed',
  'action.performed',
];
const POINTS = {
  post: around(
    'publish.claimed',
    'publish.step.sent',
    'publish.request.answered',
    'publish.step.answered',
    'publish.step.committed',
    'publish.concluded',
  ),
  message: around('send.begun', 'send.prepared', 'send.sent', 'send.answered', 'send.committed'),
  answer: around('send.begun', 'send.sent', 'send.answered', 'send.committed'),
} as const;

/** A review of a place, to be answered in public. */
async function openReview(world: Awaited<ReturnType<typeof openProcesses>>, seat: Seat): Promise<Kind> {
  const place = placeOf(world, seat);
  const { account } = await googleSubject.connect(place, 0);
  await googleSubject.people.review!({ ...place, account }, 'Good bread');
  const list = `/v1/inbox/reviews?account_id=${account}`;
  const { id } = (await seat.rest('GET', list)).body.data[0];
  return kind(
    (text) => [`/inbox/reviews/${id}/reply`, { text }],
    async (text) =>
      ((await world.control('google/reviews')) as Json[]).filter(({ reply }) => reply?.comment === text).length,
  );
}

describe.concurrent.each(DATABASES)('a server on $name that is killed over an approved action', (database) => {
  if (database.missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  let seat: Seat;
  let browser: Browser;
  let key: string;
  let kinds: Readonly<Record<keyof typeof POINTS, Kind>>;
  let port = '0';

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    seat = world.seat('server', await database.open());
    await seat.start();
    // Whoever pushes knows one address, which stays.
    port = new URL(seat.root()).port;
    browser = await signUp(seat);
    ({ key } = await limitedKey(seat, browser, { preset: 'ask' }));
    const { post, message } = (await openFacebook(world, seat)).kinds;
    kinds = { post, message, answer: await openReview(world, seat) };
  });
  afterAll(() => world?.close());

  const ask = async (call: string, body?: object): Promise<Json> => (await askRest(seat.root(), key, call, body)).body;

  /** Asks for something, and has a person agree to it after `ready`; answers the id of the action. */
  async function agree({ ask: asked }: Kind, text: string, ready: () => void): Promise<string> {
    const { path, body } = asked(text);
    const held = await ask(`POST ${path}`, body);
    expect(held).toMatchObject({ status: 'held' });
    const id = held.id as string;
    const page = await browser.open(`/review/${id}`);
    ready();
    // The server may be gone before it has answered.
    await browser.submit(page, { decision: 'approve' }, `/review/${id}`).catch(() => undefined);
    return id;
  }

  /** What became of an action; the clock goes on meanwhile. */
  async function outcomeOf(id: string): Promise<Json> {
    const timer = setInterval(() => seat.pass(HURRY.ms), HURRY.everyMs);
    return until(async () => {
      const action = await ask(`GET /v1/actions/${id}`);
      // A post may be worked on a little longer than an answer to who asked for it waits.
      const { data } = await ask('GET /v1/posts?status=publishing');
      return ['held', 'approved', 'running'].includes(action.state) || data.length > 0 ? undefined : action;
    }, HURRY.everyMs).finally(() => clearInterval(timer));
  }

  // Between those of the action it is the engine of the post or the answer that goes on, which has tests on both databases.
  const isOwn = (point: CrashPointName) => point.startsWith('action.') || point === 'request.performed';
  const isPassed = (point: CrashPointName) => database === DATABASES[0] || isOwn(point) || point.endsWith('.sent');
  const cases = Object.entries(POINTS).flatMap(([name, points]) =>
    points.filter(isPassed).map((point) => [name, point] as const),
  );
  it.each(cases)(
    'does what was agreed to once (%s), when it has died at %s',
    { concurrent: false },
    async (name, point) => {
      const what = kinds[name as keyof typeof POINTS];
      const text = `An approved ${name} at ${point}`;
      const id = await agree(what, text, () => seat.dieAt(point, 1));
      expect(await seat.ended()).toBe('SIGKILL');
      expect(await what.count(text)).toBeLessThanOrEqual(1);
      seat.pass(AFTER_LEASES_MS);
      await seat.start({ PORT: port });
      // Nobody can tell that Facebook was never asked for a message: it is said so, and nothing more is sent.
      const isUnknown = name === 'message' && point === 'send.sent';
      const code = 'platform.facebook.api_error';
      const end = isUnknown ? { state: 'failed', error: { code } } : { state: 'done', error: null };
      expect(await outcomeOf(id)).toMatchObject(end);
      expect([text, await what.count(text)]).toEqual([text, isUnknown ? 0 : 1]);
    },
  );
});
