import type { Migration } from '../migrate.ts';
import { first } from './0001-first.ts';
import { oauth } from './0002-oauth.ts';
import { signin } from './0003-signin.ts';

/** Every migration in order; versions count up from 1 and a released one never changes. */
export const migrations: readonly Migration[] = Object.freeze([first, oauth, signin]);
