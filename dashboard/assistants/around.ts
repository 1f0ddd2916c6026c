import { signal, type Signal } from '@preact/signals';
import { filesOf, postsIn, threadIn, type Thread } from '#kernel/people/preview.ts';
import type { Call } from '../lib/call.ts';
import type { NamedAccount, Action, InboxPost, MediaItem, Post } from '../lib/operations.ts';
import { isHeld } from './reading.ts';

/** An earlier message or comment. */
export type Said = Readonly<{ id: string; by: string; isOurs: boolean; text: string; at: string; stars?: number }>;

/** The context that a person needs: whom an action reaches, what it replies to, and what it changes. */
export type Around = Readonly<{
  isLoading: boolean;
  /** The recipient of a message. */
  to?: string;
  account?: string;
  said: readonly Said[];
  /** The account's own post below which the comment is or would be. */
  below?: Pick<InboxPost, 'content' | 'permalink'>;
  /** The posts that it publishes or changes, in their current state. */
  posts: readonly Post[];
  media: readonly MediaItem[];
  /** Why some of it could not be read. */
  problem?: string;
}>;

type AroundDeps = Readonly<{ call: Call; accounts: readonly Pick<NamedAccount, 'id'>[] }>;

const NOTHING: Around = { isLoading: false, said: [], posts: [], media: [] };
const PARTIAL = 'What it is about could not be read here. Look it up before you decide.';
const NO_POST = 'The post with this comment is not known here. Look it up on the platform before you decide.';
/** How many messages of a conversation to show. */
const MESSAGES = 5;
/** How many accounts to try if an input does not name one. */
const MOST_ASKED = 20;
/** How many files to show. */
const MOST_FILES = 100;

/** Reads files; `problem` names those that are not found. */
async function readFiles(call: Call, ids: readonly string[]): Promise<Pick<Around, 'media' | 'problem'>> {
  if (ids.length === 0) return { media: [] };
  const media_ids = ids.slice(0, MOST_FILES);
  const { data: media } = await call('list_media', { media_ids, limit: MOST_FILES });
  const missing = ids.filter((id) => !media.some((item) => item.id === id)).join(', ');
  if (missing === '') return { media };
  return { media, problem: `It has files that cannot be shown here (${missing}). Look them up before you decide.` };
}

/** Reads the context of each action once, when somebody looks at it. */
export function makeArounds({ call, accounts }: AroundDeps) {
  const read = new Map<string, Signal<Around>>();

  async function readConversation(id: string): Promise<Partial<Around>> {
    const [{ data: about }, { data: messages }] = await Promise.all([
      call('get_conversation', { conversation_id: id }),
      call('list_messages', { conversation_id: id, limit: MESSAGES }),
    ]);
    const said = messages.map(({ id: one, direction, sender_name, text, created_at }) => ({
      id: one,
      by: sender_name,
      isOurs: direction === 'outgoing',
      text: text === '' ? 'A file' : text,
      at: created_at,
    }));
    const byTime = said.toSorted((a, b) => a.at.localeCompare(b.at));
    return { to: about.participant_name, account: about.account_id, said: byTime };
  }

  /** Reads an item of the inbox from the first account that has it. */
  function find({ account_ids }: Action, kind: Thread[0] | 'post', thread_id: string) {
    const asked = account_ids.length > 0 ? account_ids : accounts.map((account) => account.id).slice(0, MOST_ASKED);
    return Promise.any(asked.map((account_id) => call('get_inbox_thread', { kind, thread_id, account_id })));
  }

  async function readThread(action: Action, thread: Thread): Promise<Partial<Around>> {
    const found = await find(action, ...thread);
    const { comment, mention, review, post, account_id: account } = found;
    const one = comment ?? mention ?? review;
    const text = comment?.text ?? mention?.content.text ?? review?.text ?? '';
    const said = one && {
      id: one.id,
      by: one.author.name,
      isOurs: false,
      text: text === '' ? 'No words' : text,
      at: one.created_at,
      ...(review && { stars: review.rating }),
    };
    const isLost = comment !== undefined && post === null;
    return { account, said: said ? [said] : [], ...(post && { below: post }), ...(isLost && { problem: NO_POST }) };
  }

  /** The post that is published or changed; for a comment on a post from elsewhere, the inbox's copy of it. */
  async function readPost(action: Action, post_id: string): Promise<Pick<Around, 'posts' | 'below'>> {
    try {
      return { posts: [await call('get_post', { post_id })] };
    } catch (error) {
      if (action.act !== 'comment') throw error;
      const { post } = await find(action, 'post', post_id);
      return { posts: [], ...(post && { below: post }) };
    }
  }

  async function readAbout(action: Action): Promise<Partial<Around>> {
    const { conversation_id } = action.input;
    if (typeof conversation_id === 'string') return readConversation(conversation_id);
    const thread = threadIn(action.input);
    return thread === undefined ? {} : readThread(action, thread);
  }

  async function fill(action: Action, around: Signal<Around>): Promise<void> {
    const [about, ...read] = await Promise.allSettled([
      readAbout(action),
      ...postsIn(action.input).map((post_id) => readPost(action, post_id)),
    ]);
    const known = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const posts = known.flatMap((one) => one.posts);
    const [files] = await Promise.allSettled([readFiles(call, filesOf(action, posts))]);
    const { media, problem } = files.status === 'fulfilled' ? files.value : NOTHING;
    const isPartial = [about, files, ...read].some(({ status }) => status === 'rejected');
    const own = about.status === 'fulfilled' ? about.value : {};
    const problems = [own.problem, problem, isPartial ? PARTIAL : undefined].filter((one) => one !== undefined);
    around.value = {
      ...NOTHING,
      ...known[0],
      ...own,
      posts,
      media,
      ...(problems.length > 0 && { problem: problems.join(' ') }),
    };
  }

  return {
    /** The context of an action. It is read on the first call, as long as the action is pending. */
    of(action: Action): Signal<Around> {
      const known = read.get(action.id);
      if (known !== undefined) return known;
      const made = signal({ ...NOTHING, isLoading: isHeld(action) });
      read.set(action.id, made);
      if (isHeld(action)) void fill(action, made);
      return made;
    },
    /** Drops the context of an action that has changed, so that it is read again. */
    forget: (id: string): void => void read.delete(id),
  };
}
