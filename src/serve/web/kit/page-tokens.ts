import { createHmac, type KeyObject } from 'node:crypto';
import { randomHex } from '#kernel/ids.ts';
import { safeEqual } from '#kernel/sign.ts';

const NONCE_DIGITS = 32;
const PROOF_DIGITS = 32;
const TOKEN = /^[0-9a-f]{64}$/;

/** Tokens that prove that somebody read a page about `subject`. All differ, so compressed sizes do not reveal them. */
export function makeTokens(key: KeyObject) {
  const proofOf = (nonce: string, subject: string) =>
    createHmac('sha256', key).update(`${nonce} ${subject}`).digest('hex').slice(0, PROOF_DIGITS);

  return Object.freeze({
    issue(subject: string): string {
      const nonce = randomHex(NONCE_DIGITS / 2);
      return nonce + proofOf(nonce, subject);
    },
    isFor(subject: string, token: string): boolean {
      if (!TOKEN.test(token)) return false;
      return safeEqual(token.slice(NONCE_DIGITS), proofOf(token.slice(0, NONCE_DIGITS), subject));
    },
  });
}
