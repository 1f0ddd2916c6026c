import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../xrpc/check.ts';
import { invalid } from '../xrpc/xrpc.ts';

export type TokenKind = 'at+jwt' | 'refresh+jwt';
export type Claims = Readonly<{
  sub: string;
  scope: string;
  exp: number;
  jti?: string | undefined;
  grant?: number | undefined;
}>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const mac = (secret: Buffer, signed: string) => createHmac('sha256', secret).update(signed).digest();

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A signed HS256 token. */
export function signToken(secret: Buffer, kind: TokenKind, claims: object): string {
  const signed = `${encode({ typ: kind, alg: 'HS256' })}.${encode(claims)}`;
  return `${signed}.${mac(secret, signed).toString('base64url')}`;
}

/** The claims of a token whose signature holds; its age is judged by the caller, its kind here. */
export function readToken(secret: Buffer, kind: TokenKind, token: string): Claims {
  const unverified = invalid('Token could not be verified', 'InvalidToken');
  const [head, body, signature, ...more] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) throw unverified;
  const given = Buffer.from(signature, 'base64url');
  const right = mac(secret, `${head}.${body}`);
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw unverified;
  const header = decode(head);
  const claims = decode(body);
  if (!isObject(header) || !isObject(claims) || header['alg'] !== 'HS256') throw unverified;
  if (header['typ'] !== kind) throw invalid('Invalid token type', 'InvalidToken');
  return claims as Claims;
}
