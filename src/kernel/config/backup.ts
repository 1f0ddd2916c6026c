import { resolve } from 'node:path';
import { wrong, type Values } from './reader.ts';
import { duration, integer } from './values.ts';

export type Backup = Readonly<{ to: string; everyMs: number; keep: number }> | undefined;

/** The settings of automatic backups; undefined if they are off. */
export function backup({ text, required }: Values): Backup {
  const to = text('BACKUP_TO');
  const set = (['BACKUP_EVERY', 'BACKUP_KEEP'] as const).find((name) => text(name) !== undefined);
  if (to === undefined) return set === undefined ? undefined : wrong('BACKUP_TO', `is required together with ${set}`);
  return Object.freeze({
    to: resolve(to),
    everyMs: required('BACKUP_EVERY', duration, '24h'),
    keep: required('BACKUP_KEEP', integer(1, 10_000, 'must be a number of backups, 1 or more'), '7'),
  });
}
