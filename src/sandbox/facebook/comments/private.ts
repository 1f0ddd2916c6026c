import type { Page } from '../../graph/docs.ts';
import { GraphError, unknownObject } from '../../graph/api/errors.ts';
import type { PrivateReplies } from '../../graph/messaging/messages.ts';
import type { World } from '../world.ts';
import type { Comments } from './comments.ts';

const answered = () => new GraphError(10900, '(#10900) Activity already replied to');
const unfit = () => new GraphError(10903, "(#10903) This user can't reply to this activity");

/** Private answers to comments, once each and within a week, and to posts of visitors. */
export function privateReplies({ nodes, people }: World, repliable: Comments['repliable']): PrivateReplies {
  return Object.freeze({
    target(page: Page, { comment_id, post_id }: Readonly<Record<string, unknown>>) {
      if (typeof comment_id !== 'string' && typeof post_id !== 'string') return undefined;
      const comment = typeof comment_id === 'string' ? nodes.get('comment', comment_id) : undefined;
      const about = typeof comment_id === 'string' ? comment : nodes.get('post', String(post_id));
      if (about === undefined || about.page_id !== page.id || about.deleted_at !== undefined)
        throw unknownObject(String(comment_id ?? post_id), 'post');
      const person = about.author === undefined ? undefined : people.byId(about.author);
      if (person === undefined) throw unfit();
      if (comment?.private_reply !== undefined) throw answered();
      if (comment !== undefined && !repliable(comment)) throw unfit();
      return { id: about.id, person };
    },
    answered(id: string, message: string | undefined) {
      const comment = nodes.get('comment', id);
      if (comment === undefined) return;
      if (message !== undefined) nodes.change('comment', id, { private_reply: message });
      else if (comment.private_reply !== undefined) throw answered();
    },
  });
}
