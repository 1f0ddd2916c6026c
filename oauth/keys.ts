import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { deleteSigningKeys, insertSigningKey, listSigningKeys, type OauthKeyRow } from '#db/access/oauth-keys.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import { DAY, MINUTE, type Clock } from '#kernel/clock.ts';
import type { Sealer } from '#kernel/seal.ts';
import { ACCESS_MS } from './constants.ts';

/** How often keys are reloaded. A new key waits until every process has reloaded once. */
const RELOAD_MS = MINUTE;
const ANNOUNCED_MS = 5 * RELOAD_MS;
/** The least time between lookups of unknown key ids. */
const SEARCH_MS = 1000;
/** A replaced key verifies for the lifetime of its last token, plus clock skew. */
const RETIRED_MS = ACCESS_MS + ANNOUNCED_MS;
const ROTATE_MS = 90 * DAY;

export type SigningKey = Readonly<{
  kid: string;
  generation: number;
  createdAt: number;
  signsFrom: number;
  /** Includes the private part, for the provider. */
  jwk: JWK;
  privateKey: KeyObject;
  publicKey: KeyObject;
  published: JWK;
}>;

export type Keys = ReturnType<typeof makeKeys>;
export type KeysDeps = Readonly<{ store: Store; clock: Clock; sealer: Sealer }>;

/** Encrypted EdDSA keys; a new one signs after five minutes, when every process has published it. */
export function makeKeys(deps: KeysDeps) {
  const { store, clock, sealer } = deps;
  let known: readonly SigningKey[] = [];
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  const opened = (row: OauthKeyRow): SigningKey =>
    known.find(({ kid }) => kid === row.kid) ??
    openKey(row, openJson(sealer, row.sealed, 'oauth_keys', row.kid) as JWK);

  async function read(): Promise<void> {
    const now = clock.now();
    let rows = await listSigningKeys(store.db);
    if (rows.length === 0) {
      await addKey(deps, 1, now);
      rows = await listSigningKeys(store.db);
    }
    known = rows.map(opened);
    loadedAt = now;
  }

  /** Concurrent calls share one read. */
  function load(): Promise<void> {
    loading ??= read().finally(() => (loading = undefined));
    return loading;
  }

  async function fresh(): Promise<readonly SigningKey[]> {
    const age = clock.now() - loadedAt;
    if (age >= RELOAD_MS || age < 0) await load();
    const now = clock.now();
    return known.filter((_, index) => now < (known[index + 1]?.signsFrom ?? Infinity) + RETIRED_MS);
  }

  /** Concurrent rotations add one key: the generation is unique. */
  async function replace({ generation }: SigningKey): Promise<void> {
    await addKey(deps, generation + 1, clock.now() + ANNOUNCED_MS);
    await load();
  }

  return Object.freeze({
    async signer(): Promise<SigningKey> {
      const keys = await fresh();
      const now = clock.now();
      return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0]!;
    },
    async find(kid: string): Promise<SigningKey | undefined> {
      const found = (await fresh()).find((key) => key.kid === kid);
      if (found !== undefined || clock.now() - loadedAt < SEARCH_MS) return found;
      await load();
      return (await fresh()).find((key) => key.kid === kid);
    },
    published: async (): Promise<readonly JWK[]> => (await fresh()).map((key) => key.published),
    async rotate(): Promise<void> {
      await load();
      await replace(known.at(-1)!);
    },
    /** Rotates an old key, and deletes expired ones. */
    async sweep(): Promise<void> {
      await load();
      const newest = known.at(-1)!;
      if (clock.now() - newest.createdAt >= ROTATE_MS) await replace(newest);
      const [oldest] = await fresh();
      if (oldest!.generation > known[0]!.generation) {
        await store.write((tx) => deleteSigningKeys(tx.db, oldest!.generation));
        await load();
      }
    },
  });
}

async function addKey({ store, clock, sealer }: KeysDeps, generation: number, signsFrom: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const sealed = sealJson(sealer, jwk, 'oauth_keys', kid);
  const row = { generation, kid, sealed, created_at: clock.now(), signs_from: signsFrom };
  await store.write((tx) => insertSigningKey(tx.db, row));
}

function openKey({ kid, generation, created_at, signs_from }: OauthKeyRow, stored: JWK): SigningKey {
  const jwk = { ...stored, kid, alg: 'EdDSA', use: 'sig' };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const { kty, crv, x } = jwk;
  return Object.freeze({
    kid,
    generation,
    createdAt: created_at,
    signsFrom: signs_from,
    jwk: Object.freeze(jwk),
    privateKey,
    publicKey: createPublicKey(privateKey),
    published: Object.freeze({ kty, use: 'sig', kid, alg: 'EdDSA', crv, x }),
  });
}
