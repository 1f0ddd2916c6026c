/** Opaque OAuth tokens: codes, access tokens and refresh tokens, with expiry, rotation and revocation. */
import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import type { Store } from '../../store.ts';
import { randomText, seconds } from '../ids.ts';
import type { TwinError } from '../api/errors.ts';

/** What a person granted: `profiles` are those they chose, `client` is the app if there are several. */
export type Grant = Readonly<{
  person: string;
  scopes: readonly string[];
  profiles: readonly string[];
  client?: string;
}>;

/** Terms of a code: the redirect URI, the PKCE challenge, and whether it yields no refresh token. */
export type CodeTerms = Readonly<{ redirect_uri: string; challenge?: string | undefined; isAccessOnly?: boolean }>;

export type TokenKind = 'code' | 'access' | 'refresh';
export type TokenFlaw = 'unknown' | 'expired' | 'used' | 'revoked' | 'redirect' | 'verifier' | 'client';

export type TokenRules = Readonly<{
  /** Lifetimes in seconds. Without `refresh`, no refresh tokens are issued. */
  lives: Readonly<{ code: number; access: number; refresh?: number }>;
  /** Each refresh issues a new refresh token and uses up the old one. */
  rotates?: boolean;
  /** Each use of a refresh token extends its life. */
  slides?: boolean;
  /** How many refresh tokens a person may have; older ones are revoked. */
  most?: number;
  /** For how many seconds a used refresh token still works. */
  grace?: number;
  /** A rotated refresh token expires when the first one would have. */
  keepsEnd?: boolean;
  starts?: Partial<Readonly<Record<TokenKind, string>>>;
  refuse(kind: TokenKind, flaw: TokenFlaw): TwinError;
}>;

/** What a token endpoint issues; `expires_in` is in seconds. */
export type TokenPair = Readonly<{
  grant: Grant;
  access_token: string;
  expires_in: number;
  refresh_token?: string;
  refresh_expires_in?: number;
}>;

type Row = Readonly<{
  id: string;
  kind: TokenKind;
  person: string;
  json: string;
  expires_at: number;
  used_at: number | null;
  reused: number;
  revoked: 0 | 1;
}>;

const idOf = (token: string) => createHash('sha256').update(token).digest('hex');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Stores the hashes of issued tokens, never the tokens. */
function openTable({ db }: Store, prefix: string) {
  const table = `${prefix}_token`;
  db.exec(`create table if not exists ${table} (
    id text primary key, kind text not null, person text not null, json text not null, expires_at integer not null,
    used_at integer, reused integer not null default 0, revoked integer not null default 0
  ) strict`);
  const insert = db.prepare(`insert into ${table} (id, kind, person, json, expires_at) values (?, ?, ?, ?, ?)`);
  const find = db.prepare(`select * from ${table} where id = ?`);
  const use = db.prepare(`update ${table} set used_at = coalesce(used_at, ?) where id = ?`);
  const reuse = db.prepare(`update ${table} set reused = reused + 1 where id = ?`);
  const expire = db.prepare(`update ${table} set expires_at = ? where person = ? and kind = ? and expires_at > ?`);
  const revoke = db.prepare(
    `update ${table} set revoked = 1 where person = @person
       and (@client is null or json_extract(json, '$.grant.client') = @client)`,
  );
  const extend = db.prepare(`update ${table} set expires_at = ? where id = ?`);
  const revokeOldest = db.prepare(
    `update ${table} set revoked = 1 where person = ? and kind = 'refresh' and rowid not in
       (select rowid from ${table} where person = ? and kind = 'refresh' order by rowid desc limit ?)`,
  );
  const granted = db.prepare(`select json from ${table} where person = ? and kind <> 'code' and revoked = 0`);
  const reused = db.prepare(`select person, kind, reused from ${table} where reused > 0 order by rowid`);
  return Object.freeze({
    insert,
    find: (token: string) => find.get(idOf(token)) as Row | undefined,
    use: (id: string, now: number) => void use.run(now, id),
    reuse: (id: string) => void reuse.run(id),
    expire: (person: string, kind: TokenKind, now: number) => void expire.run(now, person, kind, now),
    revoke: (person: string, client?: string) => void revoke.run({ person, client: client ?? null }),
    extend: (id: string, end: number) => void extend.run(end, id),
    revokeOldest: (person: string, most: number) => void revokeOldest.run(person, person, most),
    granted: (person: string) => granted.all(person) as Pick<Row, 'json'>[],
    reused: () => reused.all() as Pick<Row, 'person' | 'kind' | 'reused'>[],
    reset: () => void db.exec(`delete from ${table}`),
  });
}

const grantOf = ({ json }: Pick<Row, 'json'>) => (JSON.parse(json) as { grant: Grant }).grant;

const grantIn = (row: Row | undefined) => row && grantOf(row);

export function openTokens(store: Store, prefix: string, clock: Clock, rules: TokenRules) {
  const { lives, starts = {}, rotates = false, slides = false, most, grace = 0, keepsEnd = false, refuse } = rules;
  const rows = openTable(store, prefix);

  function issue(kind: TokenKind, grant: Grant, expires_at: number, terms?: CodeTerms): string {
    const token = `${starts[kind] ?? ''}${randomText(32)}`;
    rows.insert.run(idOf(token), kind, grant.person, JSON.stringify({ grant, terms }), expires_at);
    return token;
  }

  /** Returns a valid token. A used one stays valid for `after` seconds; using it later is recorded and refused. */
  function valid(kind: TokenKind, token: string, after: number, client?: string): Row {
    const now = clock.now();
    const row = rows.find(token);
    if (row === undefined || row.kind !== kind) throw refuse(kind, 'unknown');
    if (client !== undefined && grantOf(row).client !== client) throw refuse(kind, 'client');
    if (row.revoked === 1) throw refuse(kind, 'revoked');
    if (row.used_at !== null && row.used_at + after * 1000 <= now) {
      rows.reuse(row.id);
      throw refuse(kind, 'used');
    }
    if (row.expires_at <= now) throw refuse(kind, 'expired');
    return row;
  }

  function accessFor(grant: Grant): TokenPair {
    const access_token = issue('access', grant, clock.now() + lives.access * 1000);
    return { grant, access_token, expires_in: lives.access };
  }
  function pair(grant: Grant, refresh_token?: string, ends?: number): TokenPair {
    const now = clock.now();
    const answer = accessFor(grant);
    if (lives.refresh === undefined) return answer;
    const end = ends ?? now + lives.refresh * 1000;
    const next = refresh_token ?? issue('refresh', grant, end);
    if (most !== undefined) rows.revokeOldest(grant.person, most);
    return { ...answer, refresh_token: next, refresh_expires_in: seconds(end - now) };
  }

  function endOf({ id, expires_at }: Row): number {
    if (!slides || lives.refresh === undefined) return expires_at;
    const end = clock.now() + lives.refresh * 1000;
    rows.extend(id, end);
    return end;
  }

  return Object.freeze({
    code: (grant: Grant, terms: CodeTerms): string =>
      store.write(() => issue('code', grant, clock.now() + lives.code * 1000, terms)),
    redeem(
      code: string,
      { redirect_uri, verifier, client }: Readonly<{ redirect_uri: string; verifier?: string; client?: string }>,
    ): TokenPair {
      // Outside the transaction, whose end would take back the record of a second use.
      const row = valid('code', code, 0, client);
      return store.write(() => {
        const { terms } = JSON.parse(row.json) as { terms: CodeTerms };
        if (terms.redirect_uri !== redirect_uri) throw refuse('code', 'redirect');
        if (terms.challenge !== undefined && !safeEqual(challengeOf(verifier ?? ''), terms.challenge))
          throw refuse('code', 'verifier');
        rows.use(row.id, clock.now());
        return terms.isAccessOnly === true ? accessFor(grantOf(row)) : pair(grantOf(row));
      });
    },
    refresh(token: string, client?: string): TokenPair {
      const row = valid('refresh', token, grace, client);
      return store.write(() => {
        if (!rotates) return pair(grantOf(row), token, endOf(row));
        rows.use(row.id, clock.now());
        return pair(grantOf(row), undefined, keepsEnd ? row.expires_at : undefined);
      });
    },
    grantOf: (token: string): Grant => grantOf(valid('access', token, 0)),
    granted(person: string): readonly string[] | undefined {
      const grants = rows.granted(person).map(grantOf);
      return grants.length === 0 ? undefined : [...new Set(grants.flatMap(({ scopes }) => scopes))];
    },
    /** The person and expiry of a valid access or refresh token. */
    holder(token: string): Readonly<{ person: string; expires_at: number }> | undefined {
      const row = rows.find(token);
      const isGood = row !== undefined && row.kind !== 'code' && row.revoked === 0 && row.expires_at > clock.now();
      return isGood ? { person: row.person, expires_at: row.expires_at } : undefined;
    },
    givenFor: (token: string): Grant | undefined => grantIn(rows.find(token)),
    /** The person a token belongs to, even if it is no longer valid. */
    personOf: (token: string): string | undefined => rows.find(token)?.person,
    /** Issues tokens without a consent page, for people to enter in a form. */
    pairFor: (grant: Grant): TokenPair => store.write(() => pair(grant)),
    expire: (person: string, kind: TokenKind = 'access') => rows.expire(person, kind, clock.now()),
    revoke: rows.revoke,
    reused: rows.reused,
    reset: rows.reset,
  });
}
