import { createHash, generateKeyPairSync, randomInt } from 'node:crypto';
import { base32 } from 'multiformats/bases/base32';
import { base58btc } from 'multiformats/bases/base58';
import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';

export type Person = Readonly<{
  did: string;
  handle: string;
  display_name: string;
  signing_key: string;
  app_password: string;
  privileged_app_password: string;
  /** Goes up with each revocation, which invalidates older tokens. */
  grant_no: number;
  created_at: number;
}>;

export type People = Readonly<{
  all(): readonly Person[];
  byDid(did: string): Person | undefined;
  /** Finds a person by handle (in any case), DID or email address. */
  find(identifier: string): Person | undefined;
  add(handle: string, displayName: string): Person;
  /** Makes new app passwords. The old ones and their sessions become invalid. */
  revoke(did: string): void;
}>;

/** The DID is derived from the handle, so that links stay valid when the database is created again. */
const didFor = (handle: string) =>
  `did:plc:${base32.baseEncode(createHash('sha256').update(`sandbox person ${handle}`).digest()).slice(0, 24)}`;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const fourLetters = () => Array.from({ length: 4 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
const newPassword = () => Array.from({ length: 4 }, fourLetters).join('-');

/** A new secp256k1 public key, in the multibase format of DID documents. */
function newSigningKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' });
  const sign = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1 ? 3 : 2;
  return base58btc.encode(Buffer.concat([Buffer.from([0xe7, 0x01, sign]), Buffer.from(x, 'base64url')]));
}

export function openPeople({ db, write }: Store, clock: Clock): People {
  db.exec(`create table if not exists bsky_person (
    did text primary key, handle text not null unique, display_name text not null, signing_key text not null,
    app_password text not null, privileged_app_password text not null,
    grant_no integer not null default 0, created_at integer not null
  ) strict`);
  const all = db.prepare('select * from bsky_person order by created_at, handle');
  const byDid = db.prepare('select * from bsky_person where did = ?');
  const byHandle = db.prepare('select * from bsky_person where handle = ?');
  const insert = db.prepare(
    `insert into bsky_person (did, handle, display_name, signing_key, app_password, privileged_app_password, created_at)
     values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const renew = db.prepare(
    'update bsky_person set app_password = ?, privileged_app_password = ?, grant_no = grant_no + 1 where did = ?',
  );

  return Object.freeze({
    all: () => all.all() as Person[],
    byDid: (did: string) => byDid.get(did) as Person | undefined,
    find(identifier: string) {
      if (identifier.startsWith('did:')) return byDid.get(identifier) as Person | undefined;
      const handle = identifier.toLowerCase().replace(/^([^@.]+)@(sandbox\.test)$/, '$1.$2');
      return byHandle.get(handle) as Person | undefined;
    },
    add(handle: string, displayName: string) {
      const did = didFor(handle);
      insert.run(did, handle, displayName, newSigningKey(), newPassword(), newPassword(), clock.now());
      return byDid.get(did) as Person;
    },
    revoke: (did: string) => write(() => void renew.run(newPassword(), newPassword(), did)),
  });
}

export const emailOf = (person: Person): string => person.handle.replace('.', '@');

export function didDocument(person: Person, base: string): object {
  return {
    '@context': [
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/multikey/v1',
      'https://w3id.org/security/suites/secp256k1-2019/v1',
    ],
    id: person.did,
    alsoKnownAs: [`at://${person.handle}`],
    verificationMethod: [
      {
        id: `${person.did}#atproto`,
        type: 'Multikey',
        controller: person.did,
        publicKeyMultibase: person.signing_key,
      },
    ],
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: base }],
  };
}
