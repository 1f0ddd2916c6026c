import { PageError } from './forms.ts';
import type { TwinOptions } from './kit/options.ts';
import { hasUnsent } from './kit/push/log.ts';
import type { Twin, TwinAbout } from './twin.ts';

type OpenTwin = (options: TwinOptions) => Twin;

/** A simulator that is loaded when it is first used, or that is given. */
export type TwinEntry = TwinAbout & (Readonly<{ load(): Promise<OpenTwin> }> | Readonly<{ make: OpenTwin }>);

export type Twins = Readonly<{
  all: readonly TwinAbout[];
  opened(): readonly Twin[];
  /** Opens a simulator when it is first used; undefined if there is no such network. */
  open(slug: string | null | undefined): Promise<Twin | undefined>;
  /** Resets every simulator that has ever stored anything. */
  reset(): Promise<void>;
  /** Resolves when no simulator has anything left to send. */
  settle(): Promise<void>;
  close(): void;
}>;

/** Opens the given simulators at once, those with unsent updates soon after, and others when they are first used. */
export function makeTwins(entries: readonly TwinEntry[], options: TwinOptions): Twins {
  const { store, complain } = options;
  const twins = new Map<string, Twin>();
  const opening = new Map<string, Promise<Twin>>();
  let isClosed = false;

  function add({ slug }: TwinAbout, make: OpenTwin): Twin {
    if (isClosed) throw new PageError(503, 'The sandbox is closing.');
    // One flush for all that a simulator writes when it is opened for the first time.
    const twin = store.write(() => make(options));
    twins.set(slug, twin);
    return twin;
  }
  function open(entry: TwinEntry): Promise<Twin> {
    const { slug } = entry;
    if ('make' in entry) return Promise.resolve(twins.get(slug) ?? add(entry, entry.make));
    const pending = opening.get(slug) ?? entry.load().then((make) => add(entry, make));
    opening.set(slug, pending);
    // After a failure, such as a busy database, the next call tries again.
    pending.catch(() => opening.delete(slug));
    return pending;
  }
  const openAll = async (those: readonly TwinEntry[]) => void (await Promise.all(those.map(open)));
  const opened = () => entries.flatMap(({ slug }) => twins.get(slug) ?? []);

  for (const entry of entries) if ('make' in entry) add(entry, entry.make);
  // Updates that an earlier process has not sent are sent without waiting for a call.
  const resuming = openAll(entries.filter(({ prefix }) => hasUnsent(store, prefix))).catch((error: unknown) => {
    if (!isClosed) complain(error, 'opening the simulators that have updates to send');
  });

  return Object.freeze({
    all: entries,
    opened,
    async open(slug: string | null | undefined) {
      const entry = entries.find((one) => one.slug === slug);
      return entry && open(entry);
    },
    async reset() {
      await openAll(entries.filter(({ prefix }) => store.hasTable(`${prefix}_*`)));
      for (const twin of opened()) twin.reset();
    },
    async settle() {
      await resuming;
      for (const twin of opened()) await twin.settle?.();
    },
    close() {
      isClosed = true;
      for (const twin of opened()) twin.close?.();
    },
  });
}
