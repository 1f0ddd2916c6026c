import { ACTION_STATES } from '#kernel/people/preview.ts';
import type { Action } from '../lib/operations.ts';

/** The post that the action created or changed, once it is done. */
export function postOf({ tool, act, outcome }: Pick<Action, 'tool' | 'act' | 'outcome'>): string | undefined {
  const id = outcome?.['id'] ?? outcome?.['post_id'];
  return act === 'post' && tool !== 'add_location_media' && typeof id === 'string' ? id : undefined;
}

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
