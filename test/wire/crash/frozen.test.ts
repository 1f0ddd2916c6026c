import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE } from '#kernel/clock.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { openProcesses, until, type Answer, type Json, type Seat } from '../../harness/processes.ts';
import { askAgain, askKeyed, openFacebook, type Kind } from '../../harness/repeated.ts';
import { DATABASES } from '../two-servers.ts';

const POINTS = {
  post: [
    'publish.claimed',
    'publish.step.sent',
    'publish.request.answered',
    'publish.step.committed',
    'publish.concluded',
    'delivery.claimed',
    'delivery.sent',
    'request.performed',
  ],
  message: ['send.begun', 'send.sent', 'send.answered', 'send.committed', 'request.performed'],
} satisfies Record<string, readonly CrashPointName[]>;

/** Longer than the lease of what is published or sent, and of a job. */
const FROZEN_MS = 2 * MINUTE;
const FROZEN_JOB_MS = 6 * MINUTE;
/** How fast the clock of the servers goes, as of the world they are in. */
const HURRY = { everyMs: 100, ms: 3_000 };
/** How far it goes at once when nobody holds anything. */
const IDLE_MS = 15_000;

/** It is not dead, so its leases only end with their time; when it goes on, it must find that it has lost them. */
describe.concurrent.each(DATABASES)('of two servers on $name', (database) => {
  if (database.missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  let seats: readonly [Seat, Seat];
  let stage: Awaited<ReturnType<typeof openFacebook>>;
  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    const [first, second] = await world.servers(2, await database.open());
    seats = [first, second!];
    const events = ['post.published', 'dm.received', 'dm.sent'];
    await first.rest('POST', '/v1/webhooks', { url: world.receiver.url, events });
    stage = await openFacebook(world, first);
  });
  afterAll(() => world?.close());

  /** Whichever passes the point first is frozen there; the other one passes it. */
  async function frozenAt(point: CrashPointName, begin: () => void): Promise<readonly [frozen: Seat, other: Seat]> {
    const [first, second] = seats;
    for (const seat of seats) seat.freezeAt(point);
    begin();
    const frozen = await until(async () => seats.find((seat) => seat.isFrozen()));
    for (const seat of seats) seat.live();
    return frozen === first ? [first, second] : [second, first];
  }

  /** Has the clock go on until `work` is done, and at least so far. */
  async function later<T>(work: () => Promise<T>, leastMs = 0): Promise<T> {
    let left = leastMs;
    const passed = Promise.withResolvers<void>();
    const timer = setInterval(() => {
      seats[0].pass(HURRY.ms);
      left -= HURRY.ms;
      if (left <= 0) passed.resolve();
    }, HURRY.everyMs);
    try {
      return (await Promise.all([work(), passed.promise]))[0];
    } finally {
      clearInterval(timer);
    }
  }

  /** Whatever would yet be done again is done. */
  async function settle(): Promise<void> {
    for (let passed = 0; passed < FROZEN_MS; passed += IDLE_MS) {
      seats[0].pass(IDLE_MS);
      await pause(HURRY.everyMs);
    }
  }

  /** An event was delivered under one id, however often it was sent. */
  async function expectHeard(event: string, is: (data: Json) => boolean): Promise<void> {
    const ids = await until(async () => {
      const received = world.receiver.received.filter(({ body }) => body.event === event && is(body.data));
      return received.length === 0 ? undefined : received.map(({ headers }) => headers['x-service-delivery']);
    });
    expect(new Set(ids).size).toBe(1);
  }

  /** Asks the first server with a key, the other while the one that is at it is frozen, and that one afterwards. */
  async function freeze(kind: Kind, text: string, point: CrashPointName): Promise<Answer> {
    let asked: Promise<unknown> = Promise.resolve();
    const [frozen, other] = await frozenAt(point, () => {
      asked = askKeyed(seats[0], kind, text).catch(() => undefined);
    });
    const meanwhile = await later(() => askAgain(other, kind, text), FROZEN_MS).finally(() => frozen.thaw());
    // It may have been frozen in a transaction: then what that has locked is not there for the other one.
    expect(meanwhile.status).not.toBe(500);
    await later(() => asked);
    return askAgain(frozen, kind, text);
  }

  it.each<CrashPointName>(POINTS.post)(
    'one that is frozen at %s publishes nothing twice',
    { concurrent: false },
    async (point) => {
      const text = `A post at ${point} on ${database.name}`;
      const { status, body } = await freeze(stage.kinds.post, text, point);
      expect(status).toBe(201);
      await later(() => expectHeard('post.published', ({ post_id }) => post_id === body.id));
      await settle();
      expect(await stage.kinds.post.count(text)).toBe(1);
    },
  );

  it.each<CrashPointName>(POINTS.message)(
    'one that is frozen at %s sends nothing twice',
    { concurrent: false },
    async (point) => {
      const text = `A message at ${point} on ${database.name}`;
      const { status } = await freeze(stage.kinds.message, text, point);
      // Nobody could tell whether it was sent: then nothing is sent under this key any more.
      const isInDoubt = point === 'send.sent' && status === 502;
      if (!isInDoubt) await later(() => expectHeard('dm.sent', ({ content }) => content.text === text));
      await settle();
      expect([status, await stage.kinds.message.count(text)]).toEqual(isInDoubt ? [502, 0] : [200, 1]);
    },
  );

  it('one that is frozen with a message that was pushed reports it once', { concurrent: false }, async () => {
    const text = `A message at push.taken on ${database.name}`;
    const [frozen] = await frozenAt('push.taken', () => void stage.write(text));
    await later(async () => {}, FROZEN_JOB_MS).finally(() => frozen.thaw());
    await later(() => expectHeard('dm.received', ({ content }) => content.text === text));
    await settle();
    await expectHeard('dm.received', ({ content }) => content.text === text);
  });
});
