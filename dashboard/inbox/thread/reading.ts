import type { Call } from '../../lib/call.ts';
import type { Comment, InboxThread, Message, OperationName } from '../../lib/operations.ts';
import { cursorAfter, without } from '../../lib/paging.ts';
import type { Item } from '../list/items.ts';

/** What has been read of a thread that is open or may be opened next. */
export type Thread = Readonly<{
  detail?: InboxThread | undefined;
  /** Oldest first. */
  messages: readonly Message[];
  comments: readonly Comment[];
  /** The cursor for older messages or further comments. */
  next?: string | undefined;
  isLoading: boolean;
  problem?: string | undefined;
}>;

const PAGE_SIZE = 30;

export type ReadingDeps = Readonly<{ call: Call; may(name: OperationName): boolean }>;

/** The operation behind each thing that the platform allows with a comment. */
const ACTS = [
  ['can_reply', 'reply_to_comment'],
  ['can_private_reply', 'private_reply_to_comment'],
  ['can_hide', 'hide_comment'],
  ['can_like', 'like_comment'],
  ['can_delete', 'delete_comment'],
] as const;

/** Reads threads and parts of them, and merges the results with what is already known. */
export function makeReading({ call, may }: ReadingDeps) {
  const denied = Object.fromEntries(ACTS.flatMap(([can, name]) => (may(name) ? [] : [[can, false]])));
  /** A comment with what the platform allows and the person may do. */
  const allowed = (one: Comment): Comment => ({ ...one, capabilities: { ...one.capabilities, ...denied } });

  async function detailOf({ kind, id, accountId }: Item): Promise<InboxThread> {
    const detail = await call('get_inbox_thread', { kind, thread_id: id, account_id: accountId });
    const { comment, comments } = detail;
    return {
      ...detail,
      ...(comment && { comment: allowed(comment) }),
      ...(comments && { comments: comments.map(allowed) }),
    };
  }
  const messagesOf = (item: Item, cursor?: string) =>
    call('list_messages', { conversation_id: item.id, limit: PAGE_SIZE, cursor });
  async function commentsOf(item: Item, cursor?: string) {
    const place = { post_id: item.id, account_id: item.accountId };
    const page = await call('list_post_comments', { ...place, limit: PAGE_SIZE, cursor });
    return { ...page, data: page.data.map(allowed) };
  }

  async function conversation(item: Item, { messages, next }: Thread): Promise<Partial<Thread>> {
    const [detail, page] = await Promise.all([detailOf(item), messagesOf(item)]);
    const fresh = page.data.toReversed();
    const oldest = fresh[0]?.created_at ?? '';
    const others = without(messages, fresh);
    // If so many have come that none is known, others may lie between them and the known ones.
    const older = others.length < messages.length ? others.filter(({ created_at }) => created_at <= oldest) : [];
    return { detail, messages: [...older, ...fresh], next: older.length > 0 ? next : cursorAfter(page) };
  }

  /** Reads a post's comments from its platform. Those read further down are kept. */
  async function post(item: Item, { comments, next }: Thread): Promise<Partial<Thread>> {
    const [detail, page] = await Promise.all([detailOf(item), commentsOf(item)]);
    const more = without(comments, page.data);
    return {
      detail,
      comments: [...page.data, ...more],
      next: (more.length > 0 ? next : undefined) ?? cursorAfter(page),
    };
  }

  async function stored(item: Item): Promise<Partial<Thread>> {
    const detail = await detailOf(item);
    return { detail, comments: detail.comments ?? [] };
  }

  return {
    whole(item: Item, known: Thread): Promise<Partial<Thread>> {
      if (item.kind === 'conversation') return conversation(item, known);
      return item.kind === 'post' ? post(item, known) : stored(item);
    },

    /** Reads earlier messages or further comments. */
    async more(item: Item, { messages, comments, next }: Thread): Promise<Partial<Thread>> {
      if (item.kind === 'conversation') {
        const page = await messagesOf(item, next);
        return { messages: [...page.data.toReversed(), ...messages], next: cursorAfter(page) };
      }
      const page = await commentsOf(item, next);
      return { comments: [...comments, ...without(page.data, comments)], next: cursorAfter(page) };
    },

    async answers({ id, platform_post_id, account_id }: Comment, { comments }: Thread): Promise<Partial<Thread>> {
      const request = { post_id: platform_post_id, comment_id: id, account_id, limit: PAGE_SIZE };
      const { data } = await call('get_comment_replies', request);
      // Some platforms do not report the parent of a reply.
      const added = without(data, comments).map((one) => ({ ...allowed(one), parent_id: one.parent_id ?? id }));
      return { comments: [...comments, ...added] };
    },
  };
}
