/** What the app may read: its user, what they said, what was answered to it, and where they are mentioned. */
import { badParam, unknownObject } from '../graph/api/errors.ts';
import { makeMethods, within } from '../graph/api/methods.ts';
import type { Access } from '../graph/api/methods.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { drawList, drawOne, live, seen } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Looks } from './look.ts';
import type { Posts } from './posts.ts';
import { mentionsIn } from './text.ts';
import { isReply } from './world.ts';
import type { Post, ThreadsDocs, World } from './world.ts';

/** What a call needs besides `threads_basic`. */
type Scopes = readonly string[];

/** Whether a person may see a post through the app: it is theirs, answers one of theirs, or mentions them. */
function isNear({ nodes, people }: World, person: string, post: Post): boolean {
  const handle = people.byId(person)?.handle ?? '';
  return (
    post.page_id === person ||
    nodes.get('post', post.root)?.page_id === person ||
    mentionsIn(post.text).includes(handle)
  );
}

/** Who may be called for: people for themselves, with the scopes named besides `threads_basic`, and what is near them. */
function accessOf(world: World): Access<Scopes> {
  function may(call: Call, account: string, scopes: Scopes, id: string | undefined): void {
    if (id === undefined) selfWith(call, account, 'threads_basic', ...scopes);
    else {
      const post = seen(world, live(world.nodes.get('post', id), id, call.verb.toLowerCase()));
      const person = callerWith(call, 'threads_basic', ...scopes);
      if (!isNear(world, person, post)) throw unknownObject(id, call.verb.toLowerCase());
    }
  }
  return { read: may, write: may };
}

/** Makes the methods of the API. */
export const methodsOf = (world: World) => makeMethods<ThreadsDocs, Scopes>(world, accessOf(world));

/** The reads of the API. */
export function readingMethods(world: World, posts: Posts, looks: Looks): Methods {
  const { people } = world;
  const { reads, readsOf, lists } = methodsOf(world);
  const newestFirst = (rows: readonly Post[]) => rows.filter(posts.isSeen).toReversed();
  const REPLIES: Scopes = ['threads_read_replies'];

  /** A list below a post, newest first unless the call says otherwise. */
  const below = (edge: string, rows: (root: string) => readonly Post[]) =>
    reads('post', REPLIES, ['reverse'], (call, post) => {
      if (edge === 'conversation' && isReply(post)) throw badParam('The conversation of a reply cannot be read');
      const shown = within(call, newestFirst(rows(post.id)));
      const isNewestFirst = call.params.flag('reverse') ?? true;
      return drawList(call, looks.post, `${post.id}/${edge}`, isNewestFirst ? shown : shown.toReversed());
    });
  function mentions(person: string): readonly Post[] {
    const handle = people.byId(person)?.handle ?? '';
    return posts.list().filter((post) => post.page_id !== person && mentionsIn(post.text).includes(handle));
  }

  return Object.freeze({
    'GET person': readsOf([], [], (call, id) => drawOne(call, looks.person, live(people.byId(id), id))),
    'GET post': reads('post', [], [], (call, post) => drawOne(call, looks.post, post)),
    ...lists('person', [], looks.post, { threads: (person) => newestFirst(posts.of(person)) }),
    ...lists('person', REPLIES, looks.post, { replies: (person) => newestFirst(posts.of(person, true)) }),
    ...lists('person', ['threads_manage_mentions'], looks.post, {
      mentions: (person) => newestFirst(mentions(person)),
    }),
    'GET post/replies': below('replies', posts.answers),
    'GET post/conversation': below('conversation', posts.conversation),
  });
}
