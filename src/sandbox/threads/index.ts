import type { Context } from 'koa';
import { appThrottled } from '../graph/api/throttle.ts';
import { graphGate, graphServer } from '../graph/api/server.ts';
import { openGraph } from '../graph/index.ts';
import { makeDialog } from '../graph/oauth/dialog.ts';
import { LONG_LIVED_ROOTS, longLivedMethods } from '../graph/oauth/long-lived.ts';
import { makeOAuth } from '../graph/oauth/oauth.ts';
import type { Methods } from '../graph/world.ts';
import { commonParts } from '../graph/parts.ts';
import { hostBelow, ownOrigins } from '../kit/options.ts';
import type { TwinOptions } from '../kit/options.ts';
import { fileHost } from '../kit/public.ts';
import { makeTwin } from '../kit/twin.ts';
import type { Twin } from '../twin.ts';
import { ABOUT } from './about.ts';
import { threadsActs } from './console/acts.ts';
import { makeShown } from './console/shown.ts';
import { makeWww } from './console/www.ts';
import { DONE } from './docs.ts';
import type { Draft, ThreadsDocs } from './docs.ts';
import { makeLooks } from './look.ts';
import { bodiesOf, makeNotices } from './notices.ts';
import { insightsMethods } from './insights.ts';
import { publishingMethods } from './publishing.ts';
import { makeContainers } from '../graph/media/containers.ts';
import { makePosts } from './posts.ts';
import { readingMethods } from './reading.ts';
import { SETTINGS } from './world.ts';

/** What an app may ask for; the first is always granted. */
const SCOPES: readonly string[] = Object.freeze([
  'threads_basic',
  'threads_content_publish',
  'threads_manage_replies',
  'threads_read_replies',
  'threads_manage_insights',
  'threads_delete',
  'threads_manage_mentions',
  'threads_keyword_search',
  'threads_location_tagging',
  'threads_profile_discovery',
]);

/** Who lives on every new twin. */
const RESIDENTS = Object.freeze({
  owners: [
    ['olivia.sandbox.test', 'Olivia Harbour', []],
    ['sam.sandbox.test', 'Sam Single', []],
  ],
  followers: [
    ['fred.sandbox.test', 'Fred Follower'],
    ['mia.sandbox.test', 'Mia Message'],
    ['zoe.sandbox.test', 'Zoë Ünder'],
  ],
  start: '2',
} as const);

/** The stand-in of Threads: its API and token endpoints, the consent page, the public site and the updates it sends. */
export function openThreads(options: TwinOptions): Twin {
  const { world, queue, reset } = openGraph<ThreadsDocs, typeof SETTINGS>(options, {
    ...ABOUT,
    bodies: bodiesOf,
    settings: SETTINGS,
    residents: RESIDENTS,
    userAgent: 'facebookexternalhit/1.1',
  });
  const { nodes, people, files } = world;
  const oauth = makeOAuth(world, /^$/);
  const posts = makePosts(world, makeNotices(world, queue));
  const containers = makeContainers<Draft>(world);
  const looks = makeLooks(world, posts);
  const methods: Methods = Object.freeze({
    ...oauth.methods,
    ...longLivedMethods(world, { prefix: 'th', scope: 'threads_basic' }),
    ...readingMethods(world, posts, looks),
    ...publishingMethods(world, posts, containers),
    ...insightsMethods(world, posts),
  });
  const dialog = makeDialog(world, oauth, {
    network: ABOUT.title,
    scopes: SCOPES,
    forms: options.forms,
    origins: () => ownOrigins(options),
    always: 'threads_basic',
    profiles: 'none',
    hash: '_',
  });
  const graph = hostBelow(options.rootUrl, ABOUT.slug, 'graph');
  const answerGraph = graphServer({
    world,
    gate: graphGate(options, world, { throttled: appThrottled }),
    methods,
    kinds: ['person', 'post', 'container'],
    roots: LONG_LIVED_ROOTS,
    versions: [1, 1],
    aboutWhom: oauth.aboutWhom,
    due: () => {},
    graph,
  });
  const www = makeWww(world, posts, dialog);
  const shown = makeShown(world, posts);

  return makeTwin({
    ...ABOUT,
    ...commonParts(world, queue, shown),
    methods: Object.freeze(Object.keys(methods)),
    areas: {
      graph: answerGraph,
      cdn: fileHost(files, (id) => nodes.get('blob', id)),
      www: (ctx: Context, rest: readonly string[]) => www.answer(ctx, rest),
    },
    cast: shown.cast,
    latest: www.latest,
    acts: threadsActs(world, { posts, oauth, dialog, queue }),
    lists: {
      people: () => people.all(),
      posts: () => nodes.list('post'),
      containers: () => nodes.list('container'),
      pushes: () => queue.list(500).toReversed(),
      settings: () => world.settings.all(),
    },
    reset: () => reset(DONE),
  });
}
