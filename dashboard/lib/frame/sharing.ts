import type { LogEvent } from '../operations.ts';

/** An entry of the events log with its id in the stream, and the id of the entry before it. */
export type Heard = Readonly<{ id: string; after: string | undefined; event: LogEvent }>;

export type Channel = Readonly<{ post(word: unknown): void; listen(take: (word: unknown) => void): void }>;

type SharingDeps = Readonly<{
  channel: Channel;
  /** The last entry of the log before the page was read. */
  since?: string | undefined;
  heard(event: LogEvent): void;
  /** Stores the id of the entry at which this tab stopped. */
  keep(id: string): void;
  /** Reads the stream from where this tab stopped, because it received an entry that does not follow. */
  catchUp(): void;
}>;

const MOST_KNOWN = 500;
/** How many entries a hidden tab keeps. It reads later ones again when it is shown. */
const MOST_MISSED = 200;

/** Shares the stream of one tab with all tabs of the browser. Each gets every entry once, without gaps. */
export function makeSharing({ channel, since, heard, keep, catchUp }: SharingDeps) {
  const known = new Set(since === undefined ? [] : [since]);
  /** Entries that came while the tab was hidden; undefined while it is visible. */
  let missed: Heard[] | undefined;
  let told: string | undefined;

  /** Takes an entry that follows the last one. */
  function take(one: Heard): void {
    if (known.has(one.id)) return;
    known.add(one.id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    keep(one.id);
    if (missed === undefined) return heard(one.event);
    missed.push(one);
    if (missed.length <= MOST_MISSED) return;
    // Reading resumes after the first one, so the stream repeats all the others.
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
    /** Takes an entry from this tab's own stream and sends it to the other tabs. */
    tell(one: Heard): void {
      channel.post(one);
      take(one);
    },
    /** Whether another tab has received an entry that this one has not. */
    isBehind,
    /** Keeps entries from now on, because the tab is hidden. */
    rest: () => void (missed ??= []),
    /** Delivers the entries that came in the meantime. */
    wake(): void {
      const late = missed ?? [];
      missed = undefined;
      for (const { event } of late) heard(event);
    },
  };
}
