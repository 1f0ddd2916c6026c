type SlotDeps = Readonly<{
  /** What is kept on this device. */
  kept: readonly string[];
  /** The slot this tab had before it was loaded again. */
  mine: string | null;
  /** Holds a slot as long as this tab is open; false if another tab holds it. */
  hold(slot: string, isMine: boolean): Promise<boolean>;
  /** Whether `hold` knows of other tabs; else the last write to a slot tells if its tab is open. */
  canHold: boolean;
  writtenAt(slot: string): number;
  now(): number;
  newId(): string;
}>;

/** How long a tab that is open may write nothing, where it cannot hold its slot. */
const PAUSE_MS = 5 * 60_000;

/** The slot of an unstored draft: this tab's, else one that was left behind, else a new one. */
export async function findSlot(kind: string, deps: SlotDeps): Promise<string> {
  const { kept, mine, hold, newId } = deps;
  const wasLeft = (slot: string) => deps.canHold || deps.now() - deps.writtenAt(slot) > PAUSE_MS;
  if (mine !== null && (await hold(mine, true))) return mine;
  for (const slot of kept.filter((one) => one.startsWith(`${kind} `) && one !== mine && wasLeft(one)))
    if (await hold(slot, false)) return slot;
  const slot = `${kind} ${newId()}`;
  await hold(slot, false);
  return slot;
}
