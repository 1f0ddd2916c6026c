/** Posts and comments of members and organizations, made through the API or without it. */
import type { Comment, Post } from './docs.ts';
import { denied, notFound } from './errors.ts';
import type { Notices } from './notices.ts';
import type { Names, World } from './world.ts';

export type Target = Readonly<{ post: Post; comment?: Comment }>;
type Thread = Readonly<{ post: Pick<Post, 'id'>; comment?: Comment }>;

export type Feed = ReturnType<typeof makeFeed>;

/** Callers make changes inside a transaction. */
export function makeFeed({ docs, options: { clock } }: World, names: Names, notices: Notices) {
  const commentsOn = ({ id }: Pick<Post, 'id'>) => docs.listLive('comment', { parent: id });
  const reactionsTo = ({ id }: Readonly<{ id: string }>) => docs.list('reaction', { parent: id });
  const answersTo = ({ post, comment }: Thread) => commentsOn(post).filter(({ under }) => under === comment?.id);
  function change(post: Post, patch: Partial<Post>, action: 'update' | 'delete'): void {
    const at = clock.now();
    const versions = [...post.versions, { action, at, record: patch.body ?? post.body }];
    docs.change('post', post.id, { ...patch, changed_at: at, versions });
  }

  return Object.freeze({
    commentsOn,
    reactionsTo,
    answersTo,
    postsOf: (author: string) => docs.listLive('post', { page: author }),
    summaries(thread: Thread) {
      const totalLikes = reactionsTo(thread.comment ?? thread.post).length;
      const totalFirstLevelComments = answersTo(thread).length;
      const all = thread.comment === undefined ? commentsOn(thread.post).length : totalFirstLevelComments;
      return {
        likesSummary: { selectedLikes: [], aggregatedTotalLikes: totalLikes, likedByCurrentUser: false, totalLikes },
        commentsSummary: { selectedComments: [], totalFirstLevelComments, aggregatedTotalComments: all },
      };
    },
    /** Returns what a URN refers to; throws if it is missing. */
    target(urn: string): Target {
      const comment = names.commentAt(urn);
      const post = names.post(comment === undefined ? urn : comment.parent_id);
      if (post === undefined) throw notFound(urn);
      return comment === undefined ? { post } : { post, comment };
    },
    post(page_id: string, body: Post['body'], kind: 'share' | 'ugcPost', shared?: Post): Post {
      const at = clock.now();
      const versions = [{ action: 'create', at, record: body } as const];
      const id = `urn:li:${kind}:${names.newNumber()}`;
      const post = docs.put('post', { id, at, page_id, body, changed_at: at, versions });
      notices.posted(post, shared);
      return post;
    },
    edit: (post: Post, commentary: string) => change(post, { body: { ...post.body, commentary } }, 'update'),
    remove: (post: Post) => change(post, { deleted_at: clock.now() }, 'delete'),
    comment({ post, comment: parent }: Target, page_id: string, text: string, images: readonly string[] = []): Comment {
      if (post.isClosed === true) throw denied('Comments are disabled on this thread');
      const at = clock.now();
      const own = { id: names.newNumber(), at, page_id, parent_id: post.id, text, images, changed_at: at };
      const comment = docs.put('comment', parent === undefined ? own : { ...own, under: parent.under ?? parent.id });
      notices.comment(post, comment, 'COMMENT');
      return comment;
    },
    editComment({ post, comment }: Required<Target>, text: string): void {
      notices.comment(post, docs.change('comment', comment.id, { text, changed_at: clock.now() }), 'COMMENT_EDIT');
    },
    removeComment({ post, comment }: Required<Target>): void {
      const all = [comment, ...answersTo({ post, comment })];
      for (const { id } of all) docs.change('comment', id, { deleted_at: clock.now() });
      notices.comment(post, comment, 'COMMENT_DELETE');
    },
    react({ post, comment }: Target, actor: string, type: string): void {
      const { id } = comment ?? post;
      docs.put('reaction', { id: `${actor} ${id}`, at: clock.now(), page_id: actor, parent_id: id, type });
      if (comment === undefined) notices.like(post, actor);
    },
    unreact({ post, comment }: Target, actor: string): void {
      const id = `${actor} ${(comment ?? post).id}`;
      if (docs.get('reaction', id) === undefined) throw notFound('the reaction');
      docs.remove('reaction', id);
    },
  });
}
