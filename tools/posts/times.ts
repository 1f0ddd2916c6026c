type Timed = Readonly<{
  scheduled_at?: number | null | undefined;
  targets?: readonly Readonly<{ scheduled_at?: number | null | undefined }>[] | null | undefined;
}>;

/** Whether a post, or any of its targets, is given a time to go out. */
export function hasTime({ scheduled_at, targets }: Timed): boolean {
  return [scheduled_at, ...(targets ?? []).map((target) => target.scheduled_at)].some((at) => typeof at === 'number');
}
