import { computed, signal } from '@preact/signals';
import type { WebhookEvent } from '../operations.ts';

/** Titles of the groups of events, in the order of the catalogue. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['inbox', 'Inbox'],
  ['posts', 'Posts'],
  ['accounts', 'Accounts'],
  ['actions', 'What assistants ask for'],
]);

type EventGroup = Readonly<{ category: string; title: string; events: readonly WebhookEvent[] }>;

/** The choice of events for an endpoint: one by one, by group, or all. */
export function makeChoosing(catalogue: readonly WebhookEvent[], first: readonly string[] = []) {
  const chosen = signal<ReadonlySet<string>>(new Set(first));
  const byCategory = Map.groupBy(catalogue, ({ category }) => category);
  const groups: readonly EventGroup[] = [...byCategory].map(([category, events]) => ({
    category,
    title: TITLES.get(category) ?? category,
    events,
  }));
  const turn = (events: readonly Pick<WebhookEvent, 'event'>[], on: boolean) => {
    const next = new Set(chosen.value);
    for (const { event } of events) {
      if (on) next.add(event);
      else next.delete(event);
    }
    chosen.value = next;
  };
  const shareOf = (events: readonly WebhookEvent[]): 'all' | 'some' | 'none' => {
    const count = events.filter(({ event }) => chosen.value.has(event)).length;
    if (count === 0) return 'none';
    return count === events.length ? 'all' : 'some';
  };

  return {
    groups,
    catalogue,
    chosen: computed(() => chosen.value),
    names: computed(() => {
      const known = catalogue.map(({ event }) => event).filter((event) => chosen.value.has(event));
      return [...known, ...[...chosen.value].filter((event) => !known.includes(event))];
    }),
    shareOf,
    turn,
    reset: (events: readonly string[]) => void (chosen.value = new Set(events)),
  };
}

export type Choosing = ReturnType<typeof makeChoosing>;
