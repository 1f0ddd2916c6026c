import { telegramSubject } from '../../platforms/conformance/subjects/telegram.ts';
import { openScene, type Place } from '../../platforms/conformance/scene.ts';
import type { Json, World } from '../world.ts';

const MINUTE = 60_000;

/** The way to the people of all stand-ins of a world, with its time. */
function placeOf(world: World): Place {
  let texts = 0;
  return {
    rest: world.rest,
    async control(path, body) {
      const headers = { 'Content-Type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${world.root}/sandbox/__control/${path}`, init);
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      const { data } = (await answer.json()) as { data: Json };
      return data?.done ?? data;
    },
    async upload(name, type, bytes) {
      const form = new FormData();
      form.set('file', new Blob([bytes], { type }), name);
      return (await world.rest('POST /v1/media/upload', form)).body.id;
    },
    text: (what) => `${what} ${(texts += 1)}`,
    async hear() {
      await world.settle();
      await world.pass(MINUTE);
    },
    first: async (path) => (await world.rest(`GET ${path}`)).body.data[0],
  };
}

/** Telegram in a world: its bots as the stand-in keeps them, and what people do. */
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
