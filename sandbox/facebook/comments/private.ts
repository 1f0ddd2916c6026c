import { GraphError } from '../../graph/api/errors.ts';
import type { PrivateReplies } from '../../graph/messaging/messages.ts';
import { privateReplies } from '../../graph/messaging/private.ts';
import type { World } from '../world.ts';

const unfit = () => new GraphError(10903, "(#10903) This user can't reply to this activity");

export const facebookReplies = (world: World): PrivateReplies =>
  privateReplies(
    world,
    ({ comment_id, post_id }) => {
      if (typeof comment_id === 'string') return { id: comment_id, thing: world.nodes.get('comment', comment_id) };
      return typeof post_id === 'string' ? { id: post_id, thing: world.nodes.get('post', post_id) } : undefined;
    },
    { used: () => new GraphError(10900, '(#10900) Activity already replied to'), late: unfit, nobody: unfit },
  );
