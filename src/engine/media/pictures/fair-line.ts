/** How much may wait, of one asker and of all. */
type Limits = Readonly<{ each: number; all: number }>;

/** Does one piece of work at a time, by turns among those who ask, so that nobody waits for all that another wants. */
export function makeFairLine({ each, all }: Limits) {
  /** Work by asker; the first asker's turn is next. */
  const lines = new Map<string, (() => Promise<void>)[]>();
  const open = new Map<string, number>();
  let total = 0;
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

  function count(who: string, by: 1 | -1): void {
    total += by;
    const left = (open.get(who) ?? 0) + by;
    if (left === 0) open.delete(who);
    else open.set(who, left);
  }

  /** The outcome of the work; undefined if too much waits already. */
  return function enter<T>(who: string, work: () => Promise<T>): Promise<T> | undefined {
    if (total >= all || (open.get(who) ?? 0) >= each) return undefined;
    count(who, 1);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const line = lines.get(who) ?? [];
    line.push(() =>
      work()
        .then(resolve, reject)
        .finally(() => count(who, -1)),
    );
    lines.set(who, line);
    void workOff();
    return promise;
  };
}
