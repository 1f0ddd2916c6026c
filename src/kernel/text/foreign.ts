import { scrub } from '../log.ts';
import { UNSEEN } from './blank.ts';

const LONGEST = 300;
const GAP = new RegExp(String.raw`[${UNSEEN}\p{White_Space}]+`, 'gv');

/** Words that a platform wrote, fit to be shown: one short line, without secrets and characters that nobody sees. */
export function foreignText(text: string): string {
  const line = text.toWellFormed().replaceAll(GAP, ' ').trim();
  return scrub(line).slice(0, LONGEST).toWellFormed();
}
