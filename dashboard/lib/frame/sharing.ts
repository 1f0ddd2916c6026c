import type { LogEvent } from '../operations.ts';

/** An entry of the events log with its place in the stream, and the place of the entry before it. */
export type Heard = Readonly<{ id: string; after: string | undefined; event: LogEvent }>;

export type Channel = Readonly<{ post(word: unknown): void; listen(take: (word: unknown) => void): void }>;

type SharingDeps = Readonly<{
  channel: Channel;
  /** The last entry before the page was read. */
  since?: string | undefined;
  heard(event: LogEvent): void;
  /** Keeps where the tab stopped. */
  keep(id: string): void;
  /** Reads the stream from where the tab stopped, as it was told what does not follow. */
  catchUp(): void;
}>;

const MOST_KNOWN = 500;
/** How much a tab that nobody looks at keeps; what comes after that it reads again. */
const MOST_MISSED = 200;

/** The stream of one tab, heard in all tabs of the browser, once each and without a hole. */
export function makeSharing({ channel, since, heard, keep, catchUp }: SharingDeps) {
  const known = new Set(since === undefined ? [] : [since]);
  /** What came while nobody looked; undefined while somebody does. */
  let missed: Heard[] | undefined;
  let told: string | undefined;

  /** Hears an entry that follows the last one. */
  function take(one: Heard): void {
    if (known.has(one.id)) return;
    known.add(one.id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    keep(one.id);
    if (missed === undefined) return heard(one.event);
    missed.push(one);
    if (missed.length <= MOST_MISSED) return;
    // The stream repeats all but the first, which stays as the place to resume from.
    for (const { id } of missed.splice(1)) known.delete(id);
    keep(missed[0]!.id);
  }

  const isBehind = (): boolean => told !== undefined && !known.has(told);

  channel.listen((word) => {
    const one = word as Heard;
    told = one.id;
    const follows = known.size === 0 || (one.after !== undefined && known.has(one.after));
    if (follows) take(one);
    else if (missed === undefined && isBehind()) catchUp();
  });

  return {
    take,
    /** Hears an entry of this tab's own stream, and tells the others. */
    tell(one: Heard): void {
      channel.post(one);
      take(one);
    },
    /** Whether another tab has heard what this one has not. */
    isBehind,
    /** Keeps what comes from now on, as nobody looks. */
    rest: () => void (missed ??= []),
    /** Hears what came since. */
    wake(): void {
      const late = missed ?? [];
      missed = undefined;
      for (const { event } of late) heard(event);
    },
  };
}
