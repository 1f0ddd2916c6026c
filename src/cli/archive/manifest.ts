import { z } from 'zod';
import { ConfigError } from '#kernel/config/reader.ts';

export const MANIFEST = 'manifest.json';
export const SQLITE_FILE = 'rostra.db';
export const POSTGRES_FILE = 'postgres.dump';
export const SANDBOX_FILE = 'sandbox.db';
export const SETTINGS_FILE = 'settings.env';
const MEDIA_FILE = /^media\/\w{2}\/\w{1,64}$/;

const FORMAT = 1;

const Manifest = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  made_at: z.string(),
  store: z.enum(['sqlite', 'postgres']),
  schema_version: z.number(),
  /** The ids of the master keys that open it, newest first. */
  key_ids: z.array(z.string()),
  /** Where the store was used; backups of older versions do not say. */
  home: z.record(z.string(), z.unknown()).optional(),
  /** Whether media are in a bucket, which is not part of the backup. */
  bucket: z.boolean(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

/** What a backup contains; the last file of its archive. */
export type Manifest = Readonly<z.output<typeof Manifest>>;

export type Listed = Manifest['files'][number];

export const manifestOf = (parts: Omit<Manifest, 'format'>): Manifest => ({ format: FORMAT, ...parts });

/** Whether a backup may contain a file of this path; paths that lead out of its folder are not among them. */
export function isKnownPath(path: string): boolean {
  return [MANIFEST, SQLITE_FILE, POSTGRES_FILE, SANDBOX_FILE, SETTINGS_FILE].includes(path) || MEDIA_FILE.test(path);
}

/** Reads a manifest, and compares it with the files that were found. */
export function readManifest(text: string, found: readonly Listed[]): Manifest {
  const read = Manifest.safeParse(jsonOf(text));
  if (!read.success) throw new ConfigError('this backup was made by a newer Rostra, or is none; start a newer one');
  const { files } = read.data;
  const foundAt = new Map(found.map((file) => [file.path, file]));
  for (const { path, bytes, sha256 } of files) {
    const file = foundAt.get(path);
    if (file?.bytes !== bytes || file.sha256 !== sha256)
      throw new ConfigError(`${path} of the backup is damaged or missing; restore a different backup`);
  }
  if (files.length !== found.length) throw new ConfigError('the backup contains files that its manifest does not list');
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
