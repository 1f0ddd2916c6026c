/** Lets work in by its weight. */
export type Weights = Readonly<{
  /**
   * Waits in line until there is room, and keeps it until `until` settles. One holder that asks again is let in at once
   * and weighs what its heaviest piece does: were it made to wait, holders could wait for each other for ever.
   */
  enter(weight: number, until: Promise<unknown>): Promise<void>;
  /** What the holders weigh now. */
  held(): number;
}>;

/** At most `most` at once; something heavier than that goes in alone. First come, first served. */
export function makeWeights(most: number): Weights {
  const holders = new Map<Promise<unknown>, { weight: number; readonly entered: Promise<void> }>();
  const line: Readonly<{ weight: number; admit: () => void }>[] = [];
  let total = 0;

  function drain(): void {
    for (let next = line[0]; next && (total === 0 || total + next.weight <= most); next = line[0]) {
      line.shift();
      total += next.weight;
      next.admit();
    }
  }

  return Object.freeze({
    held: () => total,
    async enter(weight, until) {
      const holder = holders.get(until);
      if (holder) {
        await holder.entered;
        total += Math.max(0, weight - holder.weight);
        holder.weight = Math.max(weight, holder.weight);
        return;
      }
      const { promise: entered, resolve: admit } = Promise.withResolvers<void>();
      const first = { weight, entered };
      holders.set(until, first);
      line.push({ weight, admit });
      drain();
      await entered;
      const leave = () => {
        total -= first.weight;
        holders.delete(until);
        drain();
      };
      until.then(leave, leave);
    },
  } satisfies Weights);
}
