import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';

function hmac(secret: string, message: Uint8Array | string, prefix = ''): string {
  const keyed = createHmac('sha256', secret);
  // Each update is a call out of JavaScript.
  if (typeof message === 'string') keyed.update(prefix + message);
  else keyed.update(prefix).update(message);
  return 'sha256=' + keyed.digest('hex');
}

/** The V2 webhook signature: timestamp, a dot and the raw body, keyed with the secret's own characters (catalogues §6). */
export function signV2(secret: string, timestamp: string, body: Uint8Array | string): string {
  return hmac(secret, body, timestamp + '.');
}

/** The legacy webhook signature over the raw body alone. */
export function signLegacy(secret: string, body: Uint8Array | string): string {
  return hmac(secret, body);
}

/** Lower-case hex SHA-256. */
export function sha256(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** Compares two secrets in constant time, whatever their lengths. */
export function safeEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
