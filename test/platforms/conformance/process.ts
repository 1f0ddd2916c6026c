import { SECOND } from '#kernel/clock.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { until, upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { lastRequest } from './checks/faults.ts';
import type { Place } from './scene.ts';
import type { Door } from './subject.ts';

const LOOK_MS = 50;
/** So long nothing happens before it counts as over. */
const QUIET_LOOKS = 4;

/** The way in that subjects take, through a server that runs in a process of its own. */
export function doorOf({ control }: Pick<Processes, 'control'>, seat: Seat): Door {
  return {
    async rest(call, body) {
      const [method, path] = call.split(' ') as [string, string];
      return seat.rest(method, path, body);
    },
    async control(path, body) {
      const data: Json = await control(path, body);
      return data?.done ?? data;
    },
    upload: (name, type, bytes) => upload(seat, name, type, bytes),
  };
}

/** The same with time, which passes while something is waited for. */
export function placeOf(world: Pick<Processes, 'control'>, seat: Seat): Place {
  let texts = 0;
  return {
    ...doorOf(world, seat),
    text: (what) => `${what} ${(texts += 1)}`,
    async hear() {
      seat.pass(SECOND);
      // Until nobody asks the simulators for anything any more.
      for (let last = -1, quiet = 0; quiet < QUIET_LOOKS; quiet += 1) {
        await pause(LOOK_MS);
        const newest = await lastRequest(world);
        if (newest !== last) quiet = 0;
        last = newest;
      }
    },
    first: (path) =>
      until(async () => {
        seat.pass(SECOND);
        return ((await seat.rest('GET', path)).body.data as readonly Json[])[0];
      }, LOOK_MS),
  };
}
