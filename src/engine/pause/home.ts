import { isSameLocation, type StoreLocation } from '#db/store/location.ts';
import {
  deleteSettings,
  HOME,
  PAUSED,
  readSetting,
  settleSetting,
  swapSetting,
  writeSetting,
} from '#db/store/settings.ts';
import type { Store as BareStore } from '#db/store/open.ts';
import type { Db } from '#db/store/tx.ts';

/** Why the store is not where it was last used: a sentence for everybody, and both locations for the operator. */
export type Strayed = Readonly<{ why: string; from: string; to: string; fromBackup: boolean }>;

/** The stored home (where a server last used the store) before and during a takeover. */
type Claim = Readonly<{ from: string; to: string }>;

/** How long a claim lasts; after that, another takeover can start if the claiming process was killed. */
const CLAIM_MS = 300_000;

/** Checks whether the store is where a server last used it; changes nothing. */
export async function lookHome(db: Db, here: StoreLocation): Promise<Strayed | undefined> {
  const home = await homeOf(db);
  return home && strayedFrom(home, here);
}

/** The place where a server last used the store. */
export async function homeOf(db: Db): Promise<StoreLocation | undefined> {
  const stored = await readSetting(db, HOME);
  return stored === undefined ? undefined : (JSON.parse(stored) as StoreLocation);
}

/** The same check for a server; unless the store has strayed, stores its present location and clears a pause. */
export async function comeHome(store: BareStore, here: StoreLocation): Promise<Strayed | undefined> {
  const text = JSON.stringify(here);
  const stored = (await readSetting(store.db, HOME)) ?? (await store.write((tx) => settleSetting(tx.db, HOME, text)));
  const strayed = strayedFrom(JSON.parse(stored) as StoreLocation, here);
  if (strayed !== undefined) return strayed;
  if (stored !== text || (await readSetting(store.db, PAUSED)) !== undefined) await settle(store, here);
  return undefined;
}

/** Makes a location the home of the store, even if there was another one. */
export async function settle(store: BareStore, here: StoreLocation): Promise<void> {
  await store.write(async (tx) => {
    await writeSetting(tx.db, HOME, JSON.stringify(here));
    await deleteSettings(tx.db, [PAUSED]);
  });
}

/** Deletes the home, so that the place where a server next opens the store becomes its home. */
export function leaveHome(db: Db): Promise<void> {
  return deleteSettings(db, [HOME, PAUSED]);
}

/** Claims a store whose server is or would be paused; of several concurrent claims only one succeeds. */
export function claim(store: BareStore, here: StoreLocation | undefined, now: number): Promise<Claim | undefined> {
  return store.write(async ({ db }) => {
    const from = await readSetting(db, HOME);
    if (from === undefined) return undefined;
    const home = JSON.parse(from) as StoreLocation;
    const isStrayed = here === undefined ? home.backupOf !== undefined : !isSameLocation(home, here);
    if (!isStrayed && (await readSetting(db, PAUSED)) === undefined) return undefined;
    if (home.claimed !== undefined && now - home.claimed < CLAIM_MS) return undefined;
    const to = JSON.stringify({ ...home, claimed: now });
    return (await swapSetting(db, HOME, from, to)) ? { from, to } : undefined;
  });
}

/** Releases a claim after a takeover that failed. */
export async function unclaim(store: BareStore, { from, to }: Claim): Promise<void> {
  await store.write((tx) => swapSetting(tx.db, HOME, to, from));
}

function strayedFrom(home: StoreLocation, here: StoreLocation): Strayed | undefined {
  if (isSameLocation(home, here)) return undefined;
  const fromBackup = home.backupOf !== undefined;
  return { why: whyStrayed(home, here), from: locationText(home), to: locationText(here), fromBackup };
}

/** A location as a short text. */
function locationText({ backupOf, path, inode, cluster, database, name }: StoreLocation): string {
  if (backupOf !== undefined) return `a backup of ${backupOf}`;
  const where =
    path === undefined ? `database ${database ?? '?'} of cluster ${cluster ?? '?'}` : `${path} (inode ${inode ?? '?'})`;
  return name === undefined ? where : `${name}: ${where}`;
}

function whyStrayed(home: StoreLocation, here: StoreLocation): string {
  if (home.backupOf !== undefined) return `Its database was restored from a backup of ${home.backupOf}.`;
  if (home.name !== undefined && home.name !== here.name)
    return 'Its database belongs to an installation of another name (INSTALLATION).';
  if (here.path === undefined || home.path === undefined) return 'Its database is a copy of another one.';
  return home.path === here.path
    ? 'Its database file was replaced by another one, such as a copy.'
    : 'Its database file was moved or copied here from another folder.';
}
