import type { MigrationFailure, MigrationSource } from '#db/schema/database.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** Why accounts stay with a provider, in the words of the contract. */
export type Stay =
  | 'unserved platform'
  | 'ads'
  | 'telephony'
  | 'commerce'
  | 'unknown platform'
  | 'linked to another account';

/** Asks for a path of a provider's API with the key; answers the JSON of a 2xx, and fails with a ReadFailure otherwise. */
export type ReadPath = (path: string) => Promise<unknown>;

/** Another service that workspaces migrate from. */
export type Provider = Readonly<{
  /** Its name in addresses. */
  name: string;
  title: string;
  /** Where its API begins, which the base URL of a migration stands for. */
  url: string;
  /** What its names of platforms stand for: one of ours, or why accounts there stay. A name that is missing is unknown. */
  platforms: ReadonlyMap<string, PlatformSlug | Stay>;
  /** The key in a request as its clients send it. */
  keyOf(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  /** The headers of a request with a key. */
  authorize(key: string): Readonly<Record<string, string>>;
  /** Reads all profiles and accounts. */
  read(readPath: ReadPath): Promise<MigrationSource>;
}>;

/** The accounts of a provider could not be read. */
export class ReadFailure extends Error {
  override name = 'ReadFailure';
  readonly failure: MigrationFailure;

  constructor(failure: MigrationFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}
