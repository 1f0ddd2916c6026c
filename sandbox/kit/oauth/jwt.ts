import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { safeEqual } from '#kernel/sign.ts';
import { isObject } from '../api/checks.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const mac = (secret: Buffer, signed: string) => createHmac('sha256', secret).update(signed).digest('base64url');

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Signs an HS256 token; `typ` says what kind of token it is. */
export function signJwt(secret: Buffer, typ: string, claims: object): string {
  const signed = `${encode({ typ, alg: 'HS256' })}.${encode(claims)}`;
  return `${signed}.${mac(secret, signed)}`;
}

export function makeSigner(kid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return Object.freeze({
    keys: () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' }] }),
    sign(claims: object): string {
      const signed = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
  });
}

/** Returns the type and claims if the signature is valid; the caller has to check the expiry. */
export function readJwt(
  secret: Buffer,
  token: string,
): Readonly<{ typ: unknown; claims: Record<string, unknown> }> | undefined {
  const [head, body, signature, ...more] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined;
  if (!safeEqual(signature, mac(secret, `${head}.${body}`))) return undefined;
  const [header, claims] = [decode(head), decode(body)];
  if (!isObject(header) || !isObject(claims) || header['alg'] !== 'HS256') return undefined;
  return { typ: header['typ'], claims };
}
