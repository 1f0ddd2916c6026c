import type { MigrationFailure, MigrationSource } from '#db/schema/database.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** Why accounts have to stay with a provider, in the words of the contract. */
export type Stay =
  | 'unserved platform'
  | 'ads'
  | 'telephony'
  | 'commerce'
  | 'unknown platform'
  | 'linked to another account';

/** Reads a path of the provider's API with the key; returns JSON, or throws a ReadFailure. */
type ReadPath = (path: string) => Promise<unknown>;

export type Provider = Readonly<{
  name: string;
  title: string;
  /** The base URL of the provider's API; clients replace it by that of the migration. */
  url: string;
  /** The provider's platform names: our slug, or why accounts there have to stay; others are unknown. */
  platforms: ReadonlyMap<string, PlatformSlug | Stay>;
  /** The key in a client's request. */
  keyOf(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  /** The headers that authorize a request with a key. */
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
