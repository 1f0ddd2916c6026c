import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTVerifyResult } from 'jose';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { json, OutboundError, type Outbound } from './request.ts';

/** Older keys are fetched again, so that a withdrawn one stops working. */
const FRESH_MS = 10 * 60_000;
/** Keys stay valid this long while the issuer is unreachable: short outages sign nobody out. */
const KEPT_MS = 60 * 60_000;
/** The least time between requests to the issuer, and between logged failures. */
const REFETCH_MS = 60_000;
const MAX_BYTES = 65_536;
/** Signatures that only the issuer can make: with a shared secret, the verifier could sign too. */
const ALGORITHMS = ['EdDSA', 'ES256', 'RS256', 'PS256'];
const LEEWAY_S = 30;

type Keys = ReturnType<typeof createLocalJWKSet>;

export type KeySetDeps = Readonly<{
  clock: Clock;
  log: Log;
  outbound: Pick<Outbound, 'send'>;
  jwksUrl: string;
  /** The URL comes from a setting, so the address guard checks it; that of a connector is its own, or a simulator's. */
  given: boolean;
  /** For the log. */
  owner: string;
  deadlineMs: number;
}>;

/** The cached public keys of an issuer of JWTs; nothing here fails. */
function makeKeySet({ clock, log, outbound, jwksUrl, given, owner, deadlineMs }: KeySetDeps) {
  let known: Keys | undefined;
  let readAt = -Infinity;
  let fetchedAt = -Infinity;
  let pendingRequest: Promise<void> | undefined;

  /** If the clock was set back everything is old: no waiting for a time that comes again. */
  function ageOf(at: number): number {
    const age = clock.now() - at;
    return age < 0 ? Infinity : age;
  }

  async function read(): Promise<Keys> {
    const answer = await outbound.send({
      method: 'GET',
      url: jwksUrl,
      headers: { accept: 'application/jwk-set+json, application/json' },
      purpose: 'metadata',
      given,
      deadlineMs,
      maxBytes: MAX_BYTES,
      overflow: 'refuse',
      redirects: 0,
      pathTemplate: '(key set)',
    });
    if (answer.status !== 200) {
      const because = `it answered ${answer.status}`;
      throw new OutboundError('protocol', new URL(jwksUrl).host, { sent: true, because });
    }
    return createLocalJWKSet(json(answer) as JSONWebKeySet);
  }

  async function fetchKeys(): Promise<void> {
    fetchedAt = clock.now();
    try {
      known = await read();
      readAt = fetchedAt;
    } catch (error) {
      log.warn({ error }, `keys of ${owner} not read; those known before hold for an hour`);
    }
  }

  /** Concurrent callers share one request. */
  async function fetchKeysAgain(): Promise<void> {
    if (pendingRequest === undefined && ageOf(fetchedAt) >= REFETCH_MS)
      pendingRequest = fetchKeys().finally(() => (pendingRequest = undefined));
    await pendingRequest;
  }

  const usable = () => (ageOf(readAt) < KEPT_MS ? known : undefined);

  return Object.freeze({
    /** Undefined when the issuer has been unreachable for too long. */
    async current(): Promise<Keys | undefined> {
      if (ageOf(readAt) >= FRESH_MS) await fetchKeysAgain();
      return usable();
    },
    /** The keys after a check for newer ones; the same object if nothing was fetched. */
    async renewed(): Promise<Keys | undefined> {
      await fetchKeysAgain();
      return usable();
    },
  });
}

export type JwtExpectation = Readonly<{ issuer: string | string[]; audience: string }>;

/** Verifies JWTs of one issuer; undefined unless signature, claims and expiry are right. */
export function makeJwtVerifier(deps: KeySetDeps) {
  const { clock } = deps;
  const keySet = makeKeySet(deps);

  /** `unsigned`: none of these keys made the signature. */
  async function check(token: string, keys: Keys | undefined, { issuer, audience }: JwtExpectation) {
    if (keys === undefined) return 'unsigned';
    const options = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: LEEWAY_S,
      currentDate: new Date(clock.now()),
    };
    try {
      return await jwtVerify(token, keys, options);
    } catch (error) {
      const { JWKSNoMatchingKey, JWSSignatureVerificationFailed } = errors;
      if (error instanceof JWKSNoMatchingKey || error instanceof JWSSignatureVerificationFailed) return 'unsigned';
      if (isOfToken(error)) return undefined;
      throw error;
    }
  }

  return async function verify(token: string, expected: JwtExpectation): Promise<JWTVerifyResult | undefined> {
    const known = await keySet.current();
    const first = await check(token, known, expected);
    if (first !== 'unsigned') return first;
    const renewed = await keySet.renewed();
    const second = renewed === known ? 'unsigned' : await check(token, renewed, expected);
    return second === 'unsigned' ? undefined : second;
  };
}

/** Verifies JWTs of any issuer that a connector names by its key set. */
export function makeJwtVerifiers(deps: Omit<KeySetDeps, 'jwksUrl' | 'given'>) {
  const verifiers = new Map<string, ReturnType<typeof makeJwtVerifier>>();

  return async function verify(
    token: string,
    { jwksUrl, ...expected }: JwtExpectation & Readonly<{ jwksUrl: string }>,
  ) {
    const known = verifiers.get(jwksUrl) ?? makeJwtVerifier({ ...deps, jwksUrl, given: false });
    verifiers.set(jwksUrl, known);
    return (await known(token, expected))?.payload;
  };
}

/** Web Crypto refuses a malformed key of the issuer with an exception of its own. */
function isOfToken(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
}
