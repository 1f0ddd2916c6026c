import { generateKeySync } from 'node:crypto';
import { makeLists } from '#kernel/pagination.ts';

/** Lists of modules that a test puts together by hand. */
export const lists = makeLists(generateKeySync('hmac', { length: 256 }));
