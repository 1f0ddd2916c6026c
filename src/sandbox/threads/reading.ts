/** What the app may read: its user, what they said, what was answered to it, and where they are mentioned. */
import { badParam, unknownObject } from '../graph/api/errors.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { drawList, drawOne, live, seen } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import { isReply } from './docs.ts';
import type { Post } from './docs.ts';
import type { Looks } from './look.ts';
import type { Posts } from './posts.ts';
import { mentionsIn } from './text.ts';
import type { World } from './world.ts';

/** Whether a person may see a post through the app: it is theirs, answers one of theirs, or mentions them. */
function isNear({ nodes, people }: World, person: string, post: Post): boolean {
  const handle = people.byId(person)?.handle ?? '';
  return (
    post.page_id === person ||
    nodes.get('post', post.root)?.page_id === person ||
    mentionsIn(post.text).includes(handle)
  );
}

/** A post that a person may read through the app. */
export function readable(world: World, person: string, id: string, verb = 'get'): Post {
  const post = seen(world, live(world.nodes.get('post', id), id, verb));
  if (!isNear(world, person, post)) throw unknownObject(id, verb);
  return post;
}

/** The reads of the API. */
export function readingMethods(world: World, posts: Posts, looks: Looks): Methods {
  const { people, clock } = world;

  /** Rows of a list as a call wants them: within its time, newest first unless it says otherwise. */
  function list(call: Call, path: string, rows: readonly Post[], reverse = true): object {
    const { params } = call;
    const [since = 0, until = Infinity] = [params.time('since'), params.time('until')];
    const shown = rows.filter(({ at, seen_from }) => at >= since && at <= until && seen_from <= clock.now());
    return drawList(call, looks.post, path, reverse ? shown.toReversed() : shown);
  }
  function below(call: Call, id: string, edge: string, rows: (root: string) => readonly Post[]): object {
    const person = callerWith(call, 'threads_basic', 'threads_read_replies');
    const post = readable(world, person, id);
    if (edge === 'conversation' && isReply(post)) throw badParam('The conversation of a reply cannot be read');
    return list(call, `${id}/${edge}`, rows(id), call.params.flag('reverse') ?? true);
  }
  const ofPerson = (edge: string, scopes: readonly string[], rows: (person: string) => readonly Post[]) => ({
    params: [],
    run: (call: Call, id: string) => list(call, `${id}/${edge}`, rows(selfWith(call, id, 'threads_basic', ...scopes))),
  });

  return Object.freeze({
    'GET person': {
      params: [],
      run(call: Call, id: string) {
        selfWith(call, id, 'threads_basic');
        return drawOne(call, looks.person, live(people.byId(id), id));
      },
    },
    'GET post': {
      params: [],
      run: (call: Call, id: string) =>
        drawOne(call, looks.post, readable(world, callerWith(call, 'threads_basic'), id)),
    },
    'GET person/threads': ofPerson('threads', [], (person) => posts.of(person)),
    'GET person/replies': ofPerson('replies', ['threads_read_replies'], (person) => posts.of(person, true)),
    'GET person/mentions': ofPerson('mentions', ['threads_manage_mentions'], (person) => {
      const handle = people.byId(person)?.handle ?? '';
      return posts.everything().filter((post) => post.page_id !== person && mentionsIn(post.text).includes(handle));
    }),
    'GET post/replies': {
      params: ['reverse'],
      run: (call: Call, id: string) => below(call, id, 'replies', posts.answers),
    },
    'GET post/conversation': {
      params: ['reverse'],
      run: (call: Call, id: string) => below(call, id, 'conversation', posts.conversation),
    },
  });
}
