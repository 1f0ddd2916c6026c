/** One call a twin has seen, without a secret in it. */
export type JournalEntry = {
  readonly id: number;
  readonly at: string;
  readonly network: string;
  readonly verb: string;
  /** What the path asked for; known better once the call has been read. */
  method: string;
  person: string | undefined;
  /** What was asked for, in a few words: collection, record key, size. */
  note: string | undefined;
  fault: string | undefined;
  /** Absent while the call runs, and for good when its answer was lost. */
  status: number | undefined;
  error: string | undefined;
  /** What the call broke of the platform's own description, though it was answered. */
  violation: string | undefined;
};

export type Journal = Readonly<{
  open(entry: Pick<JournalEntry, 'at' | 'network' | 'verb' | 'method'>): JournalEntry;
  list(): readonly JournalEntry[];
  clear(): void;
}>;

const KEPT = 2000;

/** The newest calls, in memory only: a write for every read would make the twin slower than the network it stands for. */
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
