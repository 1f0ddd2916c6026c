/** A call to a simulator, without secrets. */
export type JournalEntry = {
  readonly id: number;
  readonly at: string;
  readonly network: string;
  readonly verb: string;
  /** At first the path; replaced when the call has been read. */
  method: string;
  person: string | undefined;
  /** A short description, such as a collection, a record key and a size. */
  note: string | undefined;
  fault: string | undefined;
  /** Undefined while the call runs, and if its response was lost. */
  status: number | undefined;
  error: string | undefined;
  /** How the call violates the platform's documentation, although it was accepted. */
  violation: string | undefined;
};

export type Journal = Readonly<{
  open(entry: Pick<JournalEntry, 'at' | 'network' | 'verb' | 'method'>): JournalEntry;
  list(): readonly JournalEntry[];
  clear(): void;
}>;

const KEPT = 2000;

/** Keeps the newest calls in memory only, because storing each would slow down the simulator. */
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
