/** Runs concurrent calls one after another, so that none sees another's work half finished. */
export function inTurn<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const answer = last.then(() => work(...args));
    last = answer.catch(() => undefined);
    return answer;
  };
}
