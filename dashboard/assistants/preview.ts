import type { Account, Action, Post } from '../lib/operations.ts';

type Input = Action['input'];

/** What an operation does, in the words of the person who decides about it. */
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

/** What would be done. */
export function titleOf({ tool, input }: Pick<Action, 'tool' | 'input'>): string {
  if (tool === 'create_post' && typeof input['scheduled_at'] === 'string') return 'Schedule a post';
  if (tool === 'reply_to_comment') return input['comment_id'] === undefined ? 'Comment on a post' : 'Answer a comment';
  return TITLES.get(tool) ?? tool.replaceAll('_', ' ');
}

/** What a text of an input is called: that of all, or of one account. */
export function labelOf(pointer: string, input: Input, accounts: readonly Account[]): string {
  const [, place, at] = /^\/(\w+)\/(\d+)\//.exec(pointer) ?? [];
  if (place === undefined) return 'Text';
  const inside = (input[place] as readonly Readonly<{ account_id?: unknown }>[])[Number(at)];
  const account = accounts.find(({ id }) => id === inside?.account_id);
  return account === undefined ? `Text ${Number(at) + 1} of ${place.replaceAll('_', ' ')}` : `Text for ${account.name}`;
}

/** Shown in words or pictures of their own. */
const SHOWN: ReadonlySet<string> = new Set([
  'text',
  'account_id',
  'account_ids',
  'conversation_id',
  'media_ids',
  'publish_now',
  'scheduled_at',
]);

/** What an input says besides its texts, as names and values; what it empties is said too. */
export function restOf(input: Input): readonly (readonly [name: string, value: string])[] {
  return Object.entries(input).flatMap(([name, value]) =>
    SHOWN.has(name) && !isNothing(value) ? [] : leavesOf(value, wordsOf(name)),
  );
}

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isBlank = (value: unknown): boolean => value === undefined || value === '';

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

function leavesOf(value: unknown, at: string): readonly (readonly [name: string, value: string])[] {
  if (isNothing(value)) return [[at, 'none']];
  if (typeof value !== 'object' || value === null) return [[at, String(value)]];
  return Object.entries(value).flatMap(([name, inside]: [string, unknown]) => {
    if (name === 'text' && typeof inside === 'string') return [];
    return leavesOf(inside, `${at} ${partName(name)}`);
  });
}

/** What of a post goes out besides its text, and what each account gets of its own. */
export function partsOfPost(
  post: Post,
  accounts: readonly Account[],
): readonly (readonly [name: string, value: string])[] {
  const own = ['title', 'first_comment', 'segments', 'media', 'platform_data'] as const;
  const content = own.flatMap((name) => leavesWithText(post[name], wordsOf(name)));
  const targets = post.targets.flatMap(({ account_id, text, title, first_comment, media, platform_data }) => {
    const account = accounts.find(({ id }) => id === account_id)?.name ?? account_id;
    const differs = Object.entries({ text, title, first_comment, media, platform_data });
    return [
      ['goes to', account] as const,
      ...differs.flatMap(([name, value]) => leavesWithText(value, `${account}: ${wordsOf(name)}`)),
    ];
  });
  return [...content, ...targets];
}

const partName = (name: string): string => (/^\d+$/.test(name) ? String(Number(name) + 1) : wordsOf(name));

function leavesWithText(value: unknown, at: string): readonly (readonly [name: string, value: string])[] {
  if (isNothing(value) || isBlank(value)) return [];
  if (typeof value !== 'object' || value === null) return [[at, String(value)]];
  return Object.entries(value).flatMap(([name, inside]: [string, unknown]) =>
    leavesWithText(inside, `${at} ${partName(name)}`),
  );
}

export function mediaIn(input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'media_ids' && Array.isArray(value)) return value.filter((one) => typeof one === 'string');
    if (name === 'media_id' && typeof value === 'string') return [value];
    if (name === 'source' && typeof value === 'string' && isStored(input)) return [value];
    return mediaIn(value);
  });
}

const isStored = (item: object): boolean => 'source_type' in item && item.source_type === 'media_id';

/** When it would happen: an instant, or at once. */
export function timeOf({ input }: Pick<Action, 'input'>): string | undefined {
  const at = input['scheduled_at'];
  return typeof at === 'string' ? at : undefined;
}

/** The post that was made or changed, once it is. */
export function postOf({ tool, act, outcome }: Pick<Action, 'tool' | 'act' | 'outcome'>): string | undefined {
  const id = outcome?.['id'] ?? outcome?.['post_id'];
  return act === 'post' && tool !== 'add_location_media' && typeof id === 'string' ? id : undefined;
}

const STATES: Readonly<Record<Action['state'], readonly [sign: string, words: string]>> = {
  held: ['scheduled', 'Waits for you'],
  approved: ['publishing', 'Approved, being done'],
  running: ['publishing', 'Being done'],
  done: ['published', 'Done'],
  failed: ['failed', 'Failed'],
  denied: ['draft', 'Denied'],
  withdrawn: ['draft', 'Withdrawn'],
  expired: ['draft', 'Expired: nobody decided in time'],
};

/** A state as a sign and words. */
export const stateOf = ({ state }: Pick<Action, 'state'>): readonly [sign: string, words: string] => STATES[state];
