import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Store } from '../store.ts';

export const ISSUER = 'https://accounts.google.com';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

type Key = Readonly<{ privateKey: KeyObject; kid: string; jwk: object }>;

const generate = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

function keyOf(privateKey: KeyObject): Key {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha1').update(JSON.stringify(jwk)).digest('hex');
  return { privateKey, kid, jwk: { ...jwk, kid, alg: 'RS256', use: 'sig' } };
}

export type GoogleKeys = ReturnType<typeof openKeys>;

/** The simulator's signing key, created on first use and stored, so that signatures stay valid after a restart. */
export function openKeys({ db, write }: Store, prefix: string) {
  const table = `${prefix}_key`;
  db.exec(`create table if not exists ${table} (id integer primary key check (id = 1), pem text not null) strict`);
  const find = db.prepare(`select pem from ${table}`);
  const keep = db.prepare(`insert into ${table} (id, pem) values (1, ?) on conflict do nothing`);
  const stored = () => (find.get() as { pem: string } | undefined)?.pem;
  let known: Key | undefined;
  let foreign: Key | undefined;

  function open(): Key {
    if (stored() === undefined) {
      const pem = generate().export({ format: 'pem', type: 'pkcs8' }) as string;
      write(() => keep.run(pem));
    }
    return keyOf(createPrivateKey(stored() ?? ''));
  }
  const own = () => (known ??= open());

  return Object.freeze({
    published: () => ({ keys: [own().jwk] }),
    /** Signs claims with RS256. `isWrong` uses a key that is not published, but gives the id of the right one. */
    sign(claims: object, isWrong = false): string {
      const { kid } = own();
      const { privateKey } = isWrong ? (foreign ??= keyOf(generate())) : own();
      const signed = `${encode({ alg: 'RS256', kid, typ: 'JWT' })}.${encode(claims)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  });
}
