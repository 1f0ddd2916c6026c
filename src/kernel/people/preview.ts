import { isMediaId } from '../effects/file-addresses.ts';

type Fields = Readonly<Record<string, unknown>>;
type Asked = Readonly<{ tool: string; input: Fields }>;
type PostFields = Fields & Readonly<{ targets: readonly Fields[] }>;

/** An item of the inbox, by its kind and id. */
export type Thread = readonly [kind: 'comment' | 'mention' | 'review', id: string];

/** A name and its value, as pages show them. */
export type Leaf = readonly [name: string, value: string];

/** How a page writes the names of accounts and times. */
export type PageWords = Readonly<{
  nameOf(account: string): string | undefined;
  timeOf(instant: string): string;
}>;

/** The states of an action as people read them. */
export const ACTION_STATES = Object.freeze({
  held: 'Waiting for you',
  approved: 'Approved, being done',
  running: 'Being done',
  done: 'Done',
  failed: 'Failed',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  expired: 'Expired: nobody decided in time',
});

/** The name of the app or key that asked for an action. */
export const requesterOf = ({ client }: Readonly<{ client: string | null }>): string =>
  client ?? 'An unknown app or key';

const UNDECIDED = new Set<keyof typeof ACTION_STATES>(['held', 'withdrawn', 'expired']);

/** Who decided about an action, in words; undefined if nobody did. */
export function deciderOf(action: Readonly<{ state: keyof typeof ACTION_STATES; decided_by: string | null }>) {
  if (UNDECIDED.has(action.state)) return undefined;
  return action.decided_by ?? 'a person who has left';
}

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
export function titleOf({ tool, input }: Asked): string {
  if (tool === 'create_post' && typeof input['scheduled_at'] === 'string') return 'Schedule a post';
  if (tool === 'reply_to_comment') return input['comment_id'] === undefined ? 'Comment on a post' : 'Answer a comment';
  if (/^send_\w+_template$/.test(tool)) return 'Send a message template';
  return TITLES.get(tool) ?? tool.replaceAll('_', ' ');
}

/** The fields of a post that are published; accounts may have their own values for them. */
const CONTENT = ['text', 'title', 'first_comment', 'visibility', 'media', 'platform_data', 'scheduled_at'];
const OF_POST = [...CONTENT, 'segments'];
const OF_TARGET = ['page_id', 'board_id', ...CONTENT];

/** Input fields that pages show separately. */
const SHOWN_APART: ReadonlySet<string> = new Set([
  'text',
  'account_id',
  'account_ids',
  'conversation_id',
  'media_ids',
  'publish_now',
  'scheduled_at',
]);

const AT_ONCE = 'As soon as you approve';

/** The inbox item to which an input replies or which it moderates. */
export function threadIn(input: Fields): Thread | undefined {
  for (const kind of ['mention', 'comment', 'review'] as const) {
    const id = input[`${kind}_id`];
    if (typeof id === 'string') return [kind, id];
  }
  return undefined;
}

/** The post that an action created or changed, once it is done. */
export function postOf({ tool, act, outcome }: Readonly<{ tool: string; act: string; outcome: Fields | null }>) {
  const id = outcome?.['id'] ?? outcome?.['post_id'];
  return act === 'post' && tool !== 'add_location_media' && typeof id === 'string' ? id : undefined;
}

/** The posts that an input publishes or changes. */
export function postsIn(input: Fields): readonly string[] {
  if (threadIn(input) !== undefined) return [];
  const { post_id, posts } = input;
  const listed = Array.isArray(posts) ? posts.map((one: { post_id?: unknown } | null) => one?.post_id) : [];
  return [...new Set([post_id, ...listed].filter((one) => typeof one === 'string'))];
}

/** Whether an action can be decided on in a list; if it concerns stored posts, only its own page shows enough. */
export const isChoosable = ({ state, input }: Readonly<{ state: string; input: Fields }>): boolean =>
  state === 'held' && postsIn(input).length === 0;

/** The ids of stored files in an action and in the posts that it publishes or changes. */
export function filesOf({ tool, input }: Asked, posts: readonly Fields[]): readonly string[] {
  // For a mention, `media_id` is the platform's id of a post and not a stored file.
  const own = tool === 'reply_to_mention' ? { ...input, media_id: undefined } : input;
  return [...new Set(mediaIn([own, posts]))];
}

function mediaIn(value: unknown, isMedia = false): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => mediaIn(one, isMedia));
  const { source, source_type } = value as Fields;
  // A medium without a type is a stored file, unless its source is an address.
  const isUntyped = isMedia && source_type === undefined && typeof source === 'string' && isMediaId(source);
  return Object.entries(value).flatMap(([name, inside]: [string, unknown]) => {
    if (name === 'media_ids' && Array.isArray(inside)) return inside.filter((one) => typeof one === 'string');
    const isId = name === 'media_id' || (name === 'source' && (source_type === 'media_id' || isUntyped));
    if (isId && typeof inside === 'string') return [inside];
    return mediaIn(inside, name === 'media');
  });
}

/** When the action would happen; undefined if only its parts have times. */
export function whenOf({ tool, input }: Asked, { timeOf }: PageWords): string | undefined {
  const { scheduled_at, publish_now } = input;
  if (typeof scheduled_at === 'string') return timeOf(scheduled_at);
  if (tool !== 'import_posts' && !hasTimeIn(input)) return AT_ONCE;
  return publish_now === true ? `${AT_ONCE}, except where a time is named below` : undefined;
}

function hasTimeIn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inside]: [string, unknown]) =>
    name === 'scheduled_at' ? typeof inside === 'string' : hasTimeIn(inside),
  );
}

/** The fields of an input other than its texts, including those that it empties. */
export function restOf(input: Fields, words: PageWords): readonly Leaf[] {
  const isText = (name: string, value: unknown) => name === 'text' && typeof value === 'string';
  return Object.entries(input).flatMap(([name, value]) =>
    SHOWN_APART.has(name) && !isNothing(value) ? [] : leavesOf(value, [name], words, isText),
  );
}

/** The label of a text in an input: for all accounts, or for one. */
export function labelOf(pointer: string, input: Fields, { nameOf }: Pick<PageWords, 'nameOf'>): string {
  const [, place, at] = /^\/(\w+)\/(\d+)\//.exec(pointer) ?? [];
  if (place === undefined) return 'Text';
  const inside = (input[place] as readonly Fields[])[Number(at)];
  const name = nameOf(String(inside?.['account_id']));
  return name === undefined ? `Text of ${inWords([place, at!])}` : `Text for ${name}`;
}

/** What is published of a post: its content, its accounts, and the content specific to each account. */
export function partsOf(post: PostFields, words: PageWords): readonly Leaf[] {
  const partsIn = (fields: Fields, names: readonly string[]) =>
    leavesOf(Object.fromEntries(names.map((name) => [name, fields[name]])), [], words, isLeftOut);
  const shared = JSON.stringify(post['media']);
  const targets = post.targets.flatMap((target): readonly Leaf[] => {
    const id = String(target['account_id']);
    const name = words.nameOf(id) ?? id;
    // If an account has no files of its own, the post's files are not repeated.
    const own = JSON.stringify(target['media']) === shared ? { ...target, media: null } : target;
    return [['goes to', name], ...partsIn(own, OF_TARGET).map(([part, value]): Leaf => [`${name}: ${part}`, value])];
  });
  return [...partsIn(post, OF_POST), ...targets];
}

/** Whether a value is left out, because it is empty or repeats another field. */
const isLeftOut = (name: string, value: unknown): boolean =>
  value === undefined || value === '' || name === 'media_ids' || isNothing(value);

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

function leavesOf(
  value: unknown,
  path: readonly string[],
  words: PageWords,
  isSkipped: (name: string, value: unknown) => boolean,
): readonly Leaf[] {
  const at = inWords(path);
  if (isNothing(value)) return [[at, 'none']];
  if (typeof value !== 'object' || value === null) return [[at, valueOf(path.at(-1)!, String(value), words)]];
  return Object.entries(value)
    .filter(([name, inside]) => !isSkipped(name, inside))
    .flatMap(([name, inside]: [string, unknown]) => leavesOf(inside, [...path, name], words, isSkipped));
}

function valueOf(name: string, value: string, { nameOf, timeOf }: PageWords): string {
  if (name.endsWith('_at') && !Number.isNaN(Date.parse(value))) return timeOf(value);
  return nameOf(value) ?? value;
}

/** What people call a field, where its name with spaces would not do. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['posts', 'post'],
  ['times', 'time'],
  ['uri', 'address'],
  ['post_id', 'post'],
  ['targets', 'account'],
  ['account_id', 'account'],
  ['segments', 'part'],
  ['attachments', 'file'],
  ['media', 'file'],
  ['scheduled_at', 'time'],
]);

/** The way to a field in words: posts.0.scheduled_at is "post 1 time". Positions in lists count from one. */
export function inWords(path: readonly string[]): string {
  const words = path.map((name) =>
    /^\d+$/.test(name) ? String(Number(name) + 1) : (NAMES.get(name) ?? name.replaceAll('_', ' ')),
  );
  // What names the item of a list itself adds nothing: "post 1", not "post 1 post".
  return words[0] === words[2] ? words.toSpliced(2, 1).join(' ') : words.join(' ');
}
