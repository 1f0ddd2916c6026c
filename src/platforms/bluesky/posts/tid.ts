import { createHash, randomInt } from 'node:crypto';

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz';
const CLOCK_IDS = 1024;
const LENGTH = 13;
/** The pattern of a key; the first character includes the sign bit, which is always 0. */
const TID = /^[234567a-j][234567a-z]{12}$/;

/** Makes unique record keys that sort by time; the clock id separates generators. */
export function makeTids(clockId: number): (now: number) => string {
  let last = 0;
  return function nextTid(now) {
    last = Math.max(last + 1, Math.trunc(now * 1000));
    return write(BigInt(last) * BigInt(CLOCK_IDS) + BigInt(clockId % CLOCK_IDS));
  };
}

export const nextTid = makeTids(randomInt(CLOCK_IDS));

/** The record key of our like of a post; it is always the same, so that repeated likes write one record. */
export function likeKey(uri: string): string {
  const bits = createHash('sha256').update(uri).digest().readBigUInt64BE() >> 1n;
  const key = uri.slice(uri.lastIndexOf('/') + 1);
  const mask = BigInt(CLOCK_IDS - 1);
  return write(TID.test(key) ? (read(key) & ~mask) | (bits & mask) : bits);
}

function write(value: bigint): string {
  let tid = '';
  for (let left = value, i = 0; i < LENGTH; i++, left >>= 5n) tid = ALPHABET[Number(left & 31n)]! + tid;
  return tid;
}

function read(tid: string): bigint {
  return Array.from(tid).reduce((value, char) => value * 32n + BigInt(ALPHABET.indexOf(char)), 0n);
}
