import { castLists, GROUPS, ownerActs, pageOwnerActs } from '../../graph/people/cast.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { orderErrorAct } from '../../graph/api/errors.ts';
import { messageActs } from '../../graph/messaging/acts.ts';
import type { Threads } from '../../graph/messaging/threads.ts';
import type { OAuth } from '../../graph/oauth/oauth.ts';
import { graphPushActs } from '../../graph/push/pushes.ts';
import { makeActs, newest, short, there } from '../../kit/acts.ts';
import type { Choice } from '../../kit/acts.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { settingsAct } from '../../kit/settings.ts';
import type { Comments } from '../comments/comments.ts';
import type { Comment, Post } from '../docs.ts';
import type { Publication } from '../posts/publication.ts';
import type { Feed } from '../updates.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';
import { makePlay } from './play.ts';

/** What fields of acts may be chosen from. */
function listsOf(world: World): Readonly<Record<string, () => readonly Choice[]>> {
  const { nodes, people } = world;
  const authorOf = ({ author, page_id }: Comment | Post) =>
    (author === undefined ? people.page(page_id) : people.byId(author))?.name;
  const posts = () =>
    newest(nodes.list('post').filter(({ is_published }) => is_published)).map((post) => ({
      value: post.id,
      label: `${authorOf(post)}: ${short(post.message)}`,
    }));
  const comments = () =>
    newest(nodes.list('comment')).map((one) => ({
      value: one.id,
      label: `Comment of ${authorOf(one)}: ${short(one.message)}`,
    }));
  return { ...castLists(world), thing: () => [...posts(), ...comments()], post: posts, comment: comments };
}

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
  const { people, settings, orders, pushes } = world;
  return makeActs({
    groups: GROUPS,
    lists: listsOf(world),
    acts: {
      ...makePlay(world, parts),
      ...messageActs(world, parts.threads),
      ...ownerActs(world, parts.oauth),
      ...pageOwnerActs(world),
      settings: settingsAct(settings, SETTINGS, ['verified_url']),
      order: orderErrorAct(orders),
      ...graphPushActs(parts.queue, pushes, settings),
      consent: parts.dialog.act((words) => there(people.findPage(words), 'Page').id, 'pages'),
    },
  });
}
