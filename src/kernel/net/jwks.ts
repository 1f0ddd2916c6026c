import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTVerifyResult } from 'jose';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { json, OutboundError, type Outbound } from './request.ts';

/** Keys older than this are fetched again, so that a withdrawn key stops working. */
const FRESH_MS = 10 * 60_000;
/** How long keys are used while the issuer is unreachable, so that short outages sign nobody out. */
const KEPT_MS = 60 * 60_000;
/** The shortest time between two requests to the issuer, and so between two logged failures. */
const REFETCH_MS = 60_000;
const MAX_BYTES = 65_536;
/** Asymmetric algorithms only: with a shared secret, the verifier itself could sign tokens. */
const ALGORITHMS = ['EdDSA', 'ES256', 'RS256', 'PS256'];
const LEEWAY_S = 30;

type Keys = ReturnType<typeof createLocalJWKSet>;

export type KeySetDeps = Readonly<{
  clock: Clock;
  log: Log;
  outbound: Pick<Outbound, 'send'>;
  jwksUrl: string;
  /** True if the URL comes from a setting and must pass the address guard; false for a connector's own URL. */
  given: boolean;
  /** The name of the issuer in the log. */
  owner: string;
  deadlineMs: number;
}>;

/** Caches the public keys of a JWT issuer; if they cannot be read, that is only logged. */
function makeKeySet({ clock, log, outbound, jwksUrl, given, owner, deadlineMs }: KeySetDeps) {
  let known: Keys | undefined;
  let readAt = -Infinity;
  let fetchedAt = -Infinity;
  let pendingRequest: Promise<void> | undefined;

  /** The age of a time; Infinity if the clock was set back, so that nothing waits for a time to come again. */
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

  /** Fetches the keys unless that was done recently; concurrent callers share one request. */
  async function fetchKeysAgain(): Promise<void> {
    if (pendingRequest === undefined && ageOf(fetchedAt) >= REFETCH_MS)
      pendingRequest = fetchKeys().finally(() => (pendingRequest = undefined));
    await pendingRequest;
  }

  const usable = () => (ageOf(readAt) < KEPT_MS ? known : undefined);

  return Object.freeze({
    /** The keys; undefined if the issuer has been unreachable for too long. */
    async current(): Promise<Keys | undefined> {
      if (ageOf(readAt) >= FRESH_MS) await fetchKeysAgain();
      return usable();
    },
    /** The keys after looking for newer ones; the same object if nothing was fetched. */
    async renewed(): Promise<Keys | undefined> {
      await fetchKeysAgain();
      return usable();
    },
  });
}

export type JwtExpectation = Readonly<{ issuer: string | string[]; audience: string }>;

/** Verifies JWTs of one issuer; the result is undefined unless signature, claims and expiry are valid. */
export function makeJwtVerifier(deps: KeySetDeps) {
  const { clock } = deps;
  const keySet = makeKeySet(deps);

  /** Returns `unsigned` if none of these keys made the signature. */
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

/** Verifies JWTs of any issuer whose key set a connector names. */
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

/** Whether the error is about the token; for a malformed key, Web Crypto throws an error of another class. */
function isOfToken(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
}
