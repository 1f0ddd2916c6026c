import { isoTime } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { Post } from '../docs.ts';
import { badValue, invalid, lost, missing } from '../errors.ts';
import {
  idOf,
  idsIn,
  lean,
  listPage,
  makeCalls,
  makeCounted,
  type Call,
  type Parts,
  type Showing,
  type XRoute,
} from './calls.ts';

const WEEK_MS = 7 * 86_400_000;
const LONGEST_QUERY = 512;
const TIMELINE = [5, 10, 100] as const;
type Test = (post: Post) => boolean;

/** X's search syntax. All words and operators have to match, except those after a minus, which must not. */
function makeSearch({ users, posts }: Parts) {
  const kinds: ReadonlyMap<string, Test> = tableOf({
    reply: ({ parent_id }) => parent_id !== '',
    quote: ({ quoted }) => quoted !== undefined,
    retweet: () => false,
  });
  const tests: ReadonlyMap<string, (post: Post, value: string) => boolean> = tableOf({
    is: (post, value) => kinds.get(value)?.(post) === true,
    conversation_id: (post, value) => post.root === value,
    in_reply_to_tweet_id: (post, value) => post.parent_id === value,
    from: (post, value) => users.find(value)?.id === post.page_id,
    to: (post, value) => (users.find(value)?.id ?? value) === posts.get(post.parent_id)?.page_id,
  });
  function termOf(term: string): Test {
    const [, name = '', value = ''] = /^(?!https?:)(\w+):(.+)$/.exec(term) ?? [];
    if (name === '') return ({ text }) => text.toLowerCase().includes(term.toLowerCase());
    if (tests.get(name) === undefined || (name === 'is' && kinds.get(value) === undefined))
      throw invalid(`Reference to invalid operator '${term}'. Operator is not available.`, { query: [term] });
    return (post) => tests.get(name)!(post, value);
  }
  return function search(query: string): Test {
    const terms = query.split(/\s+/).filter(Boolean);
    const all = terms.map((term) => ({ test: termOf(term.replace(/^-/, '')), isWanted: !term.startsWith('-') }));
    return (post) => all.every(({ test, isWanted }) => test(post) === isWanted);
  };
}

export function readingRoutes(parts: Parts, showing: Showing): readonly XRoute[] {
  const { world, users, posts } = parts;
  const counted = makeCounted(world);
  const call = makeCalls(world);
  const search = makeSearch(parts);
  const list = (
    one: Call,
    rows: readonly Post[],
    sizes: readonly [number, number, number] = TIMELINE,
    token?: string,
  ) => counted(one, () => listPage(one, rows, sizes, showing.posts, token));

  function userIn({ path }: Call): string {
    const id = idOf(path['id']);
    if (users.get(id) === undefined) throw lost('user', id);
    return id;
  }
  function timeline(one: Call): readonly Post[] {
    const excluded = (one.params.text('exclude') ?? '').split(',').filter(Boolean);
    const wrong = excluded.find((word) => word !== 'replies' && word !== 'retweets');
    if (wrong !== undefined) throw badValue('exclude', wrong, 'is not one of [replies,retweets]');
    const all = posts.listed({ page: userIn(one) });
    return excluded.includes('replies') ? all.filter(({ parent_id }) => parent_id === '') : all;
  }
  function mentions(one: Call): readonly Post[] {
    const user = userIn(one);
    const names = ({ page_id, entities }: Post) => page_id !== user && entities.mentions?.some(({ id }) => id === user);
    return posts.listed().filter(names);
  }
  function found(one: Call): readonly Post[] {
    const query = one.params.text('query')?.trim() ?? '';
    if (query === '' || query.length > LONGEST_QUERY)
      throw badValue('query', query, `is empty or longer than ${LONGEST_QUERY}`);
    const from = world.options.clock.now() - WEEK_MS;
    const start = one.params.time('start_time') ?? from;
    if (start < from) throw badValue('start_time', isoTime(start), `must be on or after ${isoTime(from)}`);
    const test = search(query);
    return posts.listed().filter((post) => post.at >= from && test(post));
  }
  /** Posts by id. Those that are missing are listed as errors. */
  const byIds = (one: Call, ids: readonly string[], name: string) => {
    const { errors, ...view } = showing.posts(
      one,
      ids.flatMap((id) => posts.get(id) ?? []),
    );
    const gone = ids.filter((id) => posts.get(id) === undefined).map((id) => missing('tweet', name, id));
    return { ...view, errors: [...gone, ...errors] };
  };

  return [
    call('GET /2/users/me', 'read 75', (one) => {
      const [me] = showing.users(one, [users.get(one.caller.person)!]);
      return { data: me };
    }),
    call('GET /2/users/by/username/{username}', 'all 900', (one) => {
      const { username = '' } = one.path;
      const user = users.named(username);
      return user ? { data: showing.users(one, [user])[0] } : { errors: [missing('user', 'username', username)] };
    }),
    call('GET /2/tweets', 'all 900', (one) => counted(one, () => lean(byIds(one, idsIn(one), 'ids')))),
    call('GET /2/tweets/{id}', 'all 900', (one) =>
      counted(one, () => {
        const { data, ...rest } = byIds(one, [idOf(one.path['id'])], 'id');
        return lean({ ...(data[0] && { data: data[0] }), ...rest });
      }),
    ),
    call('GET /2/users/{id}/tweets', 'all 900', (one) => list(one, timeline(one))),
    call('GET /2/users/{id}/mentions', 'all 300', (one) => list(one, mentions(one))),
    call('GET /2/tweets/search/recent', 'all 300', (one) => list(one, found(one), [10, 10, 100], 'next_token')),
  ];
}
