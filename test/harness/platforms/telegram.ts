import { MINUTE } from '#kernel/clock.ts';
import { telegramSubject } from '../../platforms/conformance/subjects/telegram.ts';
import { openScene, type Place } from '../../platforms/conformance/scene.ts';
import { list, store } from '../calls/rest.ts';
import type { Json, World } from '../world.ts';
import { askControl } from '../calls/stand-ins.ts';

/** The way to the people of all simulators of a world, with its time. */
function placeOf(world: World): Place {
  let texts = 0;
  return {
    rest: world.rest,
    async control(path, body) {
      const data = await askControl(`${world.root}/sandbox`, path, body);
      return data?.done ?? data;
    },
    upload: async (name, type, bytes) => (await store(world, name, type, bytes)).id,
    text: (what) => `${what} ${(texts += 1)}`,
    async hear() {
      await world.settle();
      await world.pass(MINUTE);
    },
    first: async (path) => (await list(world, path))[0],
  };
}

/** Telegram in a world: its bots as the simulator keeps them, and what people do. */
export function telegramOf(world: World) {
  const place = placeOf(world);
  return {
    ...place,
    /** A bot with its channel: a post with a comment, and a conversation. */
    open: (nth = 0) => openScene(place, telegramSubject, nth),
    connect: (nth = 0) => telegramSubject.connect(place, nth),
    bots: async () => (await place.control('telegram/bots')) as readonly Json[],
    messages: async () => (await place.control('telegram/messages')) as readonly Json[],
  };
}
