import { expect } from 'vitest';
import type { Cut } from '#test/harness/platforms/gate.ts';
import type { Stage } from '../stage.ts';
import type { Scene, SendCase } from '../subject.ts';
import { cutOf } from './publishing.ts';

/** How often a client asks again that was told nothing, or that the platform did not answer. */
const MOST_REPEATS = 4;

/** Sends something while a request of it is cut, asks again as clients do, and counts what people see of it. */
async function sendWith(stage: Stage, scene: Scene, one: SendCase, about: string, cut?: Cut, nth = 1) {
  const { rest, gate } = stage;
  const text = stage.text(about);
  gate.arm(cut, nth);
  let answer = await rest(one.call(scene), one.ask(scene, text));
  const calls = gate.calls();
  gate.arm();
  if (one.unfindable && answer.status !== 200) {
    // Whether it was sent is not known, and who asks again sends it again.
    const isOnce = (await one.seen(stage, text)) <= 1;
    expect([about, cut, nth, answer.status, isOnce]).toEqual([about, cut, nth, 502, true]);
    return calls;
  }
  for (let repeats = 0; answer.status !== 200 && repeats < MOST_REPEATS; repeats += 1) {
    expect([about, cut, nth, answer.status]).toEqual([about, cut, nth, 502]);
    // What the platform reports meanwhile may settle it.
    await stage.hear();
    answer = await rest(one.call(scene), one.ask(scene, text));
  }
  expect([about, cut, nth, answer.status, await one.seen(stage, text)]).toEqual([about, cut, nth, 200, 1]);
  return calls;
}

/** Sends one kind of answer without and with each mishap; the number of requests that were cut. */
export async function sendThroughMishaps(stage: Stage, scene: Scene, kind: string, one: SendCase): Promise<number> {
  const cut = cutOf(await sendWith(stage, scene, one, kind));
  for (const nth of cut) {
    for (const how of ['after', { status: 418, after: true }, { status: 599 }] as const) {
      await sendWith(stage, scene, one, kind, how, nth);
    }
  }
  return cut.length;
}
