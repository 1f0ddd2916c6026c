import { scrub } from '../log.ts';

const LONGEST = 300;
/** Controls, and what is not seen or changes the direction of what is: format characters, with those of tags. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Words that a platform wrote, fit to be shown: one short line, without secrets and characters that nobody sees. */
export function foreignText(text: string): string {
  const line = text.toWellFormed().replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return scrub(line).slice(0, LONGEST).toWellFormed();
}
