import { COUNTERS, HISTOGRAMS, type Family, type GAUGES } from './families.ts';

type Values<Labels extends readonly string[]> = { readonly [At in keyof Labels]: string };

/** A value of a metric, with its labels in the order in which the family lists them. */
type Series = Readonly<{ labels: readonly string[]; value: number }>;
/** The values of a histogram; `counts` is per bucket, not cumulative, and the last bucket has no bound. */
type Timed = Readonly<{ labels: readonly string[]; counts: readonly number[]; sum: number }>;

export type Reading = Readonly<
  {
    [Name in keyof typeof GAUGES]: { gauge: Name; labels: Values<(typeof GAUGES)[Name]['labels']>; value: number };
  }[keyof typeof GAUGES]
>;

/** Counts what happens in this process, cheaply, until the numbers are read. */
export type Meter = Readonly<{
  count<Name extends keyof typeof COUNTERS>(
    name: Name,
    labels: Values<(typeof COUNTERS)[Name]['labels']>,
    amount?: number,
  ): void;
  time<Name extends keyof typeof HISTOGRAMS>(
    name: Name,
    labels: Values<(typeof HISTOGRAMS)[Name]['labels']>,
    seconds: number,
  ): void;
  /** Starts series at 0 before anything is counted: known labels, and the counters of these requests. */
  expect(requests: Iterable<Request>): void;
  counters(): Iterable<readonly [Family, Iterable<Series>]>;
  histograms(): Iterable<readonly [Family, Iterable<Timed>]>;
}>;

/** A request that the server accepts, with the status of its success. */
export type Request = Readonly<{ facade: string; method: string; route: string; status: number }>;

type Counted = { readonly labels: readonly string[]; value: number };
type Times = { readonly labels: readonly string[]; readonly counts: number[]; sum: number };

/** Separates labels within a key; no label contains it. */
const BETWEEN = '\n';

export function makeMeter(): Meter {
  const counters = new Map<string, Map<string, Counted>>(Object.keys(COUNTERS).map((name) => [name, new Map()]));
  const histograms = new Map<string, Map<string, Times>>(Object.keys(HISTOGRAMS).map((name) => [name, new Map()]));

  function counterAt(name: keyof typeof COUNTERS, labels: readonly string[]): Counted {
    const series = counters.get(name)!;
    const key = labels.join(BETWEEN);
    let one = series.get(key);
    if (one === undefined) series.set(key, (one = { labels: [...labels], value: 0 }));
    return one;
  }

  function timesAt(name: keyof typeof HISTOGRAMS, labels: readonly string[]): Times {
    const series = histograms.get(name)!;
    const key = labels.join(BETWEEN);
    let one = series.get(key);
    if (one === undefined) {
      const counts = Array.from({ length: HISTOGRAMS[name].buckets.length + 1 }, () => 0);
      series.set(key, (one = { labels: [...labels], counts, sum: 0 }));
    }
    return one;
  }

  return Object.freeze<Meter>({
    count(name, labels, amount = 1) {
      counterAt(name, labels).value += amount;
    },
    time(name, labels, seconds) {
      const one = timesAt(name, labels);
      const { buckets } = HISTOGRAMS[name];
      let at = 0;
      while (at < buckets.length && seconds > buckets[at]!) at += 1;
      one.counts[at]! += 1;
      one.sum += seconds;
    },
    expect(requests) {
      for (const [name, family] of Object.entries<Family>(COUNTERS)) {
        for (const labels of labelsOf(family)) counterAt(name as keyof typeof COUNTERS, labels);
      }
      for (const [name, family] of Object.entries<Family>(HISTOGRAMS)) {
        for (const labels of labelsOf(family)) timesAt(name as keyof typeof HISTOGRAMS, labels);
      }
      for (const { facade, method, route, status } of requests) {
        // A histogram takes ten rows, so those of most routes begin with their first request.
        if (facade === 'probes') timesAt('requestTime', [facade, method, route]);
        for (const one of [status, 500]) counterAt('requests', [facade, method, route, String(one)]);
      }
    },
    counters: () => Object.entries(COUNTERS).map(([name, family]) => [family, counters.get(name)!.values()] as const),
    histograms: () =>
      Object.entries(HISTOGRAMS).map(([name, family]) => [family, histograms.get(name)!.values()] as const),
  });
}

/** Every combination of labels, if the values of all labels are known in advance. */
function labelsOf({ labels, values }: Family): readonly (readonly string[])[] {
  const known = labels.map((label) => values?.[label] ?? []);
  return known.reduce<string[][]>((all, some) => all.flatMap((one) => some.map((value) => [...one, value])), [[]]);
}
