type SlotDeps = Readonly<{
  /** The slots that are stored on this device. */
  kept: readonly string[];
  /** The slot that this tab had before it was reloaded. */
  mine: string | null;
  /** Holds a slot while this tab is open; false if another tab holds it. */
  hold(slot: string, isMine: boolean): Promise<boolean>;
  /** Whether `hold` sees other tabs. If not, a slot counts as in use for a while after the last write. */
  canHold: boolean;
  writtenAt(slot: string): number;
  now(): number;
  newId(): string;
}>;

/** How long a slot counts as in use after the last write, in browsers without locks. */
const PAUSE_MS = 5 * 60_000;

/** The slot for an unstored draft: this tab's own, or else one that was left behind, or else a new one. */
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
