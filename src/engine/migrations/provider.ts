import type { MigrationFailure, MigrationSource } from '#db/schema/database.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** Why accounts stay with a provider, in the contract's words. */
export type Stay =
  | 'unserved platform'
  | 'ads'
  | 'telephony'
  | 'commerce'
  | 'unknown platform'
  | 'linked to another account';

/** Reads a path of a provider's API with the key; returns JSON, or fails with a ReadFailure. */
type ReadPath = (path: string) => Promise<unknown>;

export type Provider = Readonly<{
  name: string;
  title: string;
  /** The base URL of its API, which that of a migration replaces. */
  url: string;
  /** Its platform names: ours, or why accounts there stay; a missing name is unknown. */
  platforms: ReadonlyMap<string, PlatformSlug | Stay>;
  /** The key in a client's request. */
  keyOf(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  /** The headers of a request with a key. */
  authorize(key: string): Readonly<Record<string, string>>;
  read(readPath: ReadPath): Promise<MigrationSource>;
}>;

export class ReadFailure extends Error {
  override name = 'ReadFailure';
  readonly failure: MigrationFailure;

  constructor(failure: MigrationFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}
