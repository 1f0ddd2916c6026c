import { tableOf } from '#kernel/text/table.ts';
import { makeAnswers } from '../../kit/api/fields.ts';
import { pageBelow, type Sizes } from '../../kit/api/paging.ts';
import { route, type Route, type RouteCall } from '../../kit/api/routes.ts';
import { makeReader } from '../../kit/api/shapes.ts';
import type { Fields, Message, Post, User } from '../docs.ts';
import { badValue, invalid, missing, noCredits, notYours, unsupported, usageCapped } from '../errors.ts';
import type { Events } from '../events.ts';
import type { XCaller } from '../login.ts';
import type { Posts, Talk } from '../authoring.ts';
import { PRIVATE, type Views } from '../views.ts';
import { appNumber, type Apps, type Users, type World } from '../world.ts';

type Everything = { world: World; users: Users; apps: Apps; views: Views; posts: Posts; talk: Talk; events: Events };
export type Parts = Readonly<Everything>;
export type Call = RouteCall<XCaller>;
export type XRoute = Route<XCaller>;
export type Showing = ReturnType<typeof makeShowing>;

const QUARTER_S = 900;
const DAY_S = 86_400;
const KNOWN = `expansions tweet.fields post.fields user.fields media.fields poll.fields place.fields dm_event.fields
  max_results pagination_token next_token since_id until_id start_time end_time exclude ids query sort_order event_types
  media_id command usage.fields webhook_config.fields`.split(/\s+/);

/** The scopes of each kind of call; `app` is for app tokens, `all` for app tokens and people. */
const RIGHTS: ReadonlyMap<string, string> = tableOf({
  app: '',
  all: 'tweet.read users.read',
  read: 'tweet.read users.read',
  write: 'tweet.read tweet.write users.read',
  moderate: 'tweet.read tweet.moderate.write users.read',
  like: 'like.write tweet.read users.read',
  media: 'media.write',
  'read-dm': 'dm.read tweet.read users.read',
  'send-dm': 'dm.write tweet.read users.read',
  activity: 'dm.read dm.write tweet.read users.read',
});

/** Makes routes. `terms` are the scopes, and how often a person may call in 15 minutes and in a day. */
export const makeCalls =
  ({ settings }: World) =>
  (line: string, terms: string, run: (call: Call) => unknown): XRoute => {
    const [verb = '', path = ''] = line.split(' ');
    const [kind = '', ...limits] = terms.split(' ');
    const rates = limits.map((limit, at) => {
      return { name: `${line} ${at}`, limit: Number(limit), window_s: at === 0 ? QUARTER_S : DAY_S };
    });
    const scopes = (RIGHTS.get(kind) ?? '').split(' ').filter(Boolean);
    return route<XCaller>(verb, path, { scopes, ...(verb === 'GET' && { params: KNOWN }), rates }, (call) => {
      const { isApp, client } = call.caller;
      if (isApp && kind !== 'app' && kind !== 'all') throw unsupported('Application-Only', 'User Context');
      if (!isApp && kind === 'app') throw unsupported('User Context', 'Application-Only');
      if (settings.get('credits_gone')) throw noCredits(appNumber(client));
      return run(call);
    });
  };

export const read = makeReader(({ place, isMissing, words, code }) => {
  if (code === 'unrecognized_keys') return invalid(`${place}: ${words} in the schema`);
  return invalid(`${place}: ${isMissing ? 'is missing but it is required' : words}`);
});

/** A list parameter. Newer clients say "post" instead of "tweet" in its name. */
const wordsIn = ({ params }: Call, name: string): readonly string[] =>
  (params.text(name) ?? params.text(name.replace('tweet', 'post')) ?? '').split(',').filter(Boolean);

export function idOf(id = '', name = 'id'): string {
  if (!/^\d{1,19}$/.test(id)) throw badValue(name, id);
  return id;
}
const MOST_IDS = 100;

export function idsIn(call: Call): readonly string[] {
  const ids = wordsIn(call, 'ids');
  if (ids.length === 0 || ids.length > MOST_IDS) throw badValue('ids', ids.length, `is not between 1 and ${MOST_IDS}`);
  return ids.map((id) => idOf(id, 'ids'));
}

/** Shows posts, people and messages with the requested fields and expansions. */
export function makeShowing({ views }: Parts) {
  const answer = makeAnswers(views.kinds, views.expansions, (name, value, known) =>
    badValue(name, value, `is not one of [${known.join(',')}]`),
  );
  const ask = (call: Call) => {
    const { isApp, person } = call.caller;
    return { words: (name: string) => wordsIn(call, name), viewer: isApp ? '' : person };
  };
  return Object.freeze({
    users: (call: Call, list: readonly User[]) => answer(ask(call), 'user', list).data,
    messages(call: Call, list: readonly Message[]) {
      const { lost: _, ...view } = answer(ask(call), 'dm_event', list);
      return view;
    },
    posts(call: Call, list: readonly Post[]) {
      const { lost, ...view } = answer(ask(call), 'tweet', list);
      const hidden = PRIVATE.filter((name) => wordsIn(call, 'tweet.fields').includes(name));
      const gone = lost.map(({ name, id }) => missing('tweet', name, id));
      const errors = view.data.flatMap((one) =>
        hidden.filter((name) => one[name] === undefined).map((name) => notYours(name, String(one['id']))),
      );
      return { ...view, errors: [...gone, ...errors] };
    },
  });
}

/** Leaves empty lists out of a response. */
export const lean = (answer: Fields): Fields =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => !Array.isArray(value) || value.length > 0));

export const pageWords = {
  size: (given: number, least: number, most: number) =>
    badValue('max_results', given, `is not between ${least} and ${most}`),
  token: badValue,
};

/** A page of a list, newest first, with its metadata. */
export function listPage<T extends Readonly<{ id: string; at: number }>>(
  call: Call,
  all: readonly T[],
  sizes: Sizes,
  show: (call: Call, rows: readonly T[]) => Fields,
  tokenName?: string,
): Fields {
  const { rows, next: next_token } = pageBelow(call.params, all, sizes, {
    words: pageWords,
    ...(tokenName && { tokenName }),
  });
  // Lists of posts state their first and last id; those of messages do not.
  const [first, last] = [rows[0], rows.at(-1)];
  const ends = first && last && 'root' in first && { newest_id: first.id, oldest_id: last.id };
  return lean({ ...show(call, rows), meta: { result_count: rows.length, ...ends, next_token } });
}

/** Responds with posts and counts them against the app's monthly limit. */
export const makeCounted =
  ({ usage, settings, options }: World) =>
  ({ caller: { client } }: Call, answer: () => Fields): Fields => {
    if (usage.used(client) >= settings.get('monthly_reads')) throw usageCapped(appNumber(client));
    const made = answer();
    const { data } = made;
    const count = Array.isArray(data) ? data.length : Number(data !== undefined);
    options.store.write(() => usage.add(client, count));
    return made;
  };
