import { SECOND, HOUR } from '#kernel/clock.ts';
import { afterEach, expect, it } from 'vitest';
import { openProcesses, until, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { placeOf } from '../../platforms/conformance/process.ts';
import { openScene } from '../../platforms/conformance/scene.ts';
import { telegramSubject } from '../../platforms/conformance/subjects/telegram.ts';

const LOOK_MS = 100;
/** How long before the server is back each thing was said: Telegram keeps updates for a day. */
const HOURS_BEFORE = [23, 20, 17, 12, 7, 3, 1];

let world: Processes;
afterEach(() => world?.close());

/** Pushed where Telegram reaches the server; asked for by getUpdates where no public https address exists. */
it.each([
  ['pushes', async () => (await world.servers(1))[0]],
  [
    'getUpdates',
    async () => {
      const seat = world.seat('server', { PORT: '0' });
      await seat.start();
      return seat;
    },
  ],
] as const)(
  'a server stopped for a day takes up by %s what was said meanwhile, in order and once',
  async (mode, open) => {
    world = await openProcesses({ oneClock: true });
    const seat: Seat = await open();
    const events = ['dm.received', 'comment.received'];
    const hook = await seat.rest('POST', '/v1/webhooks', { url: world.receiver.url, events });
    expect(hook.status).toBe(201);
    const place = placeOf(world, seat);
    const scene = await openScene(place, telegramSubject);
    const bot = ((await place.control('telegram/bots')) as readonly Json[]).find(({ id }) => id === scene.person);
    expect(bot.webhook === undefined).toBe(mode === 'getUpdates');
    const { comment, message } = telegramSubject.people;
    await message!(scene, 'Said before');
    const told = () => world.receiver.received.map(({ body }) => (body.data['content'] as Json).text as string);
    await until(async () => {
      seat.pass(SECOND);
      return told().includes('Said before') || undefined;
    }, LOOK_MS);

    expect(await seat.stop()).toBe(0);
    const root = seat.root();
    // Nobody took it for more than a day: Telegram has dropped it.
    await message!(scene, 'Too old');
    seat.pass(2 * HOUR);
    const said: string[] = [];
    for (const [index, hours] of HOURS_BEFORE.entries()) {
      const text = `Said ${hours} hours before`;
      await (index % 2 === 0 ? message! : comment!)(scene, text);
      said.push(text);
      seat.pass((hours - (HOURS_BEFORE[index + 1] ?? 0)) * HOUR);
    }
    await seat.start({ PORT: new URL(root).port });
    await until(async () => {
      seat.pass(SECOND);
      return said.every((text) => told().includes(text)) || undefined;
    }, LOOK_MS);
    for (let looks = 0; looks < 20; looks += 1) {
      seat.pass(10 * SECOND);
      await place.hear();
    }

    const heard = told().slice(told().indexOf('Said before') + 1);
    expect(heard.toSorted()).toEqual(said.toSorted());
    expect(told()).not.toContain('Too old');
    const texts = async (path: string) => {
      const { body } = await seat.rest('GET', path);
      return (body.data as readonly Json[]).map(({ text }) => String(text)).filter((text) => said.includes(text));
    };
    // Messages newest first, comments as they came.
    expect(await texts(`/v1/inbox/conversations/${scene.conversation}/messages`)).toEqual(
      said.filter((_, index) => index % 2 === 0).toReversed(),
    );
    expect(await texts(`/v1/inbox/comments/${scene.post}`)).toEqual(said.filter((_, index) => index % 2 === 1));
  },
);
