import { randomBytes } from 'node:crypto';

/** The kinds of objects that have ids; the prefix helps people who read logs and is never parsed. */
export type IdKind =
  | 'ws'
  | 'usr'
  | 'brd'
  | 'key'
  | 'acc'
  | 'act'
  | 'aud'
  | 'app'
  | 'chk'
  | 'con'
  | 'pc'
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
  | 'rdr'
  | 'inv'
  | 'page'
  | 'ipost'
  | 'conv'
  | 'push'
  | 'snd'
  | 'exp'
  | 'mig'
  | 'srp'
  | 'ivt'
  | 'mail';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The random part is stored as two halves of 40 bits, so that arithmetic on them is exact and fast. */
const HALF = 2 ** 40;
let lastTime = 0;
let high = 0;
let low = 0;
let time = '';
let upper = '';

function base32(value: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[value % 32] + text;
    value = Math.floor(value / 32);
  }
  return text;
}

/** A new opaque id of prefix, time and 80 random bits; the ids of a process sort by creation. */
export function newId(kind: IdKind, now: number): string {
  // A time before that of the last id is treated as equal to it, because work with an older `now` may run too.
  if (now <= lastTime) {
    low += 1;
    if (low === HALF) {
      low = 0;
      high = (high + 1) % HALF;
      upper = base32(high, 8);
    }
  } else {
    lastTime = now;
    // Half of the range stays free for further ids with the same time.
    high = Math.floor(randomNumber() / 2);
    low = randomNumber();
    time = base32(lastTime, 10);
    upper = base32(high, 8);
  }
  return `${kind}_${time}${upper}${base32(low, 8)}`;
}

/** A random number below HALF. */
const randomNumber = () => Number.parseInt(randomHex(5), 16);

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let taken = 0;

/** Random bytes in hexadecimal, taken from a pool because a system call costs as much as a small query. */
export function randomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, bytes));
    taken = 0;
  }
  const text = pool.toString('hex', taken, taken + bytes);
  // Bytes are erased from the pool once returned, because they may become a secret.
  pool.fill(0, taken, (taken += bytes));
  return text;
}
