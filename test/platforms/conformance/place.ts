import { SECOND, MINUTE } from '#kernel/clock.ts';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { isWorkingOnPictures } from '../../harness/pictures/workshop.ts';
import type { Json, World } from '../../harness/world.ts';
import type { Place } from './scene.ts';

/** Turns of the event loop without anything under way, after which only time can help. */
const QUIET_TURNS = 30;

/** Whether files are read, names looked up or connections made: however long that takes, no time passes meanwhile. */
const isWaitingForSystem = () =>
  isWorkingOnPictures() || process.getActiveResourcesInfo().some((name) => /Req|ConnectWrap/.test(name));

/**
 * The way into a world, whose time passes while it waits for nothing else; `isBusy` tells whether a simulator
 * answers.
 */
export function placeIn(
  world: World,
  isBusy: () => boolean = () => false,
): Place & Readonly<{ hurry<T>(work: Promise<T>): Promise<T> }> {
  /** Lets time pass while the product waits for nothing else. */
  async function hurry<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => void (isOver = true);
    work.then(end, end);
    for (let quiet = 0; !isOver; quiet += 1) {
      // Another process needs the processor.
      await (isWorkingOnPictures() ? pause(1) : turn());
      if (isBusy() || isWaitingForSystem()) quiet = 0;
      if (quiet < QUIET_TURNS) continue;
      world.clock.move(SECOND);
      quiet = 0;
    }
    return work;
  }

  const rest: Place['rest'] = (call, body) => hurry(world.rest(call, body));
  let texts = 0;
  return {
    hurry,
    rest,
    async control(path, body) {
      const headers = { 'Content-Type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${world.root}/sandbox/__control/${path}`, init);
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
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
    first: async (path): Promise<Json> => (await rest(`GET ${path}`)).body.data[0],
  };
}
