import { randomBytes } from 'node:crypto';

/** What an id may belong to; the prefix is for people reading logs, never parsed. */
export type IdKind =
  | 'ws'
  | 'usr'
  | 'brd'
  | 'key'
  | 'acc'
  | 'con'
  | 'post'
  | 'tgt'
  | 'med'
  | 'evt'
  | 'log'
  | 'plog'
  | 'job'
  | 'whk'
  | 'dlv'
  | 'att'
  | 'rdr';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
let lastTime = 0;
let lastRandom = 0n;

function base32(value: bigint, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}

/** A new opaque id: prefix, time and 80 random bits; ids of one process sort in the order they were made. */
export function newId(kind: IdKind, now: number): string {
  // An earlier instant than the last counts as the last one: work that keeps one `now` goes on beside newer ids.
  if (now <= lastTime) {
    lastRandom = (lastRandom + 1n) & ((1n << 80n) - 1n);
  } else {
    lastTime = now;
    lastRandom = BigInt('0x' + randomBytes(10).toString('hex')) >> 1n;
  }
  return `${kind}_${base32(BigInt(lastTime), 10)}${base32(lastRandom, 16)}`;
}

/** A random secret of `bytes` bytes as lower-case hex. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
