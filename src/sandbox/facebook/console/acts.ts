import { GROUPS, ownerActs, pageOwnerActs } from '../../graph/people/cast.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { networkActs } from '../../graph/parts.ts';
import { messageActs } from '../../graph/messaging/acts.ts';
import type { Threads } from '../../graph/messaging/threads.ts';
import type { OAuth } from '../../graph/oauth/oauth.ts';
import { makeActs, there } from '../../kit/acts.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import type { Comments } from '../comments/comments.ts';
import type { Publication } from '../posts/publication.ts';
import type { Feed } from '../updates.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';
import { makePlay } from './play.ts';

/** Everything that can be done on the twin in the place of its people. */
export function facebookActs(
  world: World,
  parts: Readonly<{
    comments: Comments;
    publication: Publication;
    feed: Feed;
    threads: Threads;
    oauth: OAuth;
    dialog: ConsentDialog;
    queue: Pushes;
  }>,
) {
  const { people } = world;
  return makeActs({
    groups: GROUPS,
    acts: {
      ...makePlay(world, parts),
      ...messageActs(world, parts.threads),
      ...ownerActs(world, parts.oauth),
      ...pageOwnerActs(world),
      ...networkActs(world, parts.queue, SETTINGS),
      consent: parts.dialog.act((words) => there(people.findPage(words), 'Page').id, 'pages'),
    },
  });
}
