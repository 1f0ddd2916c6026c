import { realpathSync, statSync } from 'node:fs';

/** Where a store is: a database file, or a database of a PostgreSQL cluster; its name is what the operator gives. */
export type StoreLocation = Readonly<{
  path?: string;
  /** The file itself: a copy has another time of birth, or another inode where the file system keeps none. */
  inode?: string;
  born?: string;
  cluster?: string;
  database?: string;
  /** Of a table that is there from the first migration: restored, it is another one. */
  table?: string;
  name?: string;
  /** A location that no server has: the store was restored from a backup of this time. */
  backupOf?: string;
  /** Since when somebody takes over, in milliseconds. */
  claimed?: number;
}>;

const PARTS = ['path', 'born', 'cluster', 'database', 'table', 'name'] as const;

/** Whether a store that was last at `home` is still there; what one of them does not know is not compared. */
export function isSameLocation(home: StoreLocation, here: StoreLocation): boolean {
  if (home.backupOf !== undefined) return false;
  if ((home.path === undefined) !== (here.path === undefined)) return false;
  if (home.name !== undefined && home.name !== here.name) return false;
  const isKept = (part: (typeof PARTS)[number] | 'inode') =>
    home[part] === undefined || here[part] === undefined || home[part] === here[part];
  // Some mounts number their files anew at each start; a time of birth stays.
  const isBornKnown = home.born !== undefined && here.born !== undefined;
  return PARTS.every(isKept) && (isBornKnown || isKept('inode'));
}

export function locationOfFile(file: string): StoreLocation {
  const path = realpathSync(file);
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // Without a time of birth a file system shows none, or that of the last change.
  const isBorn = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return { path, inode: String(ino), ...(isBorn && { born: String(birthtimeNs) }) };
}

/** Whether the file that a store was last used as is still where it was, and no copy of it. */
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
