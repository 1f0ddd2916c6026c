/** Counts and total seconds of requests, as plain numbers until `/metrics` is read. */
export type Tally = Readonly<{
  count(method: string, route: string, status: number, seconds: number): void;
  rows(): Iterable<Row>;
}>;

type Row = Readonly<{ method: string; route: string; status: number; served: number; seconds: number }>;
type Cell = { method: string; route: string; status: number; served: number; seconds: number };

/** One row per method, route and status; never one per URL. */
export function makeTally(): Tally {
  const cells = new Map<string, Cell>();
  return {
    count(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`;
      const cell = cells.get(key);
      if (cell === undefined) {
        cells.set(key, { method, route, status, served: 1, seconds });
      } else {
        cell.served += 1;
        cell.seconds += seconds;
      }
    },
    rows: () => cells.values(),
  };
}
