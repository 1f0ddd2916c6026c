import { upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import type { Door } from './subject.ts';

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
