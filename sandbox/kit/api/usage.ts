import type { Clock } from '#kernel/clock.ts';
import type { Doc, DocStore } from '../docs.ts';

export type Usage = Doc & Readonly<{ count: number }>;

/** Counts usage per calendar month (UTC). */
export function makeUsage(docs: DocStore<{ usage: Usage }>, clock: Clock) {
  const idOf = (who: string) => `${who} ${new Date(clock.now()).toISOString().slice(0, 7)}`;
  const used = (who: string): number => docs.get('usage', idOf(who))?.count ?? 0;
  return Object.freeze({
    used,
    add: (who: string, count: number) =>
      void docs.put('usage', { id: idOf(who), at: clock.now(), count: used(who) + count }),
  });
}
