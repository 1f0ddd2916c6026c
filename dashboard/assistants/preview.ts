import { ACTION_STATES } from '#kernel/people/preview.ts';
import type { Action } from '../lib/operations.ts';

/** What an operation does, in words for the person who decides about it. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['create_post', 'Publish a post'],
  ['update_post', 'Change a post'],
  ['publish_post', 'Publish a post'],
  ['retry_post', 'Publish a post again'],
  ['unpublish_post', 'Take a post down'],
  ['delete_post', 'Delete a post'],
  ['reschedule_posts', 'Move posts to other times'],
  ['import_posts', 'Import posts'],
  ['add_location_media', 'Publish a photo of a place'],
  ['send_dm', 'Send a message'],
  ['send_whatsapp_template', 'Send a message template'],
  ['private_reply_to_comment', 'Answer a comment in private'],
  ['reply_to_mention', 'Answer a mention'],
  ['reply_to_review', 'Answer a review'],
  ['update_review_reply', 'Change the answer to a review'],
  ['delete_review_reply', 'Delete the answer to a review'],
  ['hide_comment', 'Hide a comment'],
  ['unhide_comment', 'Show a hidden comment again'],
  ['like_comment', 'Like a comment'],
  ['unlike_comment', 'Take back a like'],
  ['delete_comment', 'Delete a comment'],
  ['delete_media', 'Delete a file'],
]);

/** What the action would do. */
export function titleOf({ tool, input }: Pick<Action, 'tool' | 'input'>): string {
  if (tool === 'create_post' && typeof input['scheduled_at'] === 'string') return 'Schedule a post';
  if (tool === 'reply_to_comment') return input['comment_id'] === undefined ? 'Comment on a post' : 'Answer a comment';
  return TITLES.get(tool) ?? tool.replaceAll('_', ' ');
}

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
