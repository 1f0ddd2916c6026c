import type { AccountRow } from '#db/access/accounts.ts';
import { ownerIdOf } from '#db/access/users.ts';
import { listPages } from '#db/access/pages.ts';
import { loadComment, type CommentRow } from '#db/inbox/comments.ts';
import { findInboxPost, findInboxPosts, listStoredComments } from '#db/inbox/lists.ts';
import { loadMention } from '#db/inbox/mentions.ts';
import { loadReview } from '#db/inbox/reviews.ts';
import type { UnansweredKind } from '#db/inbox/unanswered.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import { noSuch } from '#kernel/errors.ts';
import type { MessageParts } from '#platforms/messages.ts';
import type { Platform } from '#platforms/platform.ts';
import type { TextRule } from '#platforms/sending.ts';
import { storedComment } from './comment-lists.ts';
import type { Conversations } from './conversations.ts';
import { platformIdOf, type Lookup } from './lookup.ts';
import { presentMention } from './mentions.ts';
import { blockOf, windowOf } from './messaging-window.ts';
import { presentComment, presentInboxPost, presentReview, storedReview } from './present-inbox.ts';

export type ThreadKind = UnansweredKind | 'post';

/** How many replies are shown around a comment. */
const MOST_AROUND = 50;
/** The most levels to which platforms nest comments. */
const DEEPEST = 8;

type ThreadDeps = Readonly<{ store: Store; lookup: Lookup; conversations: Conversations }>;
type Connected = Readonly<{ authority: Authority; account: AccountRow; platform: Platform }>;

/** Shows an item of the inbox with its context, from the store only. */
export function makeThreads({ store, lookup, conversations }: ThreadDeps) {
  async function postOf({ authority, account }: Connected, platformId: string) {
    const posts = await findInboxPosts(store.db, authority, platformId);
    const post = posts.find(({ account_id }) => account_id === account.id);
    return post === undefined ? null : presentInboxPost(post, await ownerIdOf(store.db, authority));
  }

  const around = makeAround(store);

  async function readConversation({ authority, account, platform }: Connected, id: string) {
    const row = await conversations.conversationOf(authority, id);
    if (row.account_id !== account.id) noSuch('conversation', id);
    const { data } = await conversations.read(authority, id);
    const parts = platform.messages?.parts;
    return {
      conversation: data,
      text_rule: parts?.text ?? null,
      window: parts === undefined ? null : windowOf(row, parts),
      parts: parts === undefined ? null : partsOf(parts),
    };
  }

  async function readComment(connected: Connected, id: string) {
    const { account, platform } = connected;
    const row = await loadComment(store.db, account.id, platformIdOf('comment', account.platform, id));
    if (row === undefined || row.gone_at !== null) return noSuch('comment', id);
    const post = await postOf(connected, row.platform_post_id);
    const inboxPostId = post?.id ?? row.platform_post_id;
    const show = (one: CommentRow) =>
      presentComment(storedComment(one), { account, platform, inboxPostId, answered: one.is_answered !== 0 });
    const comments = await around(account, row);
    return { text_rule: platform.comments?.text ?? null, comment: show(row), comments: comments.map(show), post };
  }

  async function readMention(connected: Connected, id: string) {
    const { account, platform } = connected;
    const row = await loadMention(store.db, account.id, platformIdOf('mention', account.platform, id));
    if (row === undefined) return noSuch('mention', id);
    const mention = presentMention(account, row, await listPages(store.db, account.id));
    return { text_rule: platform.mentions?.text ?? null, mention, permalink: row.permalink };
  }

  async function readReview({ account, platform }: Connected, id: string) {
    const row = await loadReview(store.db, account.id, platformIdOf('review', account.platform, id));
    if (row === undefined) return noSuch('review', id);
    const { reply_text: text, reply_updated_at, reply_state: state } = row;
    const reply =
      text === null ? undefined : { text, updated_at: reply_updated_at ?? row.updated_at, state: state ?? undefined };
    return {
      text_rule: platform.reviews?.text ?? null,
      review: presentReview({ ...storedReview(row), reply }, account),
    };
  }

  async function readPost({ authority, account, platform }: Connected, id: string) {
    const row = await findInboxPost(store.db, authority, id);
    if (row?.account_id !== account.id) return noSuch('post', id);
    return {
      text_rule: platform.comments?.text ?? null,
      post: presentInboxPost(row, await ownerIdOf(store.db, authority)),
    };
  }

  type Read = Readonly<{ text_rule: TextRule | null; post?: Awaited<ReturnType<typeof postOf>> }>;
  const READS: Readonly<Record<ThreadKind, (connected: Connected, id: string) => Promise<Read>>> = {
    conversation: readConversation,
    comment: readComment,
    mention: readMention,
    review: readReview,
    post: readPost,
  };

  return Object.freeze({
    async read(authority: Authority, kind: ThreadKind, { accountId, id }: Readonly<{ accountId: string; id: string }>) {
      const account = await lookup.accountOf(authority, accountId);
      const platform = lookup.capabilityOf(account, 'inbox', (connector) => connector);
      const read = await READS[kind]({ authority, account, platform }, id);
      const { brand_id, status, platform: slug } = account;
      const about = { kind, id, account_id: account.id, brand_id, platform: slug };
      return { ...about, blocked: blockOf(status) ?? null, post: null, ...read };
    },
  });
}

/** Finds the comments around another. */
function makeAround(store: Store) {
  /** A comment preceded by the comments it replies to, starting at the top level. */
  async function chainTo(account: AccountRow, row: CommentRow): Promise<readonly CommentRow[]> {
    const chain = [row];
    while (chain.length < DEEPEST && chain[0]!.parent_id !== null) {
      const parent = await loadComment(store.db, account.id, chain[0]!.parent_id);
      if (parent === undefined) break;
      chain.unshift(parent);
    }
    return chain;
  }

  /** The context of a comment: the comments it replies to, other replies to the topmost one, and replies to itself. */
  return async function around(account: AccountRow, row: CommentRow): Promise<readonly CommentRow[]> {
    const chain = await chainTo(account, row);
    const parents = [...new Set([chain[0]!.platform_id, row.platform_id])];
    const answers = parents.map((parent) => {
      const span = { post: row.platform_post_id, parent, after: undefined, from: undefined };
      return listStoredComments(store.db, account.id, span, MOST_AROUND);
    });
    const all = [...chain, ...(await Promise.all(answers)).flat()].filter(({ gone_at }) => gone_at === null);
    const byId = new Map(all.map((comment) => [comment.platform_id, comment]));
    return [...byId.values()].toSorted((a, b) => a.created_at - b.created_at);
  };
}

/** What a message may contain besides text. */
function partsOf({ attachments, buttons, quick_replies, tags }: MessageParts) {
  return {
    attachments: attachments?.sources.includes('media_id') ? attachments.kinds : [],
    buttons: buttons?.types ?? [],
    quick_replies: quick_replies?.max ?? 0,
    tags: Object.keys(tags ?? {}),
  };
}
