import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { json, OutboundError, type Outbound } from './request.ts';

/** Keys this old are read again, so that one the host takes back ends. */
const FRESH_MS = 10 * 60_000;
/** What a host said last holds this long while it does not answer: its short outages sign nobody out. */
const KEPT_MS = 60 * 60_000;
/** The host is asked, and its failure logged, at most this often, whoever sends whatever. */
const ASK_MS = 60_000;
const MAX_BYTES = 65_536;

export type Keys = ReturnType<typeof createLocalJWKSet>;

export type KeySetDeps = Readonly<{
  clock: Clock;
  log: Log;
  outbound: Pick<Outbound, 'send'>;
  jwksUrl: string;
  deadlineMs: number;
}>;

/** The public keys of an identity host, as far as they are known; nothing here fails. */
export function makeKeySet({ clock, log, outbound, jwksUrl, deadlineMs }: KeySetDeps) {
  let known: Keys | undefined;
  let readAt = -Infinity;
  let askedAt = -Infinity;
  let pendingRequest: Promise<void> | undefined;

  /** A clock that was set back makes everything old: no waiting for a time that comes again. */
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
      given: true,
      deadlineMs,
      maxBytes: MAX_BYTES,
      overflow: 'refuse',
      redirects: 0,
      pathTemplate: '(identity keys)',
    });
    if (answer.status !== 200) {
      const because = `it answered ${answer.status}`;
      throw new OutboundError('protocol', new URL(jwksUrl).host, { sent: true, because });
    }
    return createLocalJWKSet(json(answer) as JSONWebKeySet);
  }

  async function ask(): Promise<void> {
    askedAt = clock.now();
    try {
      known = await read();
      readAt = askedAt;
    } catch (error) {
      log.warn({ error }, 'keys of the identity host not read; those known before hold for an hour');
    }
  }

  /** Whoever comes while the host is being asked waits for the same answer. */
  async function askAgain(): Promise<void> {
    if (pendingRequest === undefined && ageOf(askedAt) >= ASK_MS)
      pendingRequest = ask().finally(() => (pendingRequest = undefined));
    await pendingRequest;
  }

  const usable = () => (ageOf(readAt) < KEPT_MS ? known : undefined);

  return Object.freeze({
    /** The keys; undefined when the host has not answered for too long. */
    async current(): Promise<Keys | undefined> {
      if (ageOf(readAt) >= FRESH_MS) await askAgain();
      return usable();
    },
    /** The keys after a look for newer ones; the same object when there was nothing to learn yet. */
    async renewed(): Promise<Keys | undefined> {
      await askAgain();
      return usable();
    },
  });
}
