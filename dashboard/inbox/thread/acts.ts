import type { Say } from '../../lib/acting.ts';
import { RefusedError, type Call } from '../../lib/call.ts';
import type { Comment } from '../../lib/operations.ts';
import type { Item } from '../list/items.ts';
import type { List } from '../list/list.ts';
import type { Threads } from './threads.ts';

type ActsDeps = Readonly<{ call: Call; newKey(): string; say: Say; list: List; threads: Threads }>;

/** An action whose result is shown before the server confirms it. */
type Action = Readonly<{
  /** The message after success. */
  done: string;
  run(): Promise<unknown>;
  /** Restores the display after a refusal. */
  back?(): void;
  undo?(): void;
}>;

/** What was done, with the person's name if it is short enough for a glance. */
const saying = (done: string, name: string): string =>
  name === '' || name.length > SHORT ? `${done}.` : `${done}: ${name}.`;

const SHORT = 40;

const makeAct =
  (say: Say) =>
  async ({ done, run, back, undo }: Action): Promise<void> => {
    try {
      await run();
      say(done, undo === undefined ? {} : { undo });
    } catch (error) {
      back?.();
      const refused = error instanceof RefusedError ? error : undefined;
      say(refused?.message ?? 'No answer came. Try again.', { isBad: true, refused });
    }
  };

/** Actions on a conversation apart from replies. */
export function makeConversationActs({ call, newKey, say, list }: ActsDeps) {
  const act = makeAct(say);
  return {
    async file(item: Item, to: 'active' | 'archived'): Promise<void> {
      const isArchived = to === 'archived';
      const move = (status: typeof to) => call('update_conversation', { conversation_id: item.id, status });
      const back = () => list.settle(item.key, undefined);
      list.settle(item.key, isArchived ? 'Archived' : 'Brought back');
      await act({
        done: saying(isArchived ? 'Archived' : 'Back among the messages', item.name),
        run: () => move(to),
        back,
        undo: () =>
          void act({
            done: saying('Undone', item.name),
            run: () => move(isArchived ? 'active' : 'archived').then(back),
          }),
      });
    },

    async unread(item: Item, isUnread: boolean): Promise<void> {
      list.put({ ...item, count: isUnread ? Math.max(1, item.count) : 0 });
      await act({
        done: saying(isUnread ? 'Marked as unread' : 'Marked as read', item.name),
        run: () => call('update_conversation', { conversation_id: item.id, is_read: !isUnread }),
        back: () => list.put(item),
      });
    },

    async looked(item: Item): Promise<void> {
      if (item.kind !== 'conversation' || item.count === 0) return;
      list.put({ ...item, count: 0 });
      await call('mark_conversation_read', { conversation_id: item.id }, newKey()).catch(() => list.put(item));
    },
  };
}

/** Actions on comments, and on replies to reviews. */
export function makeCommentActs({ call, newKey, say, list, threads }: ActsDeps) {
  const act = makeAct(say);
  const refOf = ({ id, platform_post_id, account_id }: Comment) => ({
    post_id: platform_post_id,
    comment_id: id,
    account_id,
  });

  function change(item: Item, id: string, to: Partial<Comment>): void {
    const changed = (one: Comment): Comment => (one.id === id ? { ...one, ...to } : one);
    threads.change(item.key, ({ comments, detail }) => ({
      comments: comments.map(changed),
      ...(detail?.comment && { detail: { ...detail, comment: changed(detail.comment) } }),
    }));
  }

  /** Marks the open item as completed if it is this comment. */
  function settle(item: Item, comment: Comment, word: string | undefined): void {
    if (item.id === comment.id) list.settle(item.key, word);
  }

  async function hide(item: Item, comment: Comment, hidden: boolean): Promise<void> {
    const show = (isHidden: boolean) => {
      change(item, comment.id, { is_hidden: isHidden });
      settle(item, comment, isHidden ? 'Hidden' : undefined);
    };
    show(hidden);
    await act({
      done: saying(hidden ? 'Hidden from others' : 'Shown again', comment.author.name),
      run: () => call(hidden ? 'hide_comment' : 'unhide_comment', refOf(comment), newKey()),
      back: () => show(!hidden),
      undo: () => void hide(item, comment, !hidden),
    });
  }

  async function like(item: Item, comment: Comment, liked: boolean): Promise<void> {
    const others = comment.like_count - (comment.is_liked ? 1 : 0);
    const by = (on: boolean) => ({ is_liked: on, like_count: others + (on ? 1 : 0) });
    change(item, comment.id, by(liked));
    await act({
      done: saying(liked ? 'Liked' : 'No longer liked', comment.author.name),
      run: () => call(liked ? 'like_comment' : 'unlike_comment', refOf(comment), newKey()),
      back: () => change(item, comment.id, by(!liked)),
      undo: () => void like(item, { ...comment, ...by(liked) }, !liked),
    });
  }

  return {
    hide,
    like,

    remove: (item: Item, comment: Comment) =>
      act({
        done: saying('Deleted', comment.author.name),
        async run() {
          await call('delete_comment', refOf(comment));
          settle(item, comment, 'Deleted');
          threads.change(item.key, ({ comments }) => ({ comments: comments.filter(({ id }) => id !== comment.id) }));
        },
      }),

    removeReply: (item: Item) =>
      act({
        done: 'The answer is deleted.',
        async run() {
          await call('delete_review_reply', { review_id: item.id, account_id: item.accountId });
          list.settle(item.key, undefined);
          await threads.read(item);
        },
      }),
  };
}
