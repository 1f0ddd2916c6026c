import type { Migration } from '../migrate.ts';
import { first } from './0001-first.ts';

/** Every migration in order; versions count up from 1 and a released one never changes. */
export const migrations: readonly Migration[] = Object.freeze([first]);
