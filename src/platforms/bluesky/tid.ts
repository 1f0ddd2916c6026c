import { randomInt } from 'node:crypto';

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz';
const CLOCK_IDS = 1024;

/** Makes record keys that sort by time and never repeat: of one maker by the clock, of two by the clock id. */
export function makeTids(clockId: number): (now: number) => string {
  let last = 0;
  return function nextTid(now) {
    last = Math.max(last + 1, Math.trunc(now * 1000));
    let left = BigInt(last) * BigInt(CLOCK_IDS) + BigInt(clockId % CLOCK_IDS);
    let tid = '';
    for (let i = 0; i < 13; i++) {
      tid = ALPHABET[Number(left & 31n)]! + tid;
      left >>= 5n;
    }
    return tid;
  };
}

/** The next record key of this process. */
export const nextTid = makeTids(randomInt(CLOCK_IDS));
