/** The accounts that an input names. */
export function accountsIn(input: object): readonly string[] {
  const { account_id, account_ids, targets } = input as Readonly<Record<string, unknown>>;
  const ofTargets = Array.isArray(targets) ? targets.map((one: { account_id?: unknown }) => one?.account_id) : [];
  const all = [account_id, ...(Array.isArray(account_ids) ? (account_ids as unknown[]) : []), ...ofTargets];
  return [...new Set(all.filter((one) => typeof one === 'string'))];
}

/** All values of `scheduled_at` in an input (milliseconds). */
export function timesIn(input: unknown): readonly number[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    if (name !== 'scheduled_at') return timesIn(value);
    const at = typeof value === 'string' ? Date.parse(value) : NaN;
    return Number.isNaN(at) ? [] : [at];
  });
}

/** The stored posts that an input names. */
export function postsIn(input: object): readonly string[] {
  const { post_id, posts } = input as Readonly<Record<string, unknown>>;
  const named = Array.isArray(posts) ? posts.map((one: { post_id?: unknown } | null) => one?.post_id) : [];
  return [...new Set([post_id, ...named].filter((id) => typeof id === 'string'))];
}
