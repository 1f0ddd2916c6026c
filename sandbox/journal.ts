/** A call that a simulator received, without secrets. */
export type JournalEntry = {
  readonly id: number;
  readonly at: string;
  readonly network: string;
  readonly verb: string;
  /** From the path; refined once the call is read. */
  method: string;
  person: string | undefined;
  /** A short description: collection, record key, size. */
  note: string | undefined;
  fault: string | undefined;
  /** Absent while the call runs, and for a lost answer. */
  status: number | undefined;
  error: string | undefined;
  /** A violation of the platform's documentation that was answered nevertheless. */
  violation: string | undefined;
};

export type Journal = Readonly<{
  open(entry: Pick<JournalEntry, 'at' | 'network' | 'verb' | 'method'>): JournalEntry;
  list(): readonly JournalEntry[];
  clear(): void;
}>;

const KEPT = 2000;

/** The newest calls, in memory only, as writing each would slow down the simulator. */
export function openJournal(): Journal {
  let entries: JournalEntry[] = [];
  let last = 0;
  return Object.freeze({
    open(entry: Parameters<Journal['open']>[0]) {
      const opened = {
        ...entry,
        id: ++last,
        person: undefined,
        note: undefined,
        fault: undefined,
        status: undefined,
        error: undefined,
        violation: undefined,
      };
      entries.push(opened);
      if (entries.length > KEPT * 2) entries = entries.slice(-KEPT);
      return opened;
    },
    list: () => entries.slice(-KEPT),
    clear: () => void (entries = []),
  });
}
