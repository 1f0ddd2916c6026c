import { everyMigration, patchMigration } from '#db/providers/migrations.ts';
import { openJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/open.ts';
import type { Sealer } from '#kernel/seal.ts';
import { hmacOf } from '#kernel/sign.ts';

const HASH = Object.freeze({ algorithm: 'sha256', encoding: 'hex' } as const);

/** The hashes under which a key may be stored, one for each master key, newest first. */
export function makeHashes(sealer: Pick<Sealer, 'deriveAll'>) {
  const secrets = sealer.deriveAll('migration keys').map((secret) => secret.export().toString('hex'));
  return (provider: string, key: string): readonly string[] =>
    secrets.map((secret) => hmacOf(HASH, secret, provider, '\n', key));
}

/** The first and last characters of a key, a quarter of it at most. */
export function hintOf(key: string): string {
  const length = Math.min(4, Math.floor(key.length / 8));
  return `${key.slice(0, length)}…${key.slice(key.length - length)}`;
}

/** Rehashes keys with the newest master key; returns how many changed. */
export async function rehashMigrations(store: Store, sealer: Sealer): Promise<number> {
  const hashesOf = makeHashes(sealer);
  const rows = (await everyMigration(store.db)).map(({ id, provider, sealed, key_hash }) => {
    const [hash] = hashesOf(provider, openJson(sealer, sealed, 'migrations', id) as string);
    return { id, key_hash: hash!, before: key_hash };
  });
  const old = rows.filter(({ key_hash, before }) => key_hash !== before);
  await store.write(async ({ db }) => {
    for (const { id, key_hash } of old) await patchMigration(db, id, { key_hash });
  });
  return old.length;
}
