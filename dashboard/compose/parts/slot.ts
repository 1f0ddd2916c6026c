type SlotDeps = Readonly<{
  /** What is kept on this device. */
  kept: readonly string[];
  /** The slot this tab had before it was loaded again. */
  mine: string | null;
  /** Holds a slot as long as this tab is open; false if another tab holds it. */
  hold(slot: string, isMine: boolean): Promise<boolean>;
  newId(): string;
}>;

/** The slot of an unstored draft: this tab's, else one that was left behind, else a new one. */
export async function findSlot(kind: string, { kept, mine, hold, newId }: SlotDeps): Promise<string> {
  if (mine !== null && (await hold(mine, true))) return mine;
  for (const slot of kept.filter((one) => one.startsWith(`${kind} `) && one !== mine))
    if (await hold(slot, false)) return slot;
  const slot = `${kind} ${newId()}`;
  await hold(slot, false);
  return slot;
}
