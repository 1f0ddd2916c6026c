/** Concurrent deliveries per endpoint: docs/contract/webhooks.md#fairness. */
export type Pace = Readonly<{ slots: number; failing: boolean }>;

/** The pace after a result: one slot after a failure, doubled with each success. */
export function paceAfter(pace: Pace, ok: boolean, most: number): Pace {
  return ok ? { slots: Math.min(most, pace.slots * 2), failing: false } : { slots: 1, failing: true };
}

export type Candidate = Readonly<{ id: string; free: number; failing: boolean }>;
export type Capacity = Readonly<{ total: number; failing: number }>;

/** Assigns free sockets to due endpoints in turn, starting after the last one served; candidates are sorted by id. */
export function deal(candidates: readonly Candidate[], room: Capacity, last: string | undefined): Map<string, number> {
  const start =
    last === undefined
      ? 0
      : Math.max(
          0,
          candidates.findIndex((candidate) => candidate.id > last),
        );
  const shares = new Map<string, number>();
  let { total, failing } = room;
  let round = [...candidates.slice(start), ...candidates.slice(0, start)];
  while (total > 0 && round.length > 0) {
    const next: Candidate[] = [];
    for (const candidate of round) {
      const share = shares.get(candidate.id) ?? 0;
      if (total <= 0 || share >= candidate.free || (candidate.failing && failing <= 0)) continue;
      shares.set(candidate.id, share + 1);
      total -= 1;
      if (candidate.failing) failing -= 1;
      next.push(candidate);
    }
    round = next;
  }
  return shares;
}
