import type { Comment, Post } from './docs.ts';
import type { Posts } from './posts.ts';
import type { Events } from './pushes.ts';
import { newId, type Names, type World } from './world.ts';

export type Comments = ReturnType<typeof makeComments>;

export function makeComments({ docs, options: { clock } }: World, names: Names, posts: Posts, events: Events) {
  function tell({ id, post, page_id, parent_id, author, text }: Comment, action: string): void {
    events.business(page_id, 'COMMENT', 'comment.update', {
      comment_id: events.id(id),
      video_id: events.id(post),
      ...(parent_id !== undefined && { parent_comment_id: events.id(parent_id) }),
      comment_type: parent_id === undefined ? 'comment' : 'reply',
      comment_action: action,
      timestamp: clock.now(),
      unique_identifier: names.uniqueId(author),
      ...(action === 'insert' && { text }),
    });
  }
  return Object.freeze({
    get: (id: string): Comment | undefined => docs.getLive('comment', id),
    repliesTo: (comment: string): readonly Comment[] => docs.listLive('comment', { parent: comment }),
    isOpen: ({ about, page_id }: Post): boolean =>
      !about.forbids.includes('comment') && names.creator(page_id).forbids?.includes('comment') !== true,
    /** Adds a comment. A reply to a reply belongs to the first comment. Inside a transaction. */
    say({ id: post, page_id }: Post, author: string, text: string, to?: Comment, buys = false): Comment {
      const parent = to === undefined ? {} : { parent_id: to.parent_id ?? to.id };
      const about = { page_id, post, author, text, likes: [], status: 'PUBLIC' as const, ...parent };
      const made = docs.put('comment', { id: newId(), at: clock.now(), ...about });
      tell(made, 'insert');
      if (buys) {
        const content = { comment_id: events.id(made.id), video_id: events.id(post), comment_text: text };
        const by = { unique_identifier: names.uniqueId(author), timestamp: clock.now() };
        events.business(page_id, 'DIRECT_MESSAGE', 'im_receive_high_intent_comment', { ...content, ...by });
      }
      return made;
    },
    hide(comment: Comment, isHidden: boolean): Comment {
      tell(comment, isHidden ? 'set_to_hidden' : 'set_to_public');
      return docs.change('comment', comment.id, { status: isHidden ? 'HIDDEN' : 'PUBLIC' });
    },
    remove(comment: Comment): void {
      for (const one of [comment, ...docs.list('comment', { parent: comment.id })]) {
        docs.change('comment', one.id, { deleted_at: clock.now() });
        tell(one, 'delete');
      }
    },
    like(thing: Comment, person: string, isLiked = true): void {
      const others = thing.likes.filter((one) => one !== person);
      docs.change('comment', thing.id, { likes: isLiked ? [...others, person] : others });
    },
  });
}
