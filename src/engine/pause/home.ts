import { isSameLocation, type StoreLocation } from '#db/store/location.ts';
import { deleteSettings, HOME, PAUSED, readSetting, settleSetting, writeSetting } from '#db/store/settings.ts';
import type { Store as BareStore } from '#db/store/open.ts';
import type { Db } from '#db/store/tx.ts';

/** Why a store is not at home: a sentence for everybody, and both locations for the operator. */
export type Strayed = Readonly<{ why: string; from: string; to: string }>;

/** Finds out whether the store is where it was last used; one without a home is at home from now on. */
export async function lookHome(store: BareStore, here: StoreLocation): Promise<Strayed | undefined> {
  const text = JSON.stringify(here);
  const stored = (await readSetting(store.db, HOME)) ?? (await store.write((tx) => settleSetting(tx.db, HOME, text)));
  const home = JSON.parse(stored) as StoreLocation;
  if (!isSameLocation(home, here))
    return { why: whyStrayed(home, here), from: locationText(home), to: locationText(here) };
  if (stored !== text || (await readSetting(store.db, PAUSED)) !== undefined) await settle(store, here);
  return undefined;
}

/** Makes a location the home of the store, whatever it was. */
export async function settle(store: BareStore, here: StoreLocation): Promise<void> {
  await store.write(async (tx) => {
    await writeSetting(tx.db, HOME, JSON.stringify(here));
    await deleteSettings(tx.db, [PAUSED]);
  });
}

/** Forgets where the store was used: it is at home where a server looks for it next. */
export function leaveHome(db: Db): Promise<void> {
  return deleteSettings(db, [HOME, PAUSED]);
}

/** Whether a server waits for somebody to take over, or will as soon as it starts. */
export async function isAway(db: Db): Promise<boolean> {
  if ((await readSetting(db, PAUSED)) !== undefined) return true;
  const home = await readSetting(db, HOME);
  return home !== undefined && (JSON.parse(home) as StoreLocation).backupOf !== undefined;
}

/** A location in one line. */
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
