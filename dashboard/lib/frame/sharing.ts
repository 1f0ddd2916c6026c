import type { LogEvent } from '../operations.ts';

/** An entry of the events log with its place in the stream. */
export type Heard = Readonly<{ id: string; event: LogEvent }>;
/** What tabs tell each other: an entry, or that one has opened. */
type Word = Heard | 'opened';

export type Channel = Readonly<{ post(word: unknown): void; listen(take: (word: unknown) => void): void }>;

type SharingDeps = Readonly<{
  channel: Channel;
  now(): number;
  heard(event: LogEvent): void;
  /** Keeps where the tab stopped. */
  keep(id: string): void;
  reload(): void;
}>;

/** How long entries are told again to a tab that opens, as its page may be older. */
const TOLD_AGAIN_MS = 10_000;
const MOST_KNOWN = 500;
/** How much a tab that nobody looks at makes up for; after that its page is loaded anew. */
const MOST_MISSED = 200;

/** The stream of one tab, heard in all tabs of the browser, once each. */
export function makeSharing({ channel, now, heard, keep, reload }: SharingDeps) {
  const known = new Set<string>();
  let told: readonly (Heard & Readonly<{ at: number }>)[] = [];
  /** What came while nobody looked; undefined while somebody does. */
  let missed: LogEvent[] | undefined;

  function take({ id, event }: Heard): void {
    if (known.has(id)) return;
    known.add(id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    keep(id);
    if (missed === undefined) heard(event);
    else if (missed.length <= MOST_MISSED) missed.push(event);
  }

  function tell(one: Heard): void {
    told = [...told.filter(({ at }) => now() - at < TOLD_AGAIN_MS), { ...one, at: now() }];
    channel.post(one);
    take(one);
  }

  channel.listen((word) => {
    if (word !== 'opened') return take(word as Exclude<Word, 'opened'>);
    for (const { id, event, at } of told) if (now() - at < TOLD_AGAIN_MS) channel.post({ id, event });
  });
  channel.post('opened');

  return {
    /** Hears an entry of this tab's own stream. */
    tell,
    /** Keeps what comes from now on, as nobody looks. */
    rest: () => void (missed ??= []),
    /** Hears what came since. */
    wake(): void {
      const late = missed ?? [];
      missed = undefined;
      if (late.length > MOST_MISSED) reload();
      else for (const event of late) heard(event);
    },
  };
}
