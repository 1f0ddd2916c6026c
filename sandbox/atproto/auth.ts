import { randomBytes } from 'node:crypto';
import { HOUR, DAY, type Clock } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import { readJwt, signJwt } from '../kit/oauth/jwt.ts';
import { bearerOf } from '../kit/oauth/secrets.ts';
import type { Store } from '../store.ts';
import { object } from '../kit/api/checks.ts';
import { text } from './formats.ts';
import { didDocument, emailOf, type People, type Person } from './people.ts';
import { invalid, procedure, query, required, unauthorised, type Method, type Session } from './xrpc.ts';

const ACCESS_LIFE = 2 * HOUR;
const REFRESH_LIFE = 90 * DAY;
/** How long a used refresh token still works, so that a lost response does not end the session. */
const GRACE = 2 * HOUR;

const ORDINARY = 'com.atproto.appPass';
const PRIVILEGED = 'com.atproto.appPassPrivileged';
const REFRESH = 'com.atproto.refresh';
const SERVER_DID = 'did:web:sandbox.test';

type RefreshRow = { jti: string; did: string; scope: string; expires_at: number; next_jti: string | null };

export type Auth = Readonly<{
  methods: Readonly<Record<string, Method>>;
  /** Returns the caller of an Authorization header, or throws the protocol's error. */
  authenticate(authorization: string | undefined, kind: 'access' | 'refresh'): Session;
  reset(): void;
}>;

type TokenType = 'at+jwt' | 'refresh+jwt';
type Claims = Readonly<{ sub: string; scope: string; exp: number; jti?: string; grant?: number }>;

const newJti = () => randomBytes(32).toString('base64');

function makeTokens(clock: Clock, people: People, secret: Buffer) {
  function pair(person: Person, scope: string, jti: string): { accessJwt: string; refreshJwt: string } {
    const now = clock.now();
    const iat = Math.floor(now / 1000);
    const shared = { sub: person.did, iat, aud: SERVER_DID, grant: person.grant_no };
    return {
      accessJwt: signJwt(secret, 'at+jwt', { ...shared, scope, exp: iat + ACCESS_LIFE / 1000 }),
      refreshJwt: signJwt(secret, 'refresh+jwt', { ...shared, scope: REFRESH, jti, exp: iat + REFRESH_LIFE / 1000 }),
    };
  }

  function claimsOf(token: string, typ: TokenType): Claims {
    const read = readJwt(secret, token);
    if (read === undefined) throw invalid('Token could not be verified', 'InvalidToken');
    if (read.typ !== typ) throw invalid('Invalid token type', 'InvalidToken');
    return read.claims as Claims;
  }

  function authenticate(authorization: string | undefined, kind: 'access' | 'refresh'): Session {
    const token = bearerOf(authorization ?? '');
    if (authorization === undefined || authorization === '') throw unauthorised(undefined, 'AuthMissing');
    if (token === undefined) throw invalid('Unexpected authorization type', 'InvalidToken');
    const claims = claimsOf(token, kind === 'access' ? 'at+jwt' : 'refresh+jwt');
    if (claims.exp * 1000 <= clock.now()) throw invalid('Token has expired', 'ExpiredToken');
    const scopes = kind === 'access' ? [ORDINARY, PRIVILEGED] : [REFRESH];
    if (!scopes.includes(claims.scope)) throw invalid('Bad token scope', 'InvalidToken');
    const person = people.byDid(claims.sub);
    if (person === undefined || claims.grant !== person.grant_no)
      throw kind === 'access'
        ? invalid('Token has expired', 'ExpiredToken')
        : invalid('Token has been revoked', 'ExpiredToken');
    return { did: person.did, scope: claims.scope, privileged: claims.scope === PRIVILEGED, jti: claims.jti };
  }

  return Object.freeze({ pair, authenticate });
}

const describeServer = query({
  run: () => ({
    json: {
      did: SERVER_DID,
      availableUserDomains: ['.sandbox.test'],
      inviteCodeRequired: false,
      phoneVerificationRequired: false,
      links: {},
      contact: {},
    },
  }),
});

function makeIdentity(people: People, base: () => string) {
  const personOf = (did: string): Person => {
    const person = people.byDid(did);
    if (person === undefined) throw unauthorised();
    return person;
  };

  const described = (person: Person) => ({
    did: person.did,
    handle: person.handle,
    email: emailOf(person),
    emailConfirmed: true,
    didDoc: didDocument(person, base()),
    active: true,
  });

  const getSession = query({
    auth: 'access',
    run: ({ session }) => ({ json: { ...described(personOf(session.did)), emailAuthFactor: false } }),
  });

  const resolveHandle = query({
    run({ params }) {
      const person = people.find(required(params, 'handle'));
      if (person === undefined) throw invalid('Unable to resolve handle');
      return { json: { did: person.did } };
    },
  });

  return Object.freeze({ personOf, described, getSession, resolveHandle });
}

export function openAuth(
  { store, clock }: Readonly<{ store: Store; clock: Clock }>,
  network: string,
  people: People,
  base: () => string,
): Auth {
  const { db, write } = store;
  db.exec(`create table if not exists bsky_refresh (
    jti text primary key, did text not null, scope text not null, expires_at integer not null, next_jti text
  ) strict`);
  const secret = store.secret(`${network} jwt`);
  const insert = db.prepare(
    'insert into bsky_refresh (jti, did, scope, expires_at) values (?, ?, ?, ?) on conflict do nothing',
  );
  const find = db.prepare('select * from bsky_refresh where jti = ?');
  const rotateAway = db.prepare('update bsky_refresh set next_jti = ?, expires_at = ? where jti = ?');
  const forget = db.prepare('delete from bsky_refresh where jti = ? or next_jti = ?');
  const sweep = db.prepare('delete from bsky_refresh where expires_at <= ?');

  const { pair, authenticate } = makeTokens(clock, people, secret);

  const { personOf, described, getSession, resolveHandle } = makeIdentity(people, base);

  const createSession = procedure<{ identifier: string; password: string }>({
    auth: 'none',
    check: object({ identifier: text({ bytes: 512 }), password: text({ bytes: 512 }) }, { authFactorToken: text() }),
    about: ({ input }) => people.find(input.identifier)?.did,
    note: ({ input }) => (people.find(input.identifier) === undefined ? 'nobody here' : input.identifier),
    charges: ({ input }) => {
      const key = people.find(input.identifier)?.did ?? input.identifier.toLowerCase();
      return [
        { name: 'log-in', key, limit: 30, window_s: 300, points: 1 },
        { name: 'log-in day', key, limit: 300, window_s: 86_400, points: 1 },
      ];
    },
    run({ input }) {
      const person = people.find(input.identifier);
      const privileged = person !== undefined && safeEqual(input.password, person.privileged_app_password);
      const ordinary = person !== undefined && safeEqual(input.password, person.app_password);
      if (person === undefined || !(privileged || ordinary)) throw unauthorised('Invalid identifier or password');
      const scope = privileged ? PRIVILEGED : ORDINARY;
      const jti = newJti();
      write(() => {
        sweep.run(clock.now());
        insert.run(jti, person.did, scope, clock.now() + REFRESH_LIFE);
      });
      return { json: { ...described(person), emailAuthFactor: false, ...pair(person, scope, jti) } };
    },
  });

  const refreshSession = procedure<undefined>({
    auth: 'refresh',
    body: 'none',
    run({ session }) {
      const person = personOf(session.did);
      const rotated = write(() => {
        const now = clock.now();
        const row = find.get(session.jti ?? '') as RefreshRow | undefined;
        if (row === undefined || row.expires_at <= now) return undefined;
        const next = row.next_jti ?? newJti();
        rotateAway.run(next, Math.min(row.expires_at, now + GRACE), row.jti);
        insert.run(next, row.did, row.scope, now + REFRESH_LIFE);
        return { scope: row.scope, jti: next };
      });
      if (rotated === undefined) throw invalid('Token has been revoked', 'ExpiredToken');
      return { json: { ...described(person), ...pair(person, rotated.scope, rotated.jti) } };
    },
  });

  const deleteSession = procedure<undefined>({
    auth: 'refresh',
    body: 'none',
    run({ session }) {
      const jti = session.jti ?? '';
      write(() => void forget.run(jti, jti));
      return {};
    },
  });

  return Object.freeze({
    methods: Object.freeze({
      'com.atproto.server.createSession': createSession,
      'com.atproto.server.refreshSession': refreshSession,
      'com.atproto.server.deleteSession': deleteSession,
      'com.atproto.server.getSession': getSession,
      'com.atproto.server.describeServer': describeServer,
      'com.atproto.identity.resolveHandle': resolveHandle,
    }),
    authenticate,
    reset: () => void db.exec('delete from bsky_refresh'),
  });
}
