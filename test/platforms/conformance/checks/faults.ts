import type { Json } from '#test/harness/world.ts';
import type { Door } from '../subject.ts';

/** What may go wrong with a request of a platform while its effect takes place once or not at all. */
export const FAULTS = ['lost', 'error_after', 'throttled', 'slow', 'late'] as const;
export type Fault = (typeof FAULTS)[number];

/** Requests that faults can be aimed at: whose, and how the simulator calls them. */
export type Aim = Readonly<{ network: string; person: string; method: string }>;

/** The newest entry of the journal of all twins. */
export async function lastRequest({ control }: Pick<Door, 'control'>): Promise<number> {
  return ((await control('requests')) as readonly Json[]).at(-1)?.id ?? 0;
}

/** What was asked of a simulator after an entry of the journal, each kind of request of each person once. */
export async function aimsOf(
  { control }: Pick<Door, 'control'>,
  network: string,
  after: number,
): Promise<readonly Aim[]> {
  const entries = (await control('requests')) as readonly Json[];
  const asked = entries.filter((one) => one.network === network && one.id > after && one.person !== undefined);
  const aims = new Map(asked.map(({ person, method }) => [`${person} ${method}`, { network, person, method }]));
  return [...aims.values()];
}

/** Has the next request of a kind go wrong. */
export async function upset({ control }: Pick<Door, 'control'>, aim: Aim, kind: Fault, times = 1): Promise<void> {
  await control('faults', { ...aim, kind, times, delay_ms: 250 });
}
