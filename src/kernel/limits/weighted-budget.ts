export type WeightedBudget = Readonly<{
  /** Waits in order of arrival until the weight fits, then holds it until `until` settles; holders re-enter at once. */
  enter(weight: number, until: Promise<unknown>): Promise<void>;
  held(): number;
}>;

/** Limits the total weight of holders to `most`; anything heavier is admitted alone. */
export function makeWeightedBudget(most: number): WeightedBudget {
  const holders = new Map<Promise<unknown>, { weight: number; readonly entered: Promise<void> }>();
  const queue: Readonly<{ weight: number; admit: () => void }>[] = [];
  let total = 0;

  function drain(): void {
    for (let next = queue[0]; next && (total === 0 || total + next.weight <= most); next = queue[0]) {
      queue.shift();
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
      queue.push({ weight, admit });
      drain();
      await entered;
      const leave = () => {
        total -= first.weight;
        holders.delete(until);
        drain();
      };
      until.then(leave, leave);
    },
  } satisfies WeightedBudget);
}
