import { makeConcurrency } from '#kernel/limits/concurrency.ts';

/** How many tasks may wait, for one client and in total. */
type Limits = Readonly<{ each: number; all: number }>;

/** Runs one task at a time and takes clients in turn, so that nobody waits for all the tasks of another client. */
export function makeFairLine({ each, all }: Limits) {
  /** Waiting tasks by client; it is the first client's turn. */
  const lines = new Map<string, (() => Promise<void>)[]>();
  const room = makeConcurrency();
  let isBusy = false;

  function take(): (() => Promise<void>) | undefined {
    for (const [who, line] of lines) {
      lines.delete(who);
      const [next, ...rest] = line;
      if (rest.length > 0) lines.set(who, rest);
      return next;
    }
    return undefined;
  }

  async function workOff(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let next = take(); next !== undefined; next = take()) await next();
    isBusy = false;
  }

  /** The task's result; undefined if too many are waiting already. */
  return function enter<T>(who: string, work: () => Promise<T>): Promise<T> | undefined {
    const place = room.enter([
      { key: 'all', max: all },
      { key: `of ${who}`, max: each },
    ]);
    if ('reached' in place) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const line = lines.get(who) ?? [];
    line.push(() => work().then(resolve, reject).finally(place.leave));
    lines.set(who, line);
    void workOff();
    return promise;
  };
}
