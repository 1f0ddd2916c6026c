import { realpathSync, statSync } from 'node:fs';

/** Where a store is: a database file, or a database in a PostgreSQL cluster. `name` is given by the operator. */
export type StoreLocation = Readonly<{
  path?: string;
  /** Identifies the file. A copy has another creation time, or another inode where the file system has no such time. */
  inode?: string;
  born?: string;
  cluster?: string;
  database?: string;
  /** The id of a table from the first migration, which changes when a dump is restored. */
  table?: string;
  name?: string;
  /** Set if the store was restored from a backup made at this time; then no server has this location. */
  backupOf?: string;
  /** In milliseconds: since when another server has been taking over. */
  claimed?: number;
}>;

const PARTS = ['path', 'born', 'cluster', 'database', 'table', 'name'] as const;

/** Whether a store that was last at `home` is still there. Parts that either side lacks are not compared. */
export function isSameLocation(home: StoreLocation, here: StoreLocation): boolean {
  if (home.backupOf !== undefined) return false;
  if ((home.path === undefined) !== (here.path === undefined)) return false;
  if (home.name !== undefined && home.name !== here.name) return false;
  const isKept = (part: (typeof PARTS)[number] | 'inode') =>
    home[part] === undefined || here[part] === undefined || home[part] === here[part];
  // Some mounts number their files again at each start, but the creation time stays.
  const isBornKnown = home.born !== undefined && here.born !== undefined;
  return PARTS.every(isKept) && (isBornKnown || isKept('inode'));
}

export function locationOfFile(file: string): StoreLocation {
  const path = realpathSync(file);
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // File systems without creation times return zero or the time of the last change.
  const isBorn = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return { path, inode: String(ino), ...(isBorn && { born: String(birthtimeNs) }) };
}

/** Whether the file is still where the store was last used, and is not a copy. */
export function isStillThere({ path, inode, born }: StoreLocation): boolean {
  if (path === undefined) return false;
  try {
    return isSameLocation(
      { path, ...(inode !== undefined && { inode }), ...(born !== undefined && { born }) },
      locationOfFile(path),
    );
  } catch {
    return false;
  }
}
