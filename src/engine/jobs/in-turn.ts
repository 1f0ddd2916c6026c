/** Makes concurrent calls run one after another, so that what a call finds is not in another one's hands. */
export function inTurn<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const answer = last.then(() => work(...args));
    last = answer.catch(() => undefined);
    return answer;
  };
}
