import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { openProcesses, until, type Json, type Seat } from '../harness/processes.ts';
import { askAgain, askKeyed, openFacebook, type Kind } from '../harness/repeated.ts';
import { answers } from './crash/world.ts';
import { DATABASES } from './two-servers.ts';

const POINTS = {
  itself: {
    post: [
      'publish.claimed',
      'publish.request.answered',
      'publish.step.committed',
      'publish.concluded',
      'delivery.claimed',
      'delivery.sent',
      'request.performed',
    ],
    message: ['send.begun', 'send.sent', 'send.answered', 'send.committed', 'request.performed'],
  },
  'the other': {
    post: ['publish.claimed', 'publish.step.answered', 'delivery.claimed'],
    message: ['send.begun', 'send.answered'],
  },
} satisfies Record<string, Readonly<Record<string, readonly CrashPointName[]>>>;

/** Nothing here moves a clock: what waited for a lease to run out would end the test by its time limit. */
describe.concurrent.each(DATABASES)('of two servers on $name', (database) => {
  if (database.missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  let seats: readonly [Seat, Seat];
  let stage: Awaited<ReturnType<typeof openFacebook>>;
  const name = database.name.replaceAll(' ', '-');

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    const [first, second] = await world.servers(2, await database.open());
    seats = [first, second!];
    const events = ['post.published', 'dm.received'];
    await first.rest('POST', '/v1/webhooks', { url: world.receiver.url, events });
    stage = await openFacebook(world, first);
  });
  afterAll(() => world?.close());

  /** Has one of some servers die, whichever passes a point first; the other one passes there unharmed. */
  async function die(some: readonly Seat[], point: CrashPointName, begin: () => Promise<unknown>): Promise<Seat> {
    for (const seat of some) seat.dieAt(point, 1);
    const begun = begin().catch(() => undefined);
    const [dead, how] = await Promise.race(some.map(async (seat) => [seat, await seat.ended()] as const));
    for (const seat of some) seat.live();
    expect(how).toBe('SIGKILL');
    // What the dead one held is free at once: the other one may have passed there before it was told not to die.
    for (const seat of some) if (seat !== dead && !(await answers(seat))) await seat.start();
    await begun;
    return dead;
  }

  /** Asks the first server; either of them may make the delivery. */
  const dieOver = (kind: Kind, text: string, point: CrashPointName): Promise<Seat> =>
    die(point.startsWith('delivery.') ? seats : seats.slice(0, 1), point, () => askKeyed(seats[0], kind, text));

  const heard = (event: string, is: (data: Json) => boolean) =>
    world.receiver.received.filter(({ body }) => body.event === event && is(body.data));

  async function expectPublished(seat: Seat, text: string): Promise<void> {
    const query = `/v1/posts?search=${encodeURIComponent(text)}`;
    const post = await until(async () => {
      const found = ((await seat.rest('GET', query)).body.data as Json[]).find((row) => row.text === text);
      return found?.status === 'published' ? found : undefined;
    });
    await until(async () => heard('post.published', ({ post_id }) => post_id === post.id)[0]);
    expect([text, await stage.kinds.post.count(text)]).toEqual([text, 1]);
  }

  describe.each(['the other', 'itself'] as const)(
    'one that dies has its work gone on with by %s',
    { concurrent: false },
    (who) => {
      const text = (what: string, point: CrashPointName) => `A ${what} at ${point} by ${who} on ${name}`;

      /** Has one of them go on with what a dead one was at; both are back when `work` has ended. */
      async function goneOn(dead: Seat, work: (seat: Seat) => Promise<void>): Promise<void> {
        const other = seats.find((seat) => seat !== dead)!;
        const [on, off] = who === 'the other' ? [other, dead] : [dead, other];
        if (who === 'itself') {
          await other.kill();
          await dead.start();
        }
        try {
          await work(on);
        } finally {
          await off.start();
        }
      }

      it.each<CrashPointName>(POINTS[who].post)('over a post at %s', async (point) => {
        const post = text('post', point);
        await goneOn(await dieOver(stage.kinds.post, post, point), async (seat) => {
          expect((await askAgain(seat, stage.kinds.post, post)).status).toBe(201);
          await expectPublished(seat, post);
        });
      });

      it.each<CrashPointName>(POINTS[who].message)('over a message at %s', async (point) => {
        const message = text('message', point);
        await goneOn(await dieOver(stage.kinds.message, message, point), async (seat) => {
          const { status } = await askAgain(seat, stage.kinds.message, message);
          // It was looked for at once; nobody can tell yet that the platform does not make it after all.
          const isInDoubt = point === 'send.sent';
          expect([point, status]).toEqual([point, isInDoubt ? 502 : 200]);
          expect(await stage.kinds.message.count(message)).toBe(isInDoubt ? 0 : 1);
        });
      });

      it('over a message that was pushed', async () => {
        const message = text('message', 'push.taken');
        const dead = await die(seats, 'push.taken', () => stage.write(message));
        await goneOn(dead, async () => {
          await until(async () => heard('dm.received', ({ content }) => content.text === message)[0]);
        });
      });
    },
  );
});
