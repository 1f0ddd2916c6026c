import { signal, type Signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import type { Account, Action, MediaItem, Post } from '../lib/operations.ts';
import { mediaIn, partsOfPost } from './preview.ts';

/** Something that was said before. */
export type Said = Readonly<{ id: string; by: string; isOurs: boolean; text: string; at: string; stars?: number }>;

/** What a person has to see beside an action: whom it reaches, what it answers, and what it changes. */
export type Around = Readonly<{
  isLoading: boolean;
  /** Whom a message goes to. */
  to?: string;
  account?: string;
  said: readonly Said[];
  post?: Readonly<{ text: string; href?: string }>;
  /** What of the posts that it publishes or changes goes out besides the text, and where to. */
  parts: readonly (readonly [name: string, value: string])[];
  media: readonly MediaItem[];
  /** Something of it could not be read. */
  problem?: string;
}>;

type AroundDeps = Readonly<{ call: Call; accounts: readonly Account[] }>;

const UNREAD: Around = { isLoading: true, said: [], parts: [], media: [] };
/** How many messages of a conversation are shown. */
const MESSAGES = 5;
/** How many accounts are asked where an input does not say which one it is. */
const MOST_ASKED = 20;

/** How far back files are looked for, in pages of 100. */
const MEDIA_PAGES = 20;

const textIn = (input: Action['input'], name: string): string | undefined =>
  typeof input[name] === 'string' ? input[name] : undefined;

/** The files of an input, with a word about those that are not found. */
async function filesOf(call: Call, ids: readonly string[]): Promise<Partial<Around>> {
  const missing = new Set(ids);
  const found: MediaItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MEDIA_PAGES && missing.size > 0; page += 1) {
    const { data, pagination } = await call('list_media', { limit: 100, ...(cursor !== undefined && { cursor }) });
    found.push(...data.filter(({ id }) => missing.delete(id)));
    if (!pagination.has_more) break;
    cursor = pagination.next_cursor;
  }
  if (missing.size === 0) return { media: found };
  const files = [...missing].join(', ');
  return {
    media: found,
    problem: `It has files that cannot be shown here (${files}). Look them up before you decide.`,
  };
}

/** Reads what is around actions, each once when it is looked at. */
export function makeArounds({ call, accounts }: AroundDeps) {
  const read = new Map<string, Signal<Around>>();

  async function conversation(id: string): Promise<Partial<Around>> {
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

  /** What is answered, where the first account that knows it does. */
  async function thread(action: Action, kind: 'comment' | 'mention' | 'review', id: string): Promise<Partial<Around>> {
    const named = [textIn(action.input, 'account_id'), ...action.account_ids].filter((one) => one !== undefined);
    const asked = named.length > 0 ? [...new Set(named)] : accounts.map((account) => account.id).slice(0, MOST_ASKED);
    const found = await Promise.any(
      asked.map((account_id) => call('get_inbox_thread', { kind, thread_id: id, account_id })),
    );
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
    return { account, said: said ? [said] : [], ...(post && { post: { text: post.content } }) };
  }

  async function post(id: string): Promise<Partial<Around>> {
    const found: Post = await call('get_post', { post_id: id });
    const { text, title } = found;
    const files = mediaIn(found);
    return {
      post: { text: text ?? title ?? 'No text', href: `/dashboard/posts/${id}` },
      parts: partsOfPost(found, accounts),
      ...(files.length > 0 && (await filesOf(call, files))),
    };
  }

  function partsOf(action: Action): readonly Promise<Partial<Around>>[] {
    const { input, tool } = action;
    const id = (name: string) => textIn(input, name);
    const about = id('conversation_id');
    const comment = id('comment_id');
    const review = id('review_id');
    const mention = id('mention_id');
    const changed = id('post_id');
    const files = mediaIn(input);
    return [
      ...(about === undefined ? [] : [conversation(about)]),
      ...(comment === undefined || tool === 'reply_to_mention' ? [] : [thread(action, 'comment', comment)]),
      ...(review === undefined ? [] : [thread(action, 'review', review)]),
      ...(mention === undefined ? [] : [thread(action, 'mention', mention)]),
      ...(changed === undefined || comment !== undefined ? [] : [post(changed)]),
      ...(files.length === 0 ? [] : [filesOf(call, files)]),
    ];
  }

  async function fill(action: Action, around: Signal<Around>): Promise<void> {
    const parts = await Promise.allSettled(partsOf(action));
    const known = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
    const hasFailed = known.length < parts.length;
    around.value = Object.assign(
      {},
      UNREAD,
      ...known,
      { isLoading: false },
      hasFailed && { problem: 'What it is about could not be read here. Look it up before you decide.' },
    ) as Around;
  }

  return {
    /** What is around an action; read when it is first asked for. */
    of(action: Action): Signal<Around> {
      const known = read.get(action.id);
      if (known !== undefined) return known;
      const made = signal(UNREAD);
      read.set(action.id, made);
      void fill(action, made);
      return made;
    },
    /** Forgets what changed meanwhile, so that it is read again. */
    forget: (id: string): void => void read.delete(id),
  };
}
