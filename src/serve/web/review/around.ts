import { filesOf, postsIn, threadIn, type Thread } from '#kernel/people/preview.ts';
import type { RequestContext } from '#kernel/route.ts';
import { bodyOf, type Operate } from '../kit/operate.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import type { AccountView } from '../dashboard/live/accounts-view.ts';

type Fields = Readonly<Record<string, unknown>>;
type Author = Readonly<{ name: string }>;
type Asked = Readonly<{ tool: string; act: string; input: Fields; account_ids: readonly string[] }>;

/** A post that an action publishes or changes, in its current state. Its targets name accounts. */
export type PostView = Fields &
  Readonly<{ id: string; status: string; text: string | null; targets: readonly Fields[] }>;

/** A message or comment that the action is about. */
export type Said = Readonly<{ by: string; text: string; at: string }>;

/** A post of an account as the inbox stores it. */
export type Below = Readonly<{ content: string; permalink: string | null }>;

/** A file that the action or one of its posts names. */
export type FileView = Readonly<{ id: string; filename: string; content_type: string; url: string }>;

/** What a person has to see in addition to the action. */
export type Around = Readonly<{
  posts: readonly PostView[];
  said: readonly Said[];
  /** The account's own post below which the comment is or would be; null if this server does not have it. */
  below: Below | null | undefined;
  files: readonly FileView[];
  /** Some of it could not be read. */
  isPartial: boolean;
}>;

type Item = Readonly<{
  author: Author;
  text?: string | null;
  content?: Readonly<{ text: string | null }>;
  created_at: string;
}>;
type Found = Readonly<{ comment?: Item; mention?: Item; review?: Item; post: Below | null }>;

/** Reads an item of the inbox from the first account that has it. */
type Find = (kind: Thread[0] | 'post', id: string) => Promise<Found>;

/** How many accounts to try if the action does not name one. */
const MOST_ASKED = 20;
/** How many files to show. */
const MOST_FILES = 100;

/** Reads the context of an action, using operations that the person may call. */
export function makeReadAround(operate: Operate) {
  async function read<T>(ctx: RequestContext, visitor: Visitor, name: string, input: Fields): Promise<T> {
    return bodyOf<T>(await operate(ctx, visitor, name, input));
  }

  /** The item that the action replies to. */
  async function itemOf(find: Find, input: Fields): Promise<Partial<Around>> {
    const thread = threadIn(input);
    if (thread === undefined) return {};
    const { comment, mention, review, post } = await find(...thread);
    const item = comment ?? mention ?? review;
    return { said: item === undefined ? [] : [saidIn(item)], ...(comment && { below: post }) };
  }

  async function readFiles(
    ctx: RequestContext,
    visitor: Visitor,
    ids: readonly string[],
  ): Promise<readonly FileView[]> {
    if (ids.length === 0) return [];
    const media_ids = ids.slice(0, MOST_FILES);
    return (await read<FilePage>(ctx, visitor, 'list_media', { media_ids, limit: MOST_FILES })).data;
  }

  return async function readAround(
    ctx: RequestContext,
    visitor: Visitor,
    action: Asked,
    accounts: readonly AccountView[],
  ): Promise<Around> {
    const { input, account_ids } = action;
    const asked = (account_ids.length > 0 ? account_ids : accounts.map(({ id }) => id)).slice(0, MOST_ASKED);
    const find: Find = (kind, thread_id) =>
      Promise.any(
        asked.map((account_id) => read<Found>(ctx, visitor, 'get_inbox_thread', { kind, thread_id, account_id })),
      );
    /** The post that is published or changed; for a comment on a post from elsewhere, the inbox's copy of it. */
    const readPost = async (post_id: string): Promise<Partial<Around>> => {
      try {
        return { posts: [await read<PostView>(ctx, visitor, 'get_post', { post_id })] };
      } catch (error) {
        if (action.act !== 'comment') throw error;
        return { below: (await find('post', post_id)).post };
      }
    };
    const all = await Promise.allSettled([itemOf(find, input), ...postsIn(input).map(readPost)]);
    const known = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const posts = known.flatMap((one) => one.posts ?? []);
    const ids = filesOf(action, posts);
    const [shown] = await Promise.allSettled([readFiles(ctx, visitor, ids)]);
    const files = shown.status === 'fulfilled' ? shown.value : [];
    return {
      posts,
      said: known.flatMap((one) => one.said ?? []),
      below: known.find(({ below }) => below !== undefined)?.below,
      files,
      isPartial: files.length < ids.length || all.some(({ status }) => status === 'rejected'),
    };
  };
}

type FilePage = Readonly<{ data: readonly FileView[] }>;

const saidIn = ({ author, text, content, created_at }: Item): Said => ({
  by: author.name,
  text: text ?? content?.text ?? '',
  at: created_at,
});
