import { createHash, createHmac, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

/** How an HMAC signature is calculated and encoded. */
export type SignatureScheme = Readonly<{
  algorithm: 'sha256' | 'sha1';
  encoding: 'hex' | 'base64' | 'base64url';
  /** The prefix of the header's value, such as `sha256=`. */
  prefix?: string;
}>;

type SignedPart = Uint8Array | string;

export function hmacOf(
  { algorithm, encoding, prefix = '' }: SignatureScheme,
  secret: string,
  ...parts: readonly SignedPart[]
): string {
  const keyed = createHmac(algorithm, secret);
  for (const part of parts) keyed.update(part);
  return prefix + keyed.digest(encoding);
}

/** Whether one of the secrets signed these parts, compared in constant time; an empty secret never matches. */
export function hmacMatches(
  scheme: SignatureScheme,
  given: string,
  secrets: readonly string[],
  ...parts: readonly SignedPart[]
): boolean {
  return secrets.some((secret) => secret !== '' && safeEqual(given, hmacOf(scheme, secret, ...parts)));
}

const WEBHOOK: SignatureScheme = Object.freeze({ algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' });

/** The V2 webhook signature, over the timestamp, a dot and the raw body. */
export function signV2(secret: string, timestamp: string, body: Uint8Array | string): string {
  const opening = timestamp + '.';
  // A text is passed as one part, because each part costs a call from JavaScript to native code.
  return typeof body === 'string' ? hmacOf(WEBHOOK, secret, opening + body) : hmacOf(WEBHOOK, secret, opening, body);
}

/** The legacy webhook signature, over the raw body only. */
export function signLegacy(secret: string, body: Uint8Array | string): string {
  return hmacOf(WEBHOOK, secret, body);
}

export function sha256(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** Compares secrets of any length in constant time. */
export function safeEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

type Claims = readonly (string | number)[];

/** Signs claims as a token in a URL, valid only for `method`, and reads them again. */
export function makeClaimSigner(key: KeyObject, method: string) {
  const mac = (claims: string) => createHmac('sha256', key).update(`${method}\n${claims}`).digest('base64url');
  return {
    sign(claims: Claims): string {
      const packed = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${packed}.${mac(packed)}`;
    },
    /** Reads the claims of a token after checking its signature; undefined if that is wrong. */
    open(token: string): Claims | undefined {
      const [packed = '', signature = ''] = token.split('.');
      if (!safeEqual(signature, mac(packed))) return undefined;
      return JSON.parse(Buffer.from(packed, 'base64url').toString('utf8')) as Claims;
    },
  };
}
