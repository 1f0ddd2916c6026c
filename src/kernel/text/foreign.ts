import { scrub } from '../log.ts';
import { UNSEEN } from './blank.ts';
import { cut } from './length.ts';

const LONGEST = 300;
const GAP = new RegExp(String.raw`[${UNSEEN}\p{White_Space}]+`, 'gv');

/** Makes a platform's text fit for display: one short line without secrets or invisible characters. */
export function foreignText(text: string): string {
  const line = text.toWellFormed().replaceAll(GAP, ' ').trim();
  return cut(scrub(line), LONGEST);
}
