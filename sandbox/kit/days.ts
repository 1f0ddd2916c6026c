import { isoTime } from '#kernel/clock.ts';
import type { Doc, DocStore } from './docs.ts';
import type { TwinOptions } from './options.ts';

export type Day = Doc &
  Readonly<{ page_id: string; parent_id: string; day: string; counts: Readonly<Record<string, number>> }>;

const isoDay = (ms: number): string => isoTime(ms).slice(0, 10);

export const sumOf = (days: readonly Day[], name: string): number =>
  days.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);

export function countToday(
  { docs, options: { clock } }: Readonly<{ docs: DocStore<{ day: Day }>; options: Pick<TwinOptions, 'clock'> }>,
  { id: parent_id, page_id }: Readonly<{ id: string; page_id: string }>,
  counts: Day['counts'],
): void {
  const at = clock.now();
  const day = isoDay(at);
  const id = `${parent_id} ${day}`;
  const past = docs.get('day', id)?.counts ?? {};
  const sums = Object.entries(counts).map(([name, count]) => [name, (past[name] ?? 0) + count]);
  docs.put('day', { id, at, page_id, parent_id, day, counts: { ...past, ...Object.fromEntries(sums) } });
}
