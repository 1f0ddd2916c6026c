import { ACTION_STATES } from '#kernel/people/preview.ts';
import type { Action } from '../lib/operations.ts';

const SIGNS: Readonly<Record<Action['state'], string>> = {
  held: 'scheduled',
  approved: 'publishing',
  running: 'publishing',
  done: 'published',
  failed: 'failed',
  denied: 'draft',
  withdrawn: 'draft',
  expired: 'draft',
};

/** The state of an action as an icon and text. */
export const stateOf = ({ state }: Pick<Action, 'state'>): readonly [sign: string, words: string] => [
  SIGNS[state],
  ACTION_STATES[state],
];
